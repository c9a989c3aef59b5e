import AudioCore
import ClockSync
import NIOCore
import Peering
import Playout
import SecureChannel
import WireProtocol

/// One listener: finds a broadcast, takes part in it to its end, and waits for the next.
///
///     idle ──a broadcaster welcomes us──▶ choosing ──one of them──▶ receiving ──all was heard──▶ idle
///
/// While idle it dials every broadcaster that it may hear, in parallel, and accepts connections; it keeps what
/// candidates send until one is chosen. ``Reception`` describes what becomes of a chosen broadcaster that is lost, and
/// ``ListenerClock`` what is known of its clock. A listener that lost its broadcaster plays out what it holds, in step,
/// and looks for it.
///
/// Owns no socket, thread, clock or sound: the shell performs the actions. The simulation runs this very code.
public struct ListenSession {
    enum Phase {
        case idle(since: HostTime)
        case choosing(deadline: HostTime)
        case receiving(Reception)
        case over
    }

    /// One connection.
    struct Link: PeerLink {
        var connection: PeerConnection
        var contact: PeerContact.Key?
        /// What a candidate sent before it was chosen.
        var pending = CandidateEvents()
        /// Whether the broadcaster has welcomed us.
        var isWelcome = false
    }

    var configuration: ListenConfiguration
    var phase: Phase
    var connections: ConnectionTable<Link>
    /// The broadcaster's clock.
    var clock = ListenerClock()
    /// The last broadcaster that was lost.
    var disconnection = Disconnection()
    /// The limit on what a recorder takes; nil for a listener with loudspeakers.
    var pace: RecordingPace?
    /// The newest epoch that the audio queue was told of.
    var lastQueueEpoch = Epoch(0)
    var playout = PlayoutSnapshot()
    /// How the loudspeakers are set; nil for a recorder.
    var settings: ListenerSettings?
    /// Whether somebody who set the loudspeakers waits for a word on how they are set, changed or not.
    var owesSettings = false
    /// Commands that somebody at this machine gave, for its own loudspeakers.
    var ownCommands: OwnCommands
    /// Whether the user was told that nothing was found, or that the listener waits for the next broadcast.
    var hasToldWaiting = false
    var actions: [ListenAction] = []
    private var noticeLimiter = NoticeLimiter<ListenNotice.Kind, ListenNotice>()

    public init(configuration: ListenConfiguration, now: HostTime) {
        self.configuration = configuration
        ownCommands = OwnCommands(name: configuration.greeting.name)
        phase = .idle(since: now)
        pace = configuration.isRecorder ? RecordingPace() : nil
        connections = ConnectionTable(
            instance: configuration.greeting.instance, peers: .broadcaster,
            allowed: AllowList(configuration.allowedNames), capacity: ListenLimits.connectionCount,
            candidates: ListenLimits.candidates)
        if let address = configuration.address { connections.dialer.update(PeerContact(address: address), now: now) }
    }

    /// Handles one event.
    /// - Returns: the actions to perform, in order.
    public mutating func handle(_ event: ListenEvent, now: HostTime) -> [ListenAction] {
        if case .over = phase { return [] }
        switch event {
        case .contact(let contact): learn(contact, now)
        case .contactLost(let key): unlearn(key, now)
        case .renamed(let name):
            configuration.greeting.name = name
            ownCommands.noteName(name)
        case .opened(let id, let direction, let address, let dial):
            opened(id, direction, address: address, dial: dial, now)
        case .dialFailed(let dial, let failure): dialFailed(dial, failure, now)
        case .authenticated(let id, let key, let standing): authenticate(id, key, standing, now)
        case .standing(let id, let standing): note(standing, of: id, now)
        case .access(let access, let standing): follow(access, broadcaster: standing, now)
        case .pins(let pins): connections.pins = pins
        case .broken(let id, let error): broke(id, error, now)
        case .received(let id, let bytes): receive(id, bytes, now)
        case .closed(let id): closed(id, now)
        case .found(let id, let finding): send(WireEncoder.finding(finding), to: id, now)
        case .clock(let estimate): learnClock(estimate, now)
        case .sentClock(let sequence, let transmit): clock.didSend(sequence: sequence, at: transmit)
        case .machineDidSleep(let span): wake(after: span, now)
        case .playout(let snapshot): notePlayout(snapshot)
        case .heardStart(let epoch): change { $0.timeline.noteStarted(epoch) }
        case .heardEnd(let epoch): change { $0.timeline.noteHeardEnd(of: epoch) }
        case .setOffset(let offset): setOffset(offset)
        case .settings(let settings): note(settings, now)
        case .ask(let message): ask(message, now)
        case .tick: break
        case .stop: stop(now)
        }
        advance(now)
        defer { actions = [] }
        return actions
    }

    private mutating func advance(_ now: HostTime) {
        if case .over = phase { return }
        superviseConnections(now)
        for dial in connections.dialer.dueDials(now) { actions.append(.dial(dial)) }
        switch phase {
        case .idle(let since):
            guard !hasToldWaiting, now - since >= ListenLimits.patience else { return }
            hasToldWaiting = true
            tell(.nothingFound(wanted: configuration.allowedNames))
        case .choosing(let deadline): if now >= deadline { choose(now) }
        case .receiving(let reception): advance(reception, now)
        case .over: break
        }
    }

    private mutating func advance(_ reception: Reception, _ now: HostTime) {
        if case .member(let id) = reception.stage {
            report(to: id, now)
            tellDroppedPackets(now)
            askClock(id, now)
            return
        }
        if disconnection.shouldReportLoss(now: now) { tellLoss(of: reception) }
        let isOver =
            isRecorder
            ? reception.isRecorded(now: now)
            : reception.isPlayedOut(clock, offset: configuration.offset, now: now)
        if isOver { endReception(now) }
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

    // MARK: For its extensions

    /// The broadcast that this listener takes part in.
    var reception: Reception? { if case .receiving(let reception) = phase { reception } else { nil } }

    /// Returns whether this connection feeds this listener.
    func isMember(of id: ConnectionID) -> Bool { reception?.stage == .member(id) }

    /// Changes the reception, if there is one.
    @discardableResult
    mutating func change<Result>(_ body: (inout Reception) -> Result) -> Result? {
        guard case .receiving(var reception) = phase else { return nil }
        // Held once only, so that what it contains is changed in place.
        phase = .over
        defer { phase = .receiving(reception) }
        return body(&reception)
    }

    mutating func send(_ bytes: ByteBuffer, to id: ConnectionID, _ now: HostTime) {
        connections.noteSent(id, now: now)
        actions.append(.send(id, bytes))
    }

    mutating func tell(_ notice: ListenNotice) { actions.append(.notice(notice)) }

    /// Tells only once what every further try would cause again.
    /// - Parameter address: address of the peer that causes it; empty for the broadcaster, or where no peer does.
    mutating func tellOnce(_ notice: ListenNotice, from address: String = "") {
        if noticeLimiter.isNew(notice, notice.kind, from: address) { tell(notice) }
    }

    // MARK: For display

    /// Name of the broadcaster that feeds this listener.
    public var broadcasterName: String? { reception?.broadcaster.name }

    /// The key that it has proved to have; nil for this machine's own broadcast.
    public var broadcasterKey: PeerKey? { reception?.key }

    /// Whether the broadcast goes into a file.
    public var isRecorder: Bool { configuration.isRecorder }

    /// Instance of the broadcaster.
    public var broadcasterInstance: UInt64? { reception?.broadcaster.instance }

    /// Whether a broadcaster is connected that sends packets.
    public var isFed: Bool { if case .member = reception?.stage { true } else { false } }

    /// Returns the frame that is due now, within what was received; frame 0 before the start. For a recorder: the frame
    /// after the last one received.
    public func duePosition(_ now: HostTime) -> FramePosition {
        guard let timeline = reception?.timeline else { return .zero }
        if isRecorder { return timeline.newest?.received ?? .zero }
        guard let heard = timeline.heard, let clock = clock.estimate else { return .zero }
        return heard.due(at: clock.mapping.session(at: now)) ?? .zero
    }

    /// Returns the broadcaster's clock reading at `now`, as estimated by UDP or over the connection.
    public func sessionTime(at now: HostTime) -> SessionTime? { clock.estimate?.mapping.session(at: now) }

    /// The epoch that packets are enqueued for, by this listener's own numbers.
    public var currentEpoch: Epoch? { reception?.timeline.newest?.queueEpoch }

    /// Whether the broadcast is paused, or stopped for now.
    public var isPaused: Bool { reception?.timeline.newest?.cut != nil }

    /// The stream that is heard, or will be heard next.
    public var summary: AudioStreamSummary? { reception?.summary }

    /// The title of what plays after the present song; nil if nothing does, or the broadcaster does not say.
    public var nextTitle: String? { reception?.nextTitle }

    /// In which order the broadcast's items follow one another; nil while this listener is in no broadcast.
    public var modes: PlayModes? { reception?.modes }

    /// When a report is due that does not wait for a tick: the broadcaster may hold song back until then. Nil if there
    /// is none.
    public var awaitedReport: HostTime? { isFed ? reception?.reports.awaited : nil }

    /// Returns what this listener would report now; nil while it is in no broadcast.
    public func currentReport(_ now: HostTime) -> ListenerReport? {
        isRecorder ? reception?.recorderReport : reception?.report(playout, clock: clock.estimate, now: now)
    }
}
