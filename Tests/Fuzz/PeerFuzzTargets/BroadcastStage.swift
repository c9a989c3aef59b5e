import AudioCore
import Broadcasting
import ClockSync
import NIOCore
import Peering
import Programmes
import WireProtocol

/// A real broadcast of four seconds of song, whose listeners, time and song are played by the fuzzer: one honest
/// listener, and whoever else connects.
struct BroadcastStage {
    /// What the input chooses; everything else is the same in all runs.
    struct Setting: Hashable {
        var startsAtOnce: Bool
        var isForHonestOne: Bool

        static let all = [
            Setting(startsAtOnce: true, isForHonestOne: false), Setting(startsAtOnce: true, isForHonestOne: true),
            Setting(startsAtOnce: false, isForHonestOne: false), Setting(startsAtOnce: false, isForHonestOne: true),
        ]
    }

    /// One of those who are not honest.
    struct Stranger {
        var key: ClockKey
        var unread = 0
        var sequence: UInt32 = 0
        /// Reads what it is sent.
        var connection: PeerConnection
    }

    static let start = HostTime(nanoseconds: 10_000_000_000_000)
    static let tick = TimeSpan.milliseconds(20)
    private static let packetCount = 56
    private static let source = WireSeeds.format

    let setting: Setting
    private(set) var session: BroadcastSession
    private(set) var now = start
    private(set) var outcome: BroadcastOutcome?
    private(set) var violation: String?
    private(set) var honest: HonestListener
    private(set) var strangers: [ConnectionID: Stranger] = [:]
    /// Dials that wait for their answer.
    private(set) var dials: [Dialer.Dial] = []
    private var events: [BroadcastEvent] = []
    private var nextPacket = 0
    private var nextConnection = 1

    init(_ setting: Setting) {
        self.setting = setting
        var configuration = BroadcastConfiguration(
            greeting: WireSeeds.greeting(.broadcaster, instance: 0x1234_5678_9ABC_DEF0, name: "Broadcaster"),
            clockPort: 28_884)
        configuration.acceptsSongs = true
        configuration.start = setting.startsAtOnce ? .now : .whenReady(listeners: 1)
        if setting.isForHonestOne { configuration.allowedNames = [HonestListener.name] }
        configuration.decodableCodecs = [.mpegLayer3]
        _ = try? configuration.programme.insert([NewItem(.local("/song.mp3"), title: "Song")], at: 0)
        _ = try? configuration.programme.apply(.play)
        session = BroadcastSession(configuration: configuration)
        honest = HonestListener(now: now)
        handle(.opened(HonestListener.id, .accepted, address: "10.0.0.1", dial: nil, key: Self.key(0)))
        handle(.received(HonestListener.id, WireEncoder.greeting(HonestListener.greeting)))
    }

    var elapsed: TimeSpan { now - Self.start }

    private static func key(_ number: Int) -> ClockKey {
        ClockKey(identifier: UInt64(number), secret0: 1, secret1: UInt64(number))
    }

    // MARK: Time

    mutating func advance(ticks: Int) {
        for _ in 0..<ticks where outcome == nil && violation == nil {
            now += Self.tick
            handle(.tick)
            for message in honest.say(now: now) { handle(.received(HonestListener.id, message)) }
        }
    }

    // MARK: Strangers

    mutating func open(_ direction: PeerConnection.Direction, dial: Dialer.Dial? = nil) -> ConnectionID {
        let id = ConnectionID(nextConnection)
        let connection = PeerConnection(direction: direction, address: "", now: now)
        strangers[id] = Stranger(key: Self.key(nextConnection), connection: connection)
        nextConnection += 1
        handle(.opened(id, direction, address: "10.0.0.\(id.number + 1)", dial: dial, key: Self.key(id.number)))
        return id
    }

    mutating func receive(_ id: ConnectionID, _ bytes: ByteBuffer) { handle(.received(id, bytes)) }

    mutating func close(_ id: ConnectionID) {
        strangers[id] = nil
        handle(.closed(id))
    }

    /// The stranger's socket takes so much of what it was sent.
    mutating func read(_ id: ConnectionID, _ byteCount: Int) {
        guard let unread = strangers[id]?.unread, unread > 0 else { return }
        let taken = min(unread, byteCount)
        strangers[id]?.unread -= taken
        handle(.wrote(id, byteCount: taken))
    }

    /// A clock request that bears the right tag.
    mutating func askClock(_ id: ConnectionID, sequence: UInt32? = nil) {
        guard let stranger = strangers[id] else { return }
        let number = sequence ?? stranger.sequence &+ 1
        strangers[id]?.sequence = number
        let request = ClockDatagram(
            kind: .request, keyIdentifier: stranger.key.identifier, sequence: number, cookie: 5)
        handle(.received(id, WireEncoder.clock(request.encoded(under: stranger.key))))
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

    // MARK: The session

    private mutating func handle(_ event: BroadcastEvent) {
        events.append(event)
        while !events.isEmpty, outcome == nil, violation == nil {
            let event = events.removeFirst()
            let actions = session.handle(event, now: now)
            if actions.count > mostActions(event) { violation = "\(actions.count) actions at once" }
            for action in actions { perform(action) }
        }
    }

    /// A message is six bytes at least; what nobody asked for is a few things for each connection.
    private func mostActions(_ event: BroadcastEvent) -> Int {
        let byteCount = if case .received(_, let bytes) = event { bytes.readableBytes } else { 0 }
        return 200 + 50 * strangers.count + byteCount / 6
    }

    private mutating func perform(_ action: BroadcastAction) {
        switch action {
        case .dial(let dial): dials.append(dial)
        case .send(let id, let bytes): deliver(bytes, to: id)
        case .sendShared(let id, let shared): for bytes in shared.messages { deliver(bytes, to: id) }
        case .sendClock(let id, let reply):
            if strangers[id]?.unread ?? 0 >= BroadcastLimits.answeredBytesInFlight {
                violation = "who does not read is answered"
            }
            deliver(WireEncoder.clock(reply.bytes(transmit: SessionTime(nanoseconds: now.nanoseconds))), to: id)
        case .close(let id):
            if id == HonestListener.id { honest.isClosed = true } else { strangers[id] = nil }
        case .openSource, .closeSource, .answer, .closeSpool: break
        case .openSpool(let offer): events.append(.spool(offer.id, .opened(SentSongID(1))))
        case .writeSpool(let bytes): events.append(.spool(bytes.id, .wrote(bytes.bytes.readableBytes)))
        case .describe(let item, _): events.append(.described(item, WireSeeds.description))
        case .lookUp(let id, let lookup, _):
            let whole = WireLimits.findingPartByteCount
            guard lookup.offset < whole else {
                return events.append(.found(id, Finding(id: lookup.id, .nothing(reason: ""))))
            }
            let part = ByteBuffer(repeating: 1, count: whole - lookup.offset)
            events.append(
                .found(id, Finding(id: lookup.id, .part(ofByteCount: whole, offset: lookup.offset, bytes: part))))
        case .readSource(let epoch): events.append(.source(epoch, read()))
        case .transcode(let request):
            let frameCount = request.packets.reduce(0) { $0 + $1.frameCount }
            let first = max(request.firstFrame, request.position)
            let wanted = min(max(0, request.position + Int64(frameCount) - first), Int64(frameCount))
            let samples = ByteBuffer(repeating: 0, count: Int(wanted) * request.target.bytesPerFrame)
            events.append(
                .transcoded(TranscodingReply(rendition: request.rendition, outcome: .frames(samples, at: first))))
        case .finished(let outcome): self.outcome = outcome
        case .addKey, .removeKey, .endTranscoding, .changed, .notice, .household, .met, .watchPins: break
        }
    }

    private mutating func deliver(_ bytes: ByteBuffer, to id: ConnectionID) {
        do throws(WireError) {
            if id == HonestListener.id {
                try honest.receive(bytes, now: now)
                events.append(.wrote(id, byteCount: bytes.readableBytes))
            } else {
                _ = try strangers[id]?.connection.receive(bytes, now: now)
                strangers[id]?.unread += bytes.readableBytes
                noteUnread(id)
            }
        } catch {
            violation = "it says what nobody understands: \(error)"
        }
    }

    /// What waits for one that does not read: the limit, the message that went beyond it, and the small ones that do
    /// not wait.
    private mutating func noteUnread(_ id: ConnectionID) {
        guard let unread = strangers[id]?.unread else { return }
        if unread > BroadcastLimits.answeredBytesInFlight + 16 * 1024 {
            violation = "\(unread) bytes on their way to one"
        }
    }

    /// The song: its properties, then a second of packets at a time.
    private mutating func read() -> SourceEvent {
        guard nextPacket < Self.packetCount else { return .ended(.nothing) }
        let count = min(14, Self.packetCount - nextPacket)
        let data = (0..<count * 16).map { UInt8(truncatingIfNeeded: nextPacket + $0) }
        let packets = (0..<count).map {
            AudioPacketDescription(startOffset: $0 * 16, byteCount: 16, frameCount: 576)
        }
        let isFirst = nextPacket == 0
        nextPacket += count
        return .read(
            properties: isFirst ? WireSeeds.properties + [.readyToProducePackets] : [], packets: packets,
            data: ByteBuffer(bytes: data))
    }
}
