import AudioCore
import NIOCore
import Testing
import WireProtocol

/// What a connection said, with packet groups flattened: equal however the bytes were cut.
struct Transcript: WireSink {
    enum Entry: Hashable {
        case message(ControlMessage)
        case property(AudioStreamProperty)
        case packet(frames: Int, bytes: [UInt8])
    }

    var entries: [Entry] = []

    mutating func wireDidParse(_ message: ControlMessage) { entries.append(.message(message)) }

    mutating func streamDidParse(property: AudioStreamProperty) { entries.append(.property(property)) }

    mutating func streamDidParse(packets descriptions: Span<AudioPacketDescription>, data: RawSpan) {
        for index in descriptions.indices {
            let packet = descriptions[index]
            let bytes = data.extracting(packet.startOffset..<packet.startOffset + packet.byteCount)
            entries.append(
                .packet(frames: packet.frameCount, bytes: bytes.withUnsafeBytes { Array($0) }))
        }
    }

    /// Parses `bytes` in pieces whose lengths `nextLength` gives.
    static func parsing(_ bytes: [UInt8], pieces nextLength: () -> Int) throws(WireError) -> Transcript {
        var transcript = Transcript()
        var parser = WireParser()
        var start = 0
        while start < bytes.count {
            let end = min(bytes.count, start + max(1, nextLength()))
            try parser.parse(bytes[start..<end].span.bytes, into: &transcript)
            start = end
        }
        return transcript
    }

    static func parsing(_ bytes: [UInt8]) throws(WireError) -> Transcript {
        try parsing(bytes, pieces: { bytes.count })
    }
}

/// One of everything.
enum Sample {
    static let greeting = Greeting(
        roles: .broadcaster, peer: UUIDBytes(high: 0x0011_2233_4455_6677, low: 0x8899_AABB_CCDD_EEFF),
        instance: 0x0102_0304_0506_0708, started: 1_700_000_000, name: "Küche", codecs: [.mpegLayer3, .linearPCM])

    static let format = AudioStreamFormat(
        codec: .mpegLayer3, sampleRate: 44_100, framesPerPacket: 1_152, channelsPerFrame: 2)

    static let properties: [AudioStreamProperty] = [
        .dataFormat(format), .magicCookie([1, 2, 3]), .bitRate(128_000), .decoderPrerollPacketCount(12),
        .packetTableInfo(
            AudioPacketTableInfo(validFrameCount: 1_000_000, primingFrameCount: 1_105, remainderFrameCount: 47)),
        .info(.title, "Song"), .info(.artist, "Someone"),
    ]

    static let report = ListenerReport(
        state: .playing, epoch: Epoch(3), received: FramePosition(44_100), buffered: .seconds(2), counters: counters,
        timing: ListenerTiming(
            error: .microseconds(-3), errorBound: .microseconds(12), asymmetryLimit: .microseconds(50),
            roundTrip: .microseconds(100), clockSkew: PartsPerMillion(50), deviceSkew: PartsPerMillion(-35),
            correction: PartsPerMillion(0.5)), lowWater: .milliseconds(1_900), irrevocable: .milliseconds(150))

    static let counters: ListenerCounters = {
        var counters = ListenerCounters()
        counters.xruns = 1
        counters.underruns = 2
        counters.replacements = 9
        counters.timelineSteps = 3
        counters.deviceClockSteps = 4
        counters.deviceRestarts = 5
        counters.lostPackets = 6
        return counters
    }()

    static let anchor = Anchor(
        epoch: Epoch(3), frame: .zero, session: SessionTime(nanoseconds: 123_456_789), framesPerSecond: 44_100)

    static let clockDatagram: [UInt8] = Array(100..<164)

    static let roster = Roster(
        state: .playing, title: "Song",
        entries: [
            .init(instance: 7, name: "Küche", report: report),
            .init(instance: 8, name: "Attic", report: nil, isBrowser: true),
        ])

    static func buffers() -> [ByteBuffer] {
        let data: [UInt8] = Array(0..<200)
        let descriptions = [
            AudioPacketDescription(startOffset: 0, byteCount: 120, frameCount: 1_152),
            AudioPacketDescription(startOffset: 120, byteCount: 80, frameCount: 1_152),
        ]
        return [
            WireEncoder.greeting(greeting),
            WireEncoder.welcome(Welcome(clockPort: 28_884, clockKey: Array(0..<24))),
            WireEncoder.keepAlive(),
            WireEncoder.clock(clockDatagram),
            WireEncoder.household([1, 2, 3]),
            WireEncoder.pairing(Array(0..<64)),
            WireEncoder.stream(Epoch(3), properties: properties),
            WireEncoder.anchor(anchor),
            WireEncoder.packets(
                Epoch(3), at: FramePosition(-1_105), descriptions: descriptions, data: data.span.bytes),
            WireEncoder.entry(EntryMark(epoch: Epoch(3), frame: FramePosition(9_999), lostPacketCount: 7)),
            WireEncoder.streamEnd(Epoch(3), at: FramePosition(1_000_000)),
            WireEncoder.report(report),
            WireEncoder.roster(roster),
        ] + CommandSamples.messages.map(CommandSamples.buffer) + [
            WireEncoder.broadcastEnd(BroadcastEnd(.failed, "disk on fire")),
            WireEncoder.refusal(Refusal(.busy, "playing Song from Attic")),
        ]
    }

    static var bytes: [UInt8] { buffers().flatMap { Array($0.readableBytesView) } }
}
