import AudioCore
import ClockSync
import Peering
import WireProtocol

/// What a broadcast keeps for one connection.
///
/// A class, held by its broadcast's table alone: all of them are looked at with every event, and a copy of all that one
/// holds would cost more than the look.
final class ListenerLink: PeerLink {
    let id: ConnectionID
    var connection: PeerConnection
    var contact: PeerContact.Key?
    let key: ClockKey
    /// Answers clock requests that come over this connection.
    var clock = ClockResponder()
    /// When the last of them came.
    var lastClockRequest: HostTime?
    /// Whether it was welcomed: greeted, allowed, of the right role, and able to play what it will be sent.
    var isMember = false
    /// Whether it lacks a decoder for the song and is sent linear PCM.
    var isSentPCM = false
    /// Whether it only looks on.
    var isObserver = false
    /// When it was last told how the listeners are.
    var lastRoster: HostTime?
    var report: ListenerReport?
    /// Number of the next packets message to be sent, of the song's or of the PCM's.
    var cursor = 0
    /// Whether the stream's properties were sent.
    var hasStream = false
    /// Where its sound begins, and when it was told so; nil before.
    var entry: (frame: FramePosition, time: HostTime)?
    /// The frame after the last that it is known to have received of what was sent since.
    var acknowledged = FramePosition.zero
    /// What was on its way when it was placed behind a gap, of that what may still be, and the frame after it.
    private(set) var outstanding = (frameCount: Int64(0), end: FramePosition.zero)
    /// Packets that were dropped for it and not told of, and when there was something told.
    var untoldLossCount = 0
    var lossTold: HostTime?
    var hasAnchor = false
    var hasEnd = false
    var bytesInFlight = 0
    /// When the socket last took something, or had nothing to take.
    var lastProgress: HostTime

    init(_ id: ConnectionID, connection: PeerConnection, key: ClockKey, now: HostTime) {
        self.id = id
        self.connection = connection
        self.key = key
        lastProgress = now
    }

    /// What it is to the broadcast as a whole.
    struct Standing: Equatable {
        var isMember: Bool
        var isObserver: Bool
        var isReady: Bool
        var hasFinished: Bool
    }

    var standing: Standing {
        Standing(
            isMember: isMember, isObserver: isObserver, isReady: isReady, hasFinished: report?.state == .finished)
    }

    /// Takes what it says of itself.
    func note(_ report: ListenerReport, in epoch: Epoch) {
        self.report = report
        guard report.epoch == epoch else { return }
        acknowledged = max(acknowledged, report.received)
        outstanding.frameCount = max(0, min(outstanding.frameCount, outstanding.end - report.received))
    }

    /// Frames that were sent and are not known to have come.
    func onTheWay(upTo sent: FramePosition) -> Int64 { outstanding.frameCount + max(0, sent - acknowledged) }

    /// Is placed at a frame; `sent` is the end of what it was sent before.
    func enter(at frame: FramePosition, after sent: FramePosition?, _ now: HostTime) {
        // Where nothing was sent since the gap before, what was on its way then still is.
        if entry != nil, let sent, sent > acknowledged { outstanding = (onTheWay(upTo: sent), sent) }
        entry = (frame, now)
        acknowledged = frame
    }

    /// How much of the song it has taken in so far, as a part of the time that it had for it: 1 keeps up.
    func pace(sampleRate: Double, _ now: HostTime) -> Double {
        guard let entry, now > entry.time else { return 1 }
        return Double(acknowledged - entry.frame) / sampleRate / (now - entry.time).seconds
    }

    /// Whether its socket has taken nothing for too long.
    func isStalled(_ now: HostTime) -> Bool {
        bytesInFlight > 0 && now - lastProgress > BroadcastLimits.stalledTime
    }

    /// Whether it is learning the clock over this connection: the replies must not wait behind seconds of song.
    func isLearningClock(_ now: HostTime) -> Bool {
        guard let lastClockRequest, now - lastClockRequest < BroadcastLimits.clockRequestMemory else { return false }
        return !isReady
    }

    /// Whether it can start exactly.
    var isReady: Bool {
        guard isMember, let state = report?.state else { return false }
        return state != .connecting && state != .preparing
    }

    /// Whether it is done with `epoch`.
    func hasFinished(_ epoch: Epoch) -> Bool { report.map { $0.state == .finished && $0.epoch == epoch } ?? false }
}

/// One listener as its broadcast sees it, for display.
public struct ListenerView: Hashable, Sendable {
    public var name: String
    /// Nil until the first report.
    public var report: ListenerReport?
    /// Whether it lacks a decoder for the song and is sent linear PCM.
    public var isSentPCM: Bool
}
