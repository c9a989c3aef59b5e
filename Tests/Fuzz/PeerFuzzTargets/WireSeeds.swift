import AudioCore
import NIOCore
import Programmes
import WireProtocol

/// Real messages, from which the fuzzers begin.
enum WireSeeds {
    static let format = AudioStreamFormat(
        codec: .mpegLayer3, sampleRate: 8_000, framesPerPacket: 576, channelsPerFrame: 1)

    static let description = ItemDescription(title: "Pavane", artist: "Someone", duration: .seconds(4))

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
        _ state: ListenerState, epoch: UInt32 = 1, timing: ListenerTiming? = nil, irrevocable: TimeSpan = .zero
    ) -> ListenerReport {
        ListenerReport(
            state: state, epoch: Epoch(epoch), received: FramePosition(8_000), buffered: .seconds(2), timing: timing,
            lowWater: .milliseconds(1_900), irrevocable: irrevocable)
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
            WireEncoder.greeting(greeting(.broadcaster)), welcome,
            WireEncoder.stream(Epoch(1), properties: properties),
            WireEncoder.entry(EntryMark(epoch: Epoch(1), frame: .zero, lostPacketCount: 0)),
            packets(at: -1_105), WireEncoder.anchor(anchor), packets(at: 623), packets(at: 2_351),
            WireEncoder.keepAlive(), WireEncoder.clock(Array(100..<164)), WireEncoder.nextTitle("Pavane"),
            WireEncoder.stream(Epoch(1), properties: [.info(.title, "Next")]),
            WireEncoder.streamEnd(Epoch(1), at: FramePosition(4_079)),
            WireEncoder.broadcastEnd(BroadcastEnd(.completed)),
        ]
    }

    /// What a listener says.
    static var listener: [ByteBuffer] {
        [
            WireEncoder.greeting(greeting(.listener)), WireEncoder.report(report(.preparing)),
            WireEncoder.report(report(.ready)), WireEncoder.clock(Array(100..<164)),
            WireEncoder.report(report(.playing, timing: timing, irrevocable: .milliseconds(480))),
            WireEncoder.keepAlive(),
            WireEncoder.report(report(.finished)), WireEncoder.refusal(Refusal(.leaving, "the listener stopped")),
        ]
    }

    /// What an observer is told.
    static var observed: [ByteBuffer] {
        [
            WireEncoder.greeting(greeting(.broadcaster)), WireEncoder.roster(roster), WireEncoder.keepAlive(),
            WireEncoder.broadcastEnd(BroadcastEnd(.failed, "disk on fire")),
        ]
    }

    private static let sources = ["http://me:secret@example.com/a.mp3", "https://radio.example/"]
        .compactMap { WebAddress($0) }.map { ItemSource.web($0) }
    private static let commandID = CommandID(high: 1, low: 2)

    /// What a controller asks for.
    static var controller: [ByteBuffer] {
        let operations: [CommandOperation] = [
            .programme(.play), .programme(.seek(to: .seconds(90))), .programme(.skip(by: .seconds(-10))),
            .programme(.jump(to: .id(ItemID(3)))), .programme(.add(sources)), .programme(.insert(sources, at: 1)),
            .programme(.remove(.position(2))), .programme(.move(.position(1), to: 0)), .programme(.setRepeat(.all)),
            .programme(.setShuffle(true)), .listeners(.volume(.level(40)), of: .all),
            .listeners(.volume(.step(-5)), of: .named("Attic")), .listeners(.offset(.microseconds(-9)), of: .all),
            .listeners(.role(.channel(2)), of: .named("Attic")), .unknown(code: 99),
        ]
        return [WireEncoder.greeting(greeting(.controller)), WireEncoder.follow()]
            + operations.map { WireEncoder.command(Command(id: commandID, $0)) }
            + [
                WireEncoder.queuePageRequest(QueuePageRequest(first: 0)), WireEncoder.unfollow(),
                WireEncoder.songOffer(SongOffer(id: commandID, byteCount: 5, name: "song.mp3")),
                WireEncoder.songBytes(SongBytes(id: commandID, bytes: ByteBuffer(bytes: [1, 2, 3]))),
                WireEncoder.lookup(Lookup(id: commandID, offset: 16_384, .artwork(of: ItemID(3)))),
                WireEncoder.lookup(Lookup(id: commandID, .songs(query: "artist:simone", limit: 100))),
            ]
    }

    /// What a controller is told.
    static var controlled: [ByteBuffer] {
        let effect = SessionTime(nanoseconds: 10_000_500_000_000)
        let item = QueueItem(
            id: ItemID(3), title: "Song", artist: "Küche", album: "Den", duration: .seconds(200))
        let status = TransportStatus(
            .playing, current: item, next: QueueItem(id: ItemID(4), title: "Radio", isLive: true),
            position: PlaybackPosition(frame: .zero, session: effect, sampleRate: 8_000, framesPerSecond: 8_000))
        let attic = ProgrammeListener(
            instance: 7, name: "Attic", state: .playing,
            settings: ListenerSettings(offset: .microseconds(-9), role: .left),
            timing: .init(error: .microseconds(1), bound: .microseconds(2)))
        let state = ProgrammeState(sequence: 1, sent: effect, status: status, itemCount: 2, listeners: [attic])
        let entry = LogEntry(number: 1, id: commandID, who: "Küche", effect: effect, .programme(.add(sources)))
        let kinds: [ProgrammeChange.Kind] = [
            .command(entry), .queue(.inserted(at: 2, count: 2), itemCount: 4), .status(status), .item(item),
            .modes(PlayModes(repeats: .one)), .volume(VolumeSetting(level: 40)), .listener(attic),
            .listenerGone(instance: 7), .unknown(99),
        ]
        let changes = kinds.map { WireEncoder.programmeChange(ProgrammeChange(sequence: 2, effect: effect, $0)) }
        let page = QueuePage(sequence: 9, itemCount: 2, first: 0, items: [item])
        let refusal = CommandRefusal.noSuchListener(nearest: "Attic")
        return [
            WireEncoder.greeting(greeting(.broadcaster)), WireEncoder.programmeState(state),
            WireEncoder.outcome(CommandOutcome(id: commandID, .done(number: 1, effect: effect))),
            WireEncoder.outcome(CommandOutcome(id: commandID, .refused(refusal), text: "\(refusal)")),
        ] + changes + [WireEncoder.queuePage(page)]
    }

    /// What a member says to the machine that it lets in.
    static var sponsor: [ByteBuffer] {
        [
            WireEncoder.greeting(greeting(.pairing)), WireEncoder.pairing(Array(0..<32)),
            WireEncoder.pairing(Array(0..<64)), WireEncoder.keepAlive(), WireEncoder.household(Array(0..<100)),
            WireEncoder.refusal(Refusal(.wrongCode, "another code")),
        ]
    }

    /// A message of a later version, which is skipped.
    static let unknown = ByteBuffer(bytes: [0, 0x77, 0, 0, 0, 5, 1, 2, 3, 4, 5])

    static func bytes(_ messages: [ByteBuffer]) -> [UInt8] { messages.flatMap { Array($0.readableBytesView) } }
}

extension WireRun {
    static var seeds: [[UInt8]] {
        let talks = [
            WireSeeds.broadcast, WireSeeds.listener, WireSeeds.observed, WireSeeds.controller, WireSeeds.controlled,
            WireSeeds.sponsor,
        ]
        let longName = WireSeeds.greeting(.listener, name: String(repeating: "n", count: WireLimits.peerNameByteCount))
        let later = talks[0].prefix(1) + [WireSeeds.unknown] + talks[0].dropFirst()
        let wholes = (talks + [Array(later), [WireEncoder.greeting(longName)]]).map(WireSeeds.bytes)
        let modes: [[UInt8]] = [[0, 3, 0x41, 0xC1, 7, 0], [3, 1, 1, 1, 1, 1]]
        return modes.flatMap { mode in wholes.map { mode + $0 } }
    }
}
