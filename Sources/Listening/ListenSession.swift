import AudioCore
import ClockSync
import NIOCore
import Peering
import Playout
import WireProtocol

/// One listener: finds a broadcast, takes part in it to its end, and waits for the next.
///
///     idle ──a broadcaster welcomes us──▶ choosing ──the oldest──▶ member ──end was told──▶ draining ──heard──▶ idle
///                                                                └──lost──▶ orphaned ──returned──▶ member
///
/// While idle it dials every broadcaster that it may hear, in parallel, and lets itself be dialled; what candidates
/// say is kept until one is chosen. An orphan plays out what it holds, in step, and looks for its broadcaster.
///
/// Owns no socket, thread, clock or sound: the shell performs the actions. The simulation runs this very code.
public struct ListenSession {
    enum Phase: Equatable {
        case idle(since: HostTime)
        case choosing(deadline: HostTime)
        case member(ConnectionID)
        /// The broadcaster said that it is over: what is held is played out.
        case draining(since: HostTime)
        /// The broadcaster is gone without a word.
        case orphaned(since: HostTime)
        case over
    }

    /// One connection.
    struct Link: PeerLink {
        var connection: PeerConnection
        var contact: PeerContact.Key?
        /// What a candidate said before it was chosen.
        var pending: [PeerEvent] = []
        var pendingByteCount = 0
        /// Whether the clock exchange of this connection was begun.
        var hasClock = false
        /// Whether the broadcaster would feed us.
        var isWelcome = false
    }

    var configuration: ListenConfiguration
    var phase: Phase
    var connections: ConnectionTable<Link>
    var reception: Reception?
    /// Newest of the epochs that the audio queue was told of.
    var lastQueueEpoch = Epoch(0)
    var clock: ClockEstimate?
    /// The broadcaster that was lost last, and when; nil once a broadcast was joined.
    var missed: (broadcaster: Greeting, since: HostTime, isTold: Bool)?
    /// How far its song had come by then; nil once it was said how much is missing since.
    var brokenOff: BrokenReception?
    /// How fast the clock ran that was known last, and whose it was.
    var knownRate: (peer: UUIDBytes, prior: SkewPrior)?
    /// The clock that was known last, and whose it was; void once this machine slept.
    var knownClock: (peer: UUIDBytes, estimate: ClockEstimate)?
    /// The same, from before the exchange under way, until that knows it better.
    var clockBefore: ClockEstimate?
    /// Of the exchange under way; until it is over an older exchange's estimate goes on.
    var clockProbation = ClockProbation()
    /// The other way to ask, where UDP does not get through.
    var streamClock: StreamClock?
    /// Whether ``clock`` came that way.
    var isClockFromStream = false
    /// When this machine woke, while the broadcaster's time is not known again.
    var woken: HostTime?
    var playout = PlayoutSnapshot()
    var lastReport: (sent: HostTime, state: ListenerState, received: FramePosition)?
    var hasToldPatience = false
    var said = SaidLines<SaidKind, String>()
    var actions: [ListenAction] = []

    public init(configuration: ListenConfiguration, now: HostTime) {
        self.configuration = configuration
        phase = .idle(since: now)
        connections = ConnectionTable(
            instance: configuration.greeting.instance, peers: .broadcaster,
            allowed: AllowList(configuration.allowedNames), capacity: ListenLimits.connectionCount,
            candidates: ListenLimits.candidates)
        if let address = configuration.address { connections.dialer.update(PeerContact(address: address), now: now) }
    }

    /// Takes one event; returns what is to be done about it, in order.
    public mutating func handle(_ event: ListenEvent, now: HostTime) -> [ListenAction] {
        guard phase != .over else { return [] }
        switch event {
        case .contact(let contact): learn(contact, now)
        case .contactLost(let key): unlearn(key, now)
        case .renamed(let name): configuration.greeting.name = name
        case .opened(let id, let direction, let address, let dial):
            opened(id, direction, address: address, dial: dial, now)
        case .dialFailed(let dial, let failure): dialFailed(dial, failure, now)
        case .received(let id, let bytes): receive(id, bytes, now)
        case .closed(let id): closed(id, now)
        case .clock(let estimate): learnClock(estimate, now)
        case .sentClock(let sequence, let transmit): streamClock?.didSend(sequence: sequence, at: transmit)
        case .machineDidSleep(let span): wake(after: span, now)
        case .playout(let snapshot): notePlayout(snapshot)
        case .heardEnd(let epoch): if reception?.queueEpoch == epoch { reception?.heardEnd = true }
        case .tick: break
        case .stop: stop(now)
        }
        advance(now)
        defer { actions = [] }
        return actions
    }

    private mutating func advance(_ now: HostTime) {
        guard phase != .over else { return }
        superviseConnections(now)
        for dial in connections.dialer.due(now) { actions.append(.dial(dial)) }
        switch phase {
        case .idle(let since): beImpatient(since, now)
        case .choosing(let deadline): if now >= deadline { choose(now) }
        case .member(let id):
            report(to: id, now)
            tellLoss(now)
            askClock(id, now)
        case .draining(let since), .orphaned(let since):
            tellBelatedLoss(now)
            if isPlayedOut(since: since, now) { endReception(now) }
        case .over: break
        }
    }

    private mutating func beImpatient(_ since: HostTime, _ now: HostTime) {
        guard !hasToldPatience, now - since >= ListenLimits.patience else { return }
        hasToldPatience = true
        let wanted = configuration.allowedNames
        let text =
            wanted.isEmpty
            ? "no broadcast found yet; waiting for one (start one with: tutti broadcast SONG)"
            : "no broadcast named \(wanted.joined(separator: " or ")) found yet; waiting (tutti peers lists who is there)"
        actions.append(.notice(.info, text))
    }

    private mutating func stop(_ now: HostTime) {
        actions.append(.silence(fade: ListenLimits.stopFade))
        for id in connections.ids {
            send(WireEncoder.refusal(Refusal(.leaving, "the listener stopped")), to: id, now)
            actions.append(.close(id))
        }
        endClock()
        phase = .over
        actions.append(.finished(.stopped))
    }

    // MARK: For display

    /// Name of the broadcaster that feeds this listener.
    public var broadcasterName: String? { reception?.broadcaster.name }

    /// Whether what is received goes into a file.
    public var isRecorder: Bool { configuration.isRecorder }

    /// The broadcaster's process.
    public var broadcasterInstance: UInt64? { reception?.broadcaster.instance }

    /// Whether a broadcaster is there to send packets.
    public var isFed: Bool { if case .member = phase { true } else { false } }

    /// The frame that is due now, within what was received; frame 0 before the start. Of a recorder: what was received.
    public func duePosition(_ now: HostTime) -> FramePosition {
        if isRecorder { return reception?.received ?? .zero }
        guard let reception, let anchor = reception.anchor, let clock else { return .zero }
        let due = anchor.position(at: clock.mapping.session(at: now))
        return max(.zero, min(FramePosition(Int64(saturating: due.frames)), reception.end ?? reception.received))
    }

    /// What the broadcaster's clock reads now, as far as this listener knows, by UDP or over the connection.
    public func sessionTime(at now: HostTime) -> SessionTime? { clock?.mapping.session(at: now) }

    /// The epoch that packets are enqueued for.
    public var currentEpoch: Epoch? { reception?.queueEpoch }

    /// The stream that is received.
    public var summary: AudioStreamSummary? { reception?.summary }

    /// What this listener tells its broadcaster now; nil while it is in no broadcast.
    public func currentReport(_ now: HostTime) -> ListenerReport? {
        isRecorder ? reception?.recorderReport : reception?.report(playout, clock: clock, now: now)
    }
}
