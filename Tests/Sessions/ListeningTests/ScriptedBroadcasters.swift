import AudioCore
import ClockSync
import Households
import Listening
import NIOCore
import Peering
import Playout
import SecureChannel
import WireProtocol

/// A listener whose broadcasters, clock and sound card are played by the test.
struct ScriptedListener {
    var session: ListenSession
    var now = HostTime(nanoseconds: 9_000_000_000_000)
    /// All actions but sends, in order.
    var actions: [ListenAction] = []
    var said: [Int: Outbox] = [:]
    var closed: Set<Int> = []
    var dials: [Dialer.Dial] = []
    var notices: [ListenNotice] = []
    var outcome: ListenOutcome?

    static let rate = 8_000.0

    init(_ configure: (inout ListenConfiguration) -> Void = { _ in }) {
        var configuration = ListenConfiguration(
            greeting: Greeting(
                roles: .listener, peer: UUIDBytes(high: 1, low: 1), instance: 100, started: 0, name: "Listener"))
        configure(&configuration)
        session = ListenSession(configuration: configuration, now: now)
    }

    mutating func handle(_ event: ListenEvent) {
        for action in session.handle(event, now: now) { note(action) }
    }

    private mutating func note(_ action: ListenAction) {
        switch action {
        case .send(let id, let bytes): said[id.number, default: Outbox()].take(bytes)
        case .close(let id): closed.insert(id.number)
        case .dial(let dial): dials.append(dial)
        case .notice(let notice): notices.append(notice)
        case .finished(let outcome): self.outcome = outcome
        default: actions.append(action)
        }
    }

    mutating func wait(_ span: TimeSpan) {
        let end = now + span
        while now < end {
            now += .milliseconds(20)
            handle(.tick)
        }
    }

    // MARK: A broadcaster

    /// A broadcaster connects, greets and, unless told otherwise, welcomes.
    mutating func meet(
        _ id: Int, name: String, started: Int64 = 0, instance: UInt64? = nil, welcoming: Bool = true,
        from address: String? = nil, key: PeerKey? = nil, standing: PeerStanding = .stranger
    ) {
        handle(.opened(ConnectionID(id), .accepted, address: address ?? "10.0.0.\(id)", dial: nil))
        if let key { handle(.authenticated(ConnectionID(id), key, standing)) }
        let greeting = Greeting(
            roles: .broadcaster, peer: key?.uuid ?? UUIDBytes(high: 2, low: instance ?? UInt64(id)),
            instance: instance ?? UInt64(id),
            started: started, name: name)
        say(WireEncoder.greeting(greeting), id)
        if welcoming { welcome(id) }
    }

    mutating func say(_ bytes: ByteBuffer, _ id: Int) { handle(.received(ConnectionID(id), bytes)) }

    mutating func welcome(_ id: Int) {
        say(WireEncoder.welcome(Welcome(clockPort: 28_884, clockKey: Array(repeating: 9, count: 24))), id)
    }

    mutating func stream(_ id: Int, epoch: UInt32 = 1, from frame: Int64 = 0) {
        let format = AudioStreamFormat.linearPCM(
            sampleRate: Self.rate, channels: 1, bitsPerChannel: 16, bytesPerSample: 2, layout: [])
        say(WireEncoder.stream(Epoch(epoch), properties: [.dataFormat(format), .info(.title, "Song")]), id)
        say(
            WireEncoder.entry(EntryMark(epoch: Epoch(epoch), frame: FramePosition(frame), lostPacketCount: 0)), id)
    }

    /// One packet of 50 ms.
    mutating func packet(_ id: Int, at frame: Int64, epoch: UInt32 = 1) {
        let description = AudioPacketDescription(startOffset: 0, byteCount: 800, frameCount: 400)
        let data = [UInt8](repeating: 1, count: 800)
        say(
            WireEncoder.packets(
                Epoch(epoch), at: FramePosition(frame), descriptions: [description], data: data.span.bytes), id)
    }

    /// Frame 0 is due this long from now, on a clock that is the listener's own but for an offset of a second.
    mutating func anchor(_ id: Int, in span: TimeSpan, epoch: UInt32 = 1) {
        let session = SessionTime(nanoseconds: (now + .seconds(1) + span).nanoseconds)
        say(
            WireEncoder.anchor(
                Anchor(epoch: Epoch(epoch), frame: .zero, session: session, framesPerSecond: Self.rate)), id)
    }

    mutating func estimateClock(
        at time: HostTime? = nil, offBy error: TimeSpan = .zero, bound: TimeSpan = .microseconds(5),
        roundTrip: TimeSpan = .microseconds(80)
    ) {
        let time = time ?? now
        let mapping = ClockMapping(
            host: time, session: SessionTime(nanoseconds: (time + .seconds(1) + error).nanoseconds), skew: .zero)
        handle(
            .clock(
                ClockEstimate(
                    mapping: mapping, errorBound: bound, asymmetryLimit: roundTrip * 0.5, roundTrip: roundTrip,
                    skewBound: PartsPerMillion(1), generation: 0)))
    }

    /// The sound card is in this state, with the queue's present epoch.
    mutating func sound(_ state: PlayoutState) {
        var snapshot = PlayoutSnapshot()
        snapshot.state = state
        snapshot.epoch = session.currentEpoch
        snapshot.modelBound = .microseconds(3)
        snapshot.bufferedFrameCount = 400
        handle(.playout(snapshot))
    }

    /// Whose names are to be pinned.
    var met: [MetPeer] { actions.compactMap { if case .met(let peer) = $0 { peer } else { nil } } }

    /// How often it wanted to know what the user forgets.
    var watchCount: Int { actions.count { if case .watchPins = $0 { true } else { false } } }

    // MARK: What was asked of the queue

    var begun: [(epoch: Epoch, first: FramePosition)] {
        actions.compactMap { action in
            switch action {
            case .begin(let epoch, _, let first), .append(let epoch, _, let first): (epoch, first)
            default: nil
            }
        }
    }

    var enqueued: [FramePosition] {
        actions.compactMap { if case .enqueue(let position, _, _, _) = $0 { position } else { nil } }
    }

    var timelines: [HostTimeline] {
        actions.compactMap { if case .setTimeline(let timeline) = $0 { timeline } else { nil } }
    }

    var holdCount: Int { actions.count { if case .hold = $0 { true } else { false } } }

    var silenceCount: Int { actions.count { if case .silence = $0 { true } else { false } } }
}

/// What one connection was told.
struct Outbox: WireSink {
    private var parser = WireParser()
    var messages: [ControlMessage] = []

    mutating func take(_ bytes: ByteBuffer) {
        var parser = parser
        try? parser.parse(bytes.readableBytesSpan, into: &self)
        self.parser = parser
    }

    mutating func wireDidParse(_ message: ControlMessage) { messages.append(message) }
    mutating func streamDidParse(property: AudioStreamProperty) {}
    mutating func streamDidParse(packets descriptions: Span<AudioPacketDescription>, data: RawSpan) {}

    var states: [ListenerState] {
        messages.compactMap { if case .report(let report) = $0 { report.state } else { nil } }
    }

    var refusal: Refusal? {
        for case .refusal(let refusal) in messages { return refusal }
        return nil
    }
}
