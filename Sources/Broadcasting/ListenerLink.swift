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
    /// Number of the packet that it is sent next, among all of the log that there ever were.
    var nextPacket = 0
    /// Whether it was told where its sound begins.
    private(set) var hasEntry = false
    /// The frame after the last that it is known to have received of what was sent since.
    private(set) var acknowledged = FramePosition.zero
    /// The frame after the last that it was sent.
    var sent = FramePosition.zero
    /// Whether it is behind, and much was on the way when that was found.
    var hasBacklog = false
    /// When it last reported, and how fast it had received between the last three reports, in frames a second.
    private var receipt: (time: HostTime, paces: (Double, Double))?
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
    func note(_ report: ListenerReport, in epoch: Epoch, _ now: HostTime) {
        self.report = report
        guard report.epoch == epoch else { return }
        let received = max(acknowledged, report.received) - acknowledged
        let pace = receipt.map { Double(received) / max(now - $0.time, .milliseconds(1)).seconds } ?? 0
        receipt = (now, (pace, receipt?.paces.0 ?? 0))
        acknowledged += received
    }

    /// How fast it receives, in frames a second: of what came at once the rest may have been told of late.
    var pace: Double { receipt.map { max($0.paces.0, $0.paces.1) } ?? 0 }

    /// Frames that were sent and are not known to have come.
    var onTheWay: Int64 { max(0, sent - acknowledged) }

    /// Is placed at a frame.
    func enter(at frame: FramePosition) {
        hasEntry = true
        acknowledged = frame
        sent = frame
        hasBacklog = false
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
