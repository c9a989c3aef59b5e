import AudioCore
import ClockSync
import Peering
import WireProtocol

/// What a broadcast keeps for one connection.
///
///     stranger ──it only looks on──▶ observer
///        ├──it only commands and follows──▶ controller
///        └──it greeted, is allowed, and can play what it will be sent──▶ member
///
/// A link ends with its connection, in any stage; no other stage than `stranger` leads to another.
///
/// A class, held by its broadcast's table alone: every event looks at all links, and copying each one's state would
/// cost more than the look.
final class ListenerLink: PeerLink {
    private enum Stage {
        case stranger
        /// `lastRoster`: when it was last sent the roster.
        case observer(lastRoster: HostTime?)
        case controller
        case member(ListenerFeed)
    }

    let id: ConnectionID
    var connection: PeerConnection
    var contact: PeerContact.Key?
    let key: ClockKey
    private var stage = Stage.stranger
    /// The number by which followers and observers know a member: its instance, unless another peer's process states
    /// the same.
    private(set) var shownInstance: UInt64 = 0
    /// A member's process.
    private(set) var process: PeerProcess?
    /// When a member was welcomed.
    private(set) var admitted: HostTime?
    /// A member's last report.
    private(set) var report: ListenerReport?
    /// The round trip of its path when nothing waited there; nil if unknown.
    private var roundTrip: TimeSpan?
    /// How a member is set; nil until it says so. A recorder never does.
    private(set) var settings: ListenerSettings?
    /// How often a member was sent the group's volume, and how often it said that it plays by that.
    private var groupVolumes = (sent: 0, confirmed: 0)
    /// Whether it is told of changes of the programme.
    private(set) var isFollower = false
    /// Whether the user was told that it follows commands late.
    private var isToldLate = false
    /// Whether report or settings came since followers were told of it.
    private var hasChanges = true
    private var clock: ConnectionClock
    private var backlog: SendBacklog
    /// Whether it would have been sent more if it, or its socket, had taken more of what it was sent before.
    private(set) var isHeldBack = true
    /// Lookups that are not answered yet.
    private var lookupCount = 0

    init(_ id: ConnectionID, connection: PeerConnection, key: ClockKey, now: HostTime) {
        self.id = id
        self.connection = connection
        self.key = key
        clock = ConnectionClock(key)
        backlog = SendBacklog(now)
    }

    // MARK: Stage

    /// Welcomes a stranger, which is fed from now on.
    func admit(shownAs instance: UInt64, now: HostTime) {
        guard case .stranger = stage, let greeting = connection.greeting else { return }
        (shownInstance, process, admitted) = (instance, greeting.process, now)
        stage = .member(ListenerFeed(codecs: Set(greeting.codecs)))
        clock.open()
    }

    /// Makes a stranger an observer.
    func admitAsObserver() { if case .stranger = stage { stage = .observer(lastRoster: nil) } }

    /// Makes a stranger a controller.
    func admitAsController() { if case .stranger = stage { stage = .controller } }

    /// Lets it be told of changes of the programme.
    func follow() { isFollower = true }

    func unfollow() { isFollower = false }

    var isStranger: Bool { if case .stranger = stage { true } else { false } }

    var isMember: Bool { if case .member = stage { true } else { false } }

    var isObserver: Bool { if case .observer = stage { true } else { false } }

    var isController: Bool { if case .controller = stage { true } else { false } }

    /// Returns the form in which a member is sent songs of this codec.
    func form(for codec: Codec?) -> SongForm.Kind? {
        if case .member(let feed) = stage { feed.form(for: codec) } else { nil }
    }

    /// What this link is to the broadcast as a whole.
    enum Standing: Equatable {
        case stranger, observer, controller
        case member(isReady: Bool, hasFinished: Bool)
    }

    var standing: Standing {
        switch stage {
        case .stranger: .stranger
        case .observer: .observer
        case .controller: .controller
        case .member: .member(isReady: isReady, hasFinished: report?.state == .finished)
        }
    }

    // MARK: A member

    /// Takes a member's report.
    func note(_ report: ListenerReport, _ plan: @autoclosure () -> FeedingPlan, now: HostTime) {
        guard case .member(let feed) = stage else { return }
        defer { self.report = report }
        hasChanges = true
        // A clock exchange behind song that is on the way finds a longer one.
        let roundTrip = [roundTrip, report.timing?.roundTrip].compactMap(\.self).min()
        let returning = self.report == nil ? plan() : nil
        if let returning { feed.passOver(before: report.received, of: report.epoch, returning) }
        feed.acknowledge(report.received, of: report.epoch, roundTrip: roundTrip, now: now)
    }

    /// Notes the round trip that TCP measured when the connection was opened.
    func noteRoundTrip(_ span: TimeSpan) { roundTrip = span }

    /// Takes note of how a member is set.
    func note(_ settings: ListenerSettings) {
        self.settings = settings
        hasChanges = true
    }

    /// Notes that a member was sent the group's volume.
    /// - Returns: how often by now.
    func noteGroupVolumeSent() -> Int {
        groupVolumes.sent += 1
        return groupVolumes.sent
    }

    /// Notes that a member plays by the group's volume: by what it was sent, in order.
    /// - Returns: how often it said so by now.
    func noteGroupVolumeConfirmed() -> Int {
        groupVolumes.confirmed = min(groupVolumes.confirmed + 1, groupVolumes.sent)
        return groupVolumes.confirmed
    }

    /// Whether it says when it plays by the group's volume. A recorder never does, nor does an older release.
    var confirmsGroupVolume: Bool { groupVolumes.confirmed > 0 }

    /// Returns whether there may be something to tell of it, and counts it as told.
    func takeHasChanges() -> Bool {
        defer { hasChanges = false }
        return hasChanges
    }

    /// A member as followers are shown it.
    var listener: ProgrammeListener? {
        guard isMember, let greeting = connection.greeting else { return nil }
        return ProgrammeListener(
            instance: shownInstance, name: greeting.name, state: report?.state ?? .connecting, settings: settings,
            timing: report?.timing.map { .init(error: $0.error, bound: $0.errorBound) }, isBrowser: connection.isBrowser
        )
    }

    /// Returns what to send a member now; nil for any other stage.
    func next(_ plan: FeedingPlan, now: HostTime) -> ListenerFeed.Portion? {
        guard case .member(let feed) = stage else { return nil }
        let isLearningClock = clock.isInUse(now) && !isReady
        let portion = feed.next(
            plan, bytesInFlight: backlog.byteCount, isLearningClock: isLearningClock, now: now)
        isHeldBack = portion.isHeldBack
        return portion
    }

    /// Returns whether it was sent the properties of this epoch's stream.
    func isAnnounced(_ epoch: Epoch) -> Bool {
        guard case .member(let feed) = stage, let fed = feed.epoch else { return false }
        return fed > epoch || fed == epoch && feed.isAnnounced
    }

    /// Whether it can start exactly on time.
    var isReady: Bool {
        guard isMember, let state = report?.state else { return false }
        return state != .connecting && state != .preparing
    }

    /// How much sound its device holds and does not give back; zero while it could not start anyway.
    var irrevocable: TimeSpan { isReady ? report?.irrevocable ?? .zero : .zero }

    /// How much longer than others it takes until a command is heard there; ``BroadcastLimits/longestCommandLead`` at
    /// most, whatever it reports.
    var commandTime: TimeSpan {
        guard isReady else { return .zero }
        let longest = BroadcastLimits.longestCommandLead
        let roundTrip = min(max(.zero, report?.timing?.roundTrip ?? .zero), longest)
        return min(longest, roundTrip + irrevocable)
    }

    /// Returns whether its device holds more than commands allow for, and nobody was told yet. Counts it as told.
    func takeLateness() -> Bool {
        guard !isToldLate, irrevocable + BroadcastLimits.deviceLead > BroadcastLimits.longestCommandLead else {
            return false
        }
        isToldLate = true
        return true
    }

    /// Returns whether it has finished `epoch`.
    func hasFinished(_ epoch: Epoch) -> Bool { report.map { $0.state == .finished && $0.epoch == epoch } ?? false }

    // MARK: An observer

    /// Returns whether an observer is due a roster; false while its socket has not taken the last one.
    func isRosterDue(_ now: HostTime) -> Bool {
        guard case .observer(let last) = stage, backlog.byteCount == 0 else { return false }
        return last.map { now - $0 >= BroadcastLimits.rosterInterval } ?? true
    }

    /// Notes that an observer was sent the roster.
    func noteRoster(_ now: HostTime) { if case .observer = stage { stage = .observer(lastRoster: now) } }

    // MARK: The clock over this connection

    /// Answers a clock request; nil if it is not under this connection's key, comes too soon after the last, or comes
    /// from a listener that does not read.
    func answerClock(_ datagram: [UInt8], now: HostTime) -> ClockResponder.Reply? {
        guard backlog.byteCount < BroadcastLimits.answeredBytesInFlight else { return nil }
        return clock.answer(datagram, now: now)
    }

    /// Clock requests answered so far.
    var clockReplyCount: Int { clock.replyCount }

    // MARK: The socket

    /// Notes bytes given to the socket.
    func noteSent(_ byteCount: Int, _ now: HostTime) {
        backlog.append(byteCount, now)
        connection.noteSent(now)
    }

    /// Notes bytes that the socket took.
    /// - Returns: whether there is room for song again, as there was not before.
    func noteWritten(_ byteCount: Int, _ now: HostTime) -> Bool {
        let wasFull = backlog.byteCount >= BroadcastLimits.bytesInFlight
        backlog.remove(byteCount, now)
        return wasFull && backlog.byteCount < BroadcastLimits.bytesInFlight
    }

    /// Excludes a span in which this process did not run.
    func discount(_ span: TimeSpan, _ now: HostTime) { backlog.discount(span, now) }

    /// Whether the socket has taken most of what it was sent.
    var takesAnswers: Bool { backlog.byteCount < BroadcastLimits.answeredBytesInFlight }

    /// Whether it has taken so little that it cannot be told why it gets no answer.
    var takesNothing: Bool { backlog.byteCount >= 2 * BroadcastLimits.answeredBytesInFlight }

    /// Begins a lookup, which ends with ``endLookup()``.
    /// - Returns: false if as many go on as may.
    func beginLookup() -> Bool {
        guard lookupCount < BroadcastLimits.lookupCount else { return false }
        lookupCount += 1
        return true
    }

    func endLookup() { lookupCount -= 1 }

    /// Returns whether the socket has taken nothing for too long.
    func isStalled(_ now: HostTime) -> Bool { backlog.isStalled(now) }
}

/// One listener as its broadcast sees it, for display.
public struct ListenerView: Hashable, Sendable {
    public var name: String
    /// Nil until the first report.
    public var report: ListenerReport?
    /// Whether it lacks a decoder for the song and is sent linear PCM.
    public var isSentPCM: Bool
}
