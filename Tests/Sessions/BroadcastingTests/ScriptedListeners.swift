import AudioCore
import Broadcasting
import ClockSync
import Households
import NIOCore
import Peering
import Programmes
import SecureChannel
import WireProtocol

/// A broadcast whose listeners, source and clock are played by the test.
struct ScriptedBroadcast {
    var session: BroadcastSession
    var now = HostTime(nanoseconds: 5_000_000_000_000)
    /// What each connection was sent.
    var heard: [Int: Inbox] = [:]
    /// What of that was sent to others, too.
    var shared: [Int: [SharedMessages]] = [:]
    var closed: Set<Int> = []
    var dials: [Dialer.Dial] = []
    var notices: [BroadcastNotice] = []
    var outcome: BroadcastOutcome?
    var keys: Set<ClockKey> = []
    /// What listeners said last of themselves.
    private var states: [Int: ListenerState] = [:]
    /// What they say of their way and their device.
    var roundTrips: [Int: TimeSpan] = [:]
    var irrevocable: [Int: TimeSpan] = [:]
    private var acknowledged: [Int: FramePosition] = [:]
    var readCount = 0
    var opened: [SourceRequest] = []
    var closedSources: [Epoch] = []
    var outcomes: [CommandOutcome] = []
    /// Songs that others send: for which there is to be room, what came of them, and which are forgotten.
    var offers: [SongOffer] = []
    var spooled: [SongBytes] = []
    var closedSpools: [CommandID] = []
    /// What was looked up, about items from where.
    var lookups: [(lookup: Lookup, item: ItemLocation?)] = []
    /// Which songs were asked what they are called, and where they are.
    var described: [(item: ItemID, location: ItemLocation)] = []
    /// What it wants decoded and has no answer to, and how often it wanted no more.
    var requests: [TranscodingRequest] = []
    /// Whose names it wants pinned, and how often it wants to know what the user forgets.
    var met: [MetPeer] = []
    /// Sizes of the documents of households that came, by connection.
    var documents: [Int: Int] = [:]
    var watchCount = 0
    var transcodingEndCount = 0

    static let greeting = Greeting(
        roles: .broadcaster, peer: UUIDBytes(high: 1, low: 1), instance: 100, started: 0, name: "Broadcaster")
    static let rate = 8_000.0

    init(_ configure: (inout BroadcastConfiguration) -> Void = { _ in }) {
        var configuration = BroadcastConfiguration(greeting: Self.greeting, clockPort: 28_884)
        configure(&configuration)
        if configuration.programme.itemCount == 0, !configuration.staysIdle {
            configuration.programme = Self.programme(["untitled"])
        }
        session = BroadcastSession(configuration: configuration)
        // Opens the first song.
        handle(.tick)
    }

    /// A programme of these songs, which begins with the first one.
    static func programme(_ titles: [String]) -> Programme {
        var programme = Programme(seed: 1)
        _ = try? programme.insert(titles.map { NewItem(.local("/\($0)"), title: $0) }, at: 0)
        _ = try? programme.apply(.play)
        return programme
    }

    /// Reports what the source of the first song, or of another one, brings.
    mutating func source(_ event: SourceEvent, of epoch: Epoch = Epoch(1)) { handle(.source(epoch, event)) }

    mutating func handle(_ event: BroadcastEvent) {
        for action in session.handle(event, now: now) { note(action) }
    }

    private mutating func note(_ action: BroadcastAction) {
        switch action {
        case .dial(let dial): dials.append(dial)
        case .send(let id, let bytes): heard[id.number, default: Inbox()].take(bytes)
        case .sendShared(let id, let shared):
            self.shared[id.number, default: []].append(shared)
            for bytes in shared.messages { heard[id.number, default: Inbox()].take(bytes) }
        case .sendClock(let id, let reply):
            let transmit = SessionTime(nanoseconds: now.nanoseconds)
            heard[id.number, default: Inbox()].take(WireEncoder.clock(reply.bytes(transmit: transmit)))
        case .close(let id): closed.insert(id.number)
        case .addKey(let key): keys.insert(key)
        case .removeKey(let key): keys.remove(key)
        case .openSource(let request): opened.append(request)
        case .readSource: readCount += 1
        case .closeSource(let epoch): closedSources.append(epoch)
        case .answer(let outcome, _): outcomes.append(outcome)
        case .openSpool(let offer): offers.append(offer)
        case .writeSpool(let bytes): spooled.append(bytes)
        case .closeSpool(let id): closedSpools.append(id)
        case .lookUp(_, let lookup, let item): lookups.append((lookup, item))
        case .describe(let item, let location): described.append((item, location))
        case .transcode(let request): requests.append(request)
        case .endTranscoding: transcodingEndCount += 1
        case .household(let id, let document): documents[id.number] = document.readableBytes
        case .met(let peer): met.append(peer)
        case .watchPins: watchCount += 1
        case .changed: break
        case .notice(let notice): notices.append(notice)
        case .finished(let outcome): self.outcome = outcome
        }
    }

    /// Lets time pass, tick by tick.
    mutating func wait(_ span: TimeSpan) {
        let end = now + span
        while now < end {
            now += .milliseconds(20)
            handle(.tick)
        }
    }

    /// As ``wait(_:)``, while these listeners say that they live.
    mutating func wait(_ span: TimeSpan, hearingFrom ids: [Int]) {
        let end = now + span
        while now < end {
            for id in ids { say(WireEncoder.keepAlive(), id) }
            wait(.milliseconds(500))
        }
    }

    // MARK: The source

    /// Gives seconds of song in packets of 50 ms, 20 packets at a time.
    mutating func give(
        seconds: Int, of epoch: Epoch = Epoch(1), preroll: Int = 0, priming: Int = 0, properties: Bool = true,
        format: AudioStreamFormat = .linearPCM(
            sampleRate: Self.rate, channels: 1, bitsPerChannel: 16, bytesPerSample: 2, layout: [])
    ) {
        var summary: [AudioStreamProperty] = []
        if properties {
            summary = [
                .dataFormat(format),
                .packetTableInfo(
                    AudioPacketTableInfo(
                        validFrameCount: nil, primingFrameCount: priming, remainderFrameCount: 0)),
                .decoderPrerollPacketCount(preroll), .info(.title, "Song"), .readyToProducePackets,
            ]
        }
        for second in 0..<seconds {
            let packets = (0..<20).map {
                AudioPacketDescription(startOffset: $0 * 800, byteCount: 800, frameCount: 400)
            }
            let data = ByteBuffer(repeating: 7, count: 16_000)
            source(.read(properties: second == 0 ? summary : [], packets: packets, data: data), of: epoch)
        }
    }

    /// A song that not everybody decodes.
    static let mp3 = AudioStreamFormat(
        codec: .mpegLayer3, sampleRate: rate, framesPerPacket: 400, channelsPerFrame: 1)

    /// Decodes what is wanted, request by request: each sample is its frame's number, modulo 2^16.
    mutating func transcode(atMost count: Int = .max) {
        var left = count
        while left > 0, !requests.isEmpty {
            left -= 1
            answer(requests.removeFirst())
        }
    }

    mutating func answer(_ request: TranscodingRequest) {
        let end = request.packets.reduce(request.position) { $0 + Int64($1.frameCount) }
        let first = max(request.firstFrame, request.position)
        var data = ByteBuffer()
        var frame = first
        while frame < end {
            data.writeInteger(Int16(truncatingIfNeeded: frame.index), endianness: .little)
            data.writeRepeatingByte(0, count: request.target.bytesPerFrame - 2)
            frame += 1
        }
        handle(.transcoded(TranscodingReply(rendition: request.rendition, outcome: .frames(data, at: first))))
    }

    // MARK: Listeners

    /// A listener calls, and greets.
    mutating func join(
        _ id: Int, name: String? = nil, roles: PeerRoles = .listener, instance: UInt64? = nil,
        codecs: [Codec] = [.linearPCM], direction: PeerConnection.Direction = .accepted, key: PeerKey? = nil,
        standing: PeerStanding = .stranger
    ) {
        open(id, direction)
        if let key { handle(.authenticated(ConnectionID(id), key, standing)) }
        greet(id, name: name, roles: roles, peer: key?.uuid, instance: instance, codecs: codecs)
    }

    mutating func open(_ id: Int, _ direction: PeerConnection.Direction, dial: Dialer.Dial? = nil) {
        let key = ClockKey(identifier: UInt64(id), secret0: 1, secret1: 2)
        handle(.opened(ConnectionID(id), direction, address: "10.0.0.\(id)", dial: dial, key: key))
    }

    mutating func greet(
        _ id: Int, name: String? = nil, roles: PeerRoles = .listener, peer: UUIDBytes? = nil, instance: UInt64? = nil,
        codecs: [Codec] = [.linearPCM]
    ) {
        let greeting = Greeting(
            roles: roles, peer: peer ?? UUIDBytes(high: 2, low: UInt64(id)), instance: instance ?? UInt64(id),
            started: 0, name: name ?? "Listener \(id)", codecs: codecs)
        say(WireEncoder.greeting(greeting), id)
    }

    mutating func say(_ bytes: ByteBuffer, _ id: Int) { handle(.received(ConnectionID(id), bytes)) }

    mutating func report(_ state: ListenerState, _ id: Int, received: FramePosition? = nil) {
        let received = received ?? heard[id]?.end ?? .zero
        states[id] = state
        acknowledged[id] = received
        let epoch = heard[id]?.entries.last?.epoch ?? Epoch(1)
        var report = ListenerReport(state: state, epoch: epoch, received: received, buffered: .seconds(1))
        if let roundTrip = roundTrips[id] {
            report.timing = .exact
            report.timing?.roundTrip = roundTrip
        }
        report.irrevocable = irrevocable[id] ?? .zero
        say(WireEncoder.report(report), id)
    }

    /// A listener takes all that it is sent, and says so.
    mutating func drain(_ id: Int) {
        while let count = heard[id]?.unread, count > 0 {
            heard[id]?.unread = 0
            handle(.wrote(ConnectionID(id), byteCount: count))
            guard let end = heard[id]?.end, end > acknowledged[id, default: .zero] else { continue }
            report(states[id] ?? .preparing, id)
        }
    }
}

/// What one connection was told.
struct Inbox: WireSink {
    private var parser = WireParser()
    /// Bytes that the socket has not taken.
    var unread = 0
    var messages: [ControlMessage] = []
    /// Where each packet begins.
    var packets: [FramePosition] = []
    /// As many, and the first two bytes of each as a number.
    var frameCounts: [Int] = []
    var heads: [Int16] = []
    var properties: [AudioStreamProperty] = []
    private var next: FramePosition?

    mutating func take(_ bytes: ByteBuffer) {
        unread += bytes.readableBytes
        var parser = parser
        try? parser.parse(bytes.readableBytesSpan, into: &self)
        self.parser = parser
    }

    mutating func wireDidParse(_ message: ControlMessage) {
        if case .packetsFollow(_, let position) = message { next = position } else { messages.append(message) }
    }

    mutating func streamDidParse(property: AudioStreamProperty) { properties.append(property) }

    mutating func streamDidParse(packets descriptions: Span<AudioPacketDescription>, data: RawSpan) {
        guard var position = next else { return }
        for index in descriptions.indices {
            packets.append(position)
            frameCounts.append(descriptions[index].frameCount)
            let head = data.unsafeLoadUnaligned(fromByteOffset: descriptions[index].startOffset, as: Int16.self)
            heads.append(Int16(littleEndian: head))
            position += Int64(descriptions[index].frameCount)
        }
    }

    /// The frame after the last packet.
    var end: FramePosition? { zip(packets.suffix(1), frameCounts.suffix(1)).map { $0 + Int64($1) }.first }

    var anchor: Anchor? { anchors.first }

    var anchors: [Anchor] { messages.compactMap { if case .anchor(let anchor) = $0 { anchor } else { nil } } }

    var cuts: [Cut] {
        messages.compactMap { if case .cut(let epoch, let frame) = $0 { Cut(epoch: epoch, frame: frame) } else { nil } }
    }

    struct Cut: Hashable {
        var epoch: Epoch
        var frame: FramePosition
    }

    var clockDatagrams: [[UInt8]] { messages.compactMap { if case .clock(let bytes) = $0 { bytes } else { nil } } }

    var entries: [EntryMark] { messages.compactMap { if case .entry(let mark) = $0 { mark } else { nil } } }

    var refusal: Refusal? {
        for case .refusal(let refusal) in messages { return refusal }
        return nil
    }

    /// What became of its commands, in order.
    var verdicts: [CommandOutcome.Verdict] {
        messages.compactMap { if case .outcome(let outcome) = $0 { outcome.verdict } else { nil } }
    }

    var farewell: BroadcastEnd? {
        for case .broadcastEnd(let end) in messages { return end }
        return nil
    }
}

extension ScriptedBroadcast {
    /// Why a connection was refused; nil if it was not.
    func refusal(of id: Int) -> Refusal? { heard[id]?.refusal }

    /// What became of a connection's commands, in order.
    func verdicts(of id: Int) -> [CommandOutcome.Verdict] { heard[id]?.verdicts ?? [] }
}
