import AudioCore
import ClockSync
import Listening
import NIOCore
import Peering
import Playout
import WireProtocol

/// A real listener, whose broadcasters, clock and sound card are played by the fuzzer.
struct ListenStage {
    /// What a broadcaster that has the key says of its clock.
    enum Replies: Equatable {
        case none
        case honest
        case off(TimeSpan)
    }

    static let start = HostTime(nanoseconds: 9_000_000_000_000)
    static let tick = TimeSpan.milliseconds(20)
    static let offset = TimeSpan.seconds(7)

    private(set) var session: ListenSession
    private(set) var now = start
    private(set) var outcome: ListenOutcome?
    private(set) var violation: String?
    /// Who is connected, and reads what the listener says.
    private(set) var broadcasters: [ConnectionID: PeerConnection] = [:]
    private(set) var dials: [Dialer.Dial] = []
    /// Of the connections that it reports to: how often.
    private(set) var reportCounts: [ConnectionID: Int] = [:]
    private(set) var begunCount = 0
    private(set) var enqueuedByteCount = 0
    var replies = Replies.none
    var repliesToStream = Replies.none
    private var clock: ClockClient?
    private var lastEpoch = Epoch(0)
    private var events: [ListenEvent] = []
    private var nextConnection = 0

    init(_ configure: (inout ListenConfiguration) -> Void) {
        var configuration = ListenConfiguration(
            greeting: WireSeeds.greeting(.listener, instance: 0x600D_600D_600D_600D, name: "Listener"))
        configure(&configuration)
        session = ListenSession(configuration: configuration, now: Self.start)
    }

    var elapsed: TimeSpan { now - Self.start }

    // MARK: Time

    mutating func advance(ticks: Int, by span: TimeSpan = tick) {
        for _ in 0..<ticks where outcome == nil && violation == nil {
            now += span
            handle(.tick)
            askByDatagram()
        }
    }

    private mutating func askByDatagram() {
        guard let request = clock?.poll(now: now), let reply = reply(to: request.bytes, replies),
            clock?.receive(reply, at: now + .microseconds(200)) == .updated, let estimate = clock?.estimate
        else { return }
        violation = violation ?? estimate.violation
        handle(.clock(estimate))
    }

    /// What a broadcaster with this key answers.
    private func reply(to request: [UInt8], _ replies: Replies) -> [UInt8]? {
        guard replies != .none, let request = ClockDatagram(request, under: ListenRun.key) else { return nil }
        var reply = ClockDatagram(
            kind: .reply, keyIdentifier: request.keyIdentifier, sequence: request.sequence, cookie: request.cookie)
        reply.receive = SessionTime(nanoseconds: now.nanoseconds) + Self.offset
        if case .off(let span) = replies { reply.receive = reply.receive + span }
        reply.transmit = reply.receive
        return reply.encoded(under: ListenRun.key)
    }

    // MARK: Broadcasters and the machine

    mutating func open(_ direction: PeerConnection.Direction, dial: Dialer.Dial? = nil) -> ConnectionID {
        let id = ConnectionID(nextConnection)
        nextConnection += 1
        broadcasters[id] = PeerConnection(direction: direction, address: "", now: now)
        handle(.opened(id, direction, address: "10.0.0.\(id.number)", dial: dial))
        return id
    }

    mutating func receive(_ id: ConnectionID, _ bytes: ByteBuffer) { handle(.received(id, bytes)) }

    mutating func close(_ id: ConnectionID) {
        broadcasters[id] = nil
        handle(.closed(id))
    }

    mutating func know(_ contact: PeerContact) { handle(.contact(contact)) }

    mutating func forget(_ key: PeerContact.Key) { handle(.contactLost(key)) }

    mutating func answerDial(connecting: Bool) -> ConnectionID? {
        guard !dials.isEmpty else { return nil }
        let dial = dials.removeFirst()
        guard connecting else {
            handle(.dialFailed(dial, .unanswered))
            return nil
        }
        return open(.dialed, dial: dial)
    }

    mutating func sleep(_ span: TimeSpan) { handle(.machineDidSleep(for: span)) }

    mutating func hearEnd() { if let epoch = session.currentEpoch { handle(.heardEnd(epoch)) } }

    /// The renderer does this with what it has.
    mutating func play(_ state: PlayoutState) {
        var snapshot = PlayoutSnapshot()
        snapshot.state = state
        snapshot.epoch = session.currentEpoch
        snapshot.modelBound = .microseconds(10)
        snapshot.bufferedFrameCount = 4_000
        snapshot.newestPosition = FractionalFramePosition(session.duePosition(now))
        snapshot.newestHost = now
        snapshot.framesPerSecond = 8_000
        handle(.playout(snapshot))
    }

    // MARK: The session

    private mutating func handle(_ event: ListenEvent) {
        events.append(event)
        while !events.isEmpty, outcome == nil, violation == nil {
            let event = events.removeFirst()
            let actions = session.handle(event, now: now)
            let byteCount = if case .received(_, let bytes) = event { bytes.readableBytes } else { 0 }
            // What a candidate said is told at once when it is chosen.
            let most = 200 + 50 * broadcasters.count + byteCount / 6 + 2 * ListenLimits.pendingEventCount
            if actions.count > most { violation = "\(actions.count) actions at once" }
            for action in actions { perform(action) }
            // For display, at any time.
            _ = (session.duePosition(now), session.currentReport(now), session.sessionTime(at: now))
        }
    }

    private mutating func perform(_ action: ListenAction) {
        switch action {
        case .dial(let dial): dials.append(dial)
        case .send(let id, let bytes): deliver(bytes, to: id)
        case .close(let id), .abort(let id): broadcasters[id] = nil
        case .startClock(_, _, let key, _, let prior):
            clock = ClockClient(key: key, prior: prior ?? .unknown, seed: 1)
        case .stopClock: clock = nil
        case .restartClock: clock?.startAnew(now: now)
        case .sendClock(let id, let request):
            deliver(WireEncoder.clock(request.bytes), to: id)
            events.append(.sentClock(sequence: request.sequence, at: now))
            if let reply = reply(to: request.bytes, repliesToStream) {
                events.append(.received(id, WireEncoder.clock(reply)))
            }
        case .begin(let epoch, let summary, _), .append(let epoch, let summary, _): begin(epoch, summary)
        case .enqueue(_, let packets, let data, _):
            enqueuedByteCount += data.readableBytes
            if begunCount == 0 { violation = "packets of nothing" }
            if packets.contains(where: { $0.startOffset + $0.byteCount > data.readableBytes }) {
                violation = "packets \(packets) in \(data.readableBytes) bytes"
            }
        case .setTimeline(let timeline):
            let rate = timeline.framesPerSecond
            if !rate.isFinite || rate <= 0 { violation = "timeline \(timeline)" }
        case .lookUp(let id, let lookup):
            events.append(.found(id, Finding(id: lookup.id, .nothing(reason: ""))))
        case .finished(let outcome): self.outcome = outcome
        case .reenter, .finish, .cut, .resume, .drop, .hold, .silence, .broadcasterChanged, .notice, .set,
            .setGroupVolume, .answer, .household, .met, .watchPins:
            break
        }
    }

    private mutating func begin(_ epoch: Epoch, _ summary: AudioStreamSummary) {
        begunCount += 1
        if epoch <= lastEpoch { violation = "\(epoch) after \(lastEpoch)" }
        if !summary.isReady { violation = "it begins what is not ready" }
        lastEpoch = epoch
    }

    private mutating func deliver(_ bytes: ByteBuffer, to id: ConnectionID) {
        do throws(WireError) {
            for event in try broadcasters[id]?.receive(bytes, now: now) ?? [] {
                if case .message(.report) = event { reportCounts[id, default: 0] += 1 }
            }
        } catch {
            violation = "it says what nobody understands: \(error)"
        }
    }
}
