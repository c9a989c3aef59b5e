import AudioCore
import NIOCore
import WireProtocol

/// Real messages, from which the fuzzers begin.
enum WireSeeds {
    static let format = AudioStreamFormat(
        codec: .mpegLayer3, sampleRate: 8_000, framesPerPacket: 576, channelsPerFrame: 1)

    static let properties: [AudioStreamProperty] = [
        .dataFormat(format), .magicCookie([1, 2, 3]), .bitRate(64_000), .decoderPrerollPacketCount(2),
        .packetTableInfo(
            AudioPacketTableInfo(validFrameCount: 32_000, primingFrameCount: 1_105, remainderFrameCount: 47)),
        .info(.title, "Song"), .info(.artist, "Someone"),
    ]

    static func greeting(
        _ roles: PeerRoles, instance: UInt64 = 7, name: String = "Küche", codecs: [Codec] = [.mpegLayer3]
    ) -> Greeting {
        Greeting(
            roles: roles, peer: UUIDBytes(high: 1, low: instance), instance: instance, started: 1_700_000_000,
            name: name, codecs: codecs)
    }

    static func report(
        _ state: ListenerState, epoch: UInt32 = 1, timing: ListenerTiming? = nil
    ) -> ListenerReport {
        ListenerReport(
            state: state, epoch: Epoch(epoch), received: FramePosition(8_000), buffered: .seconds(2), timing: timing,
            lowWater: .milliseconds(1_900))
    }

    static let timing = ListenerTiming(
        error: .microseconds(-3), errorBound: .microseconds(12), asymmetryLimit: .microseconds(50),
        roundTrip: .microseconds(100), clockSkew: PartsPerMillion(50), deviceSkew: PartsPerMillion(-35),
        correction: PartsPerMillion(0.5))

    static let roster = Roster(
        state: .playing, title: "Song",
        entries: [
            .init(instance: 7, name: "Küche", report: report(.playing, timing: timing)),
            .init(instance: 8, name: "Attic", report: nil),
        ])

    static let anchor = Anchor(
        epoch: Epoch(1), frame: .zero, session: SessionTime(nanoseconds: 10_000_500_000_000), framesPerSecond: 8_000)

    static func packets(at frame: Int64, count: Int = 3) -> ByteBuffer {
        let data = (0..<count * 16).map { UInt8(truncatingIfNeeded: $0) }
        let descriptions = (0..<count).map {
            AudioPacketDescription(startOffset: $0 * 16, byteCount: 16, frameCount: 576)
        }
        return WireEncoder.packets(
            Epoch(1), at: FramePosition(frame), descriptions: descriptions, data: data.span.bytes)
    }

    static let welcome = WireEncoder.welcome(Welcome(clockPort: 28_884, clockKey: Array(0..<24)))

    /// What a broadcaster says from its greeting to its end.
    static var broadcast: [ByteBuffer] {
        [
            WireEncoder.opening(greeting(.broadcaster)), welcome,
            WireEncoder.stream(Epoch(1), properties: properties),
            WireEncoder.entry(EntryMark(epoch: Epoch(1), frame: .zero, lostPacketCount: 0)),
            packets(at: -1_105), WireEncoder.anchor(anchor), packets(at: 623), packets(at: 2_351),
            WireEncoder.keepAlive(), WireEncoder.clock(Array(100..<164)),
            WireEncoder.stream(Epoch(1), properties: [.info(.title, "Next")]),
            WireEncoder.streamEnd(Epoch(1), at: FramePosition(4_079)),
            WireEncoder.broadcastEnd(BroadcastEnd(.completed)),
        ]
    }

    /// What a listener says.
    static var listener: [ByteBuffer] {
        [
            WireEncoder.opening(greeting(.listener)), WireEncoder.report(report(.preparing)),
            WireEncoder.report(report(.ready)), WireEncoder.clock(Array(100..<164)),
            WireEncoder.report(report(.playing, timing: timing)), WireEncoder.keepAlive(),
            WireEncoder.report(report(.finished)), WireEncoder.refusal(Refusal(.leaving, "the listener stopped")),
        ]
    }

    /// What an observer is told.
    static var observed: [ByteBuffer] {
        [
            WireEncoder.opening(greeting(.broadcaster)), WireEncoder.roster(roster), WireEncoder.keepAlive(),
            WireEncoder.broadcastEnd(BroadcastEnd(.failed, "disk on fire")),
        ]
    }

    /// A message of a later version, which is skipped.
    static let unknown = ByteBuffer(bytes: [0, 0x77, 0, 0, 0, 5, 1, 2, 3, 4, 5])

    static func bytes(_ messages: [ByteBuffer]) -> [UInt8] { messages.flatMap { Array($0.readableBytesView) } }
}

extension WireRun {
    static var seeds: [[UInt8]] {
        let talks = [WireSeeds.broadcast, WireSeeds.listener, WireSeeds.observed]
        let longName = WireSeeds.greeting(.listener, name: String(repeating: "n", count: Limits.peerNameByteCount))
        let later = talks[0].prefix(1) + [WireSeeds.unknown] + talks[0].dropFirst()
        let wholes = (talks + [Array(later), [WireEncoder.opening(longName)]]).map(WireSeeds.bytes)
        let modes: [[UInt8]] = [[0, 3, 0x41, 0xC1, 7, 0], [3, 1, 1, 1, 1, 1]]
        return modes.flatMap { mode in wholes.map { mode + $0 } }
    }
}
