import AudioCore
import NIOCore
import WireProtocol

/// Messages of commands and of those who follow.
enum CommandSamples {
    static let id = CommandID(high: 0x0011_2233_4455_6677, low: 0x8899_AABB_CCDD_EEFF)
    static let sources =
        ["http://example.com/a.mp3", "https://radio.example/Küche"].map(source) + [.file("/music/Küche.flac")]

    static func source(_ address: String) -> ItemSource {
        guard let address = WebAddress(address) else { preconditionFailure("\(address) is no address") }
        return .web(address)
    }

    static let operations: [CommandOperation] =
        [
            .play, .pause, .resume, .toggle, .stop, .next, .previous, .clear,
            .seek(to: .seconds(90)), .skip(by: .microseconds(-10_000_001)),
            .jump(to: .id(ItemID(7))), .jump(to: .position(3)), .add(sources), .add([]), .insert(sources, at: 2),
            .remove(.id(ItemID(.max))), .remove(.position(0)), .move(.position(4), to: 1),
            .setRepeat(.off), .setRepeat(.one), .setRepeat(.all), .setShuffle(true), .setShuffle(false),
        ].map { .programme($0) } + listenerOperations

    private static let listenerOperations: [CommandOperation] = [
        .listeners(.volume(.level(40)), of: .all), .listeners(.volume(.level(-3)), of: .named("Küche")),
        .listeners(.volume(.step(-5)), of: .named("Attic")), .listeners(.volume(.mute), of: .all),
        .listeners(.volume(.unmute), of: .all), .listeners(.volume(.toggleMute), of: .named("Den")),
        .listeners(.offset(.microseconds(-1_500)), of: .named("Den")), .listeners(.role(.stereo), of: .all),
        .listeners(.role(.left), of: .named("L")), .listeners(.role(.right), of: .named("R")),
        .listeners(.role(.mono), of: .all), .listeners(.role(.channel(6)), of: .named("Sub")),
        .unknown(code: 0x7777),
    ]

    static let refusals: [CommandRefusal] = [
        .other, .notAllowed, .nothingPlays, .queueIsEmpty, .noSuchItem, .noSuchListener(nearest: nil),
        .noSuchListener(nearest: "Küche"), .outOfRange, .liveCannotSeek, .queueIsFull, .unknownOperation,
        .tooManyCommands, .unplayable, .noRoom, .cannotSeek, .listenerRecords, .songTooLong, .tooManySongs,
    ]

    static let entry = LogEntry(
        number: 9, id: id, who: "Küche", effect: SessionTime(nanoseconds: 1_000), .programme(.seek(to: .seconds(1))))
    static let item = QueueItem(
        id: ItemID(3), title: "Song", artist: "Eva", album: "Old", duration: .seconds(200), hasPicture: true)
    static let station = QueueItem(id: ItemID(4), title: "Radio", isLive: true, hasFailed: true, hasPicture: false)
    static let settings = ListenerSettings(
        volume: VolumeSetting(level: 40, isMuted: true), offset: .microseconds(-7), role: .channel(2))
    static let attic = ProgrammeListener(
        instance: 0x0102_0304_0506_0708, name: "Attic", state: .playing, settings: settings,
        timing: .init(error: .nanoseconds(-2), bound: .nanoseconds(3)))
    static let den = ProgrammeListener(instance: 9, name: "Den", state: .connecting)
    static let playing = TransportStatus(
        .playing, current: item, next: station,
        position: PlaybackPosition(
            frame: FramePosition(44_100), session: SessionTime(nanoseconds: 5), sampleRate: 44_100,
            framesPerSecond: 44_100.5))
    static let paused = TransportStatus(
        .paused, current: item,
        position: PlaybackPosition(
            frame: FramePosition(44_100), session: SessionTime(nanoseconds: 5), sampleRate: 44_100,
            framesPerSecond: nil))
    static let state = ProgrammeState(
        sequence: 12, sent: SessionTime(nanoseconds: 6), status: playing,
        modes: PlayModes(repeats: .all, isShuffled: true), itemCount: 10_000,
        volume: VolumeSetting(level: 80), listeners: [attic, den], page: PageLocation(port: 28_885))
    static let secureState: ProgrammeState = {
        var secure = state
        secure.page = PageLocation(port: 28_885, scheme: .https(name: "music.example.org"))
        return secure
    }()
    static let page = QueuePage(sequence: 12, itemCount: 10_000, first: 256, items: [item, station])

    static let kinds: [ProgrammeChange.Kind] = [
        .status(playing), .status(paused), .status(TransportStatus(.idle)), .status(TransportStatus(.stopped)),
        .modes(PlayModes(repeats: .one)), .queue(.inserted(at: 3, count: 2), itemCount: 5),
        .queue(.removed(at: 0), itemCount: 4), .queue(.moved(from: 3, to: 1), itemCount: 4),
        .queue(.cleared, itemCount: 0), .item(station), .volume(VolumeSetting(level: 0)), .listener(attic),
        .command(entry), .listenerGone(instance: 9), .unknown(200),
    ]

    /// One or more of every message.
    static var messages: [ControlMessage] {
        let outcomes =
            [
                CommandOutcome(
                    id: id, .done(number: 9, effect: SessionTime(nanoseconds: 8)), sent: SessionTime(nanoseconds: 7),
                    text: "to the next song")
            ]
            + refusals.map { CommandOutcome(id: id, .refused($0), text: "\($0)") }
        let changes = kinds.enumerated().map { index, kind in
            ProgrammeChange(sequence: UInt64(index), effect: SessionTime(nanoseconds: -1), kind)
        }
        return operations.map { .command(Command(id: id, $0)) } + outcomes.map { .outcome($0) }
            + changes.map { .programmeChange($0) }
            + [
                .follow, .unfollow, .programmeState(state), .programmeState(secureState),
                .queuePageRequest(QueuePageRequest(first: 256, count: 2)),
                .queuePage(page), .settings(settings), .groupVolume(VolumeSetting(level: 80, isMuted: true)),
                .nextTitle("Küche"), .nextTitle(nil), .modes(PlayModes(repeats: .one, isShuffled: true)),
                .reportInterval(.seconds(1)),
                .songOffer(SongOffer(id: id, byteCount: 300, name: "Küche.flac")),
                .songOffer(SongOffer(id: id, byteCount: .max, position: 7, name: "")),
                .songBytes(SongBytes(id: id, bytes: ByteBuffer(repeating: 9, count: WireLimits.songBytesCount))),
                .songCredit(SongCredit(id: id, upTo: 65_536)),
            ] + lookups.map { .lookup(Lookup(id: id, offset: 16_384, $0)) }
            + findings.map { .finding(Finding(id: id, $0)) }
    }

    static let lookups: [LookupSubject] = [
        .lyrics(of: ItemID(7)), .artwork(of: ItemID(8)), .levels(of: ItemID(9)),
        .songs(query: "artist:\"nina simone\"", limit: 100), .findings, .unknown(code: 200),
    ]
    static var findings: [Finding.Content] {
        let part = ByteBuffer(repeating: 9, count: WireLimits.findingPartByteCount)
        return [
            .part(ofByteCount: 40_000, offset: 16_384, bytes: part),
            .part(ofByteCount: 0, offset: 0, bytes: ByteBuffer()),
            .nothing(reason: ""), .nothing(reason: LookupRefusal.foreignLibrary),
        ]
    }

    /// A message as earlier versions say it, without artists and albums, and what it says then; nil if it has no items.
    static func inEarlierForm(_ message: ControlMessage) -> (bytes: [UInt8], message: ControlMessage)? {
        var (items, earlier): ([QueueItem], ControlMessage)
        // Where the page is stands behind them.
        var pageByteCount = 0
        switch message {
        case .programmeState(var state):
            items = state.status.items
            state.status.forgetArtistsAndAlbums()
            pageByteCount =
                switch state.page?.scheme {
                case nil: 0
                case .http: 2
                case .https(let name): 2 + 1 + 2 + (name ?? "").utf8.count
                }
            state.page = nil
            earlier = .programmeState(state)
        case .queuePage(var page):
            items = page.items
            for index in page.items.indices { page.items[index].forgetArtistAndAlbum() }
            earlier = .queuePage(page)
        case .programmeChange(var change):
            switch change.kind {
            case .status(var status):
                items = status.items
                status.forgetArtistsAndAlbums()
                change.kind = .status(status)
            case .item(var item):
                items = [item]
                item.forgetArtistAndAlbum()
                change.kind = .item(item)
            default: return nil
            }
            earlier = .programmeChange(change)
        default: return nil
        }
        let appended = items.reduce(0) { $0 + 4 + ($1.artist ?? "").utf8.count + ($1.album ?? "").utf8.count }
        guard appended > 0 else { return nil }
        return (cut(Array(buffer(message).readableBytesView.dropLast(appended + pageByteCount))), earlier)
    }

    /// Makes what is left of a message a message.
    static func cut(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        (bytes[4], bytes[5]) = (UInt8((bytes.count - 6) >> 8), UInt8((bytes.count - 6) & 0xFF))
        return bytes
    }

    static func buffer(_ message: ControlMessage) -> ByteBuffer {
        switch message {
        case .command(let command): WireEncoder.command(command)
        case .outcome(let outcome): WireEncoder.outcome(outcome)
        case .follow: WireEncoder.follow()
        case .unfollow: WireEncoder.unfollow()
        case .programmeState(let state): WireEncoder.programmeState(state)
        case .programmeChange(let change): WireEncoder.programmeChange(change)
        case .queuePageRequest(let request): WireEncoder.queuePageRequest(request)
        case .queuePage(let page): WireEncoder.queuePage(page)
        case .settings(let settings): WireEncoder.settings(settings)
        case .groupVolume(let volume): WireEncoder.groupVolume(volume)
        case .nextTitle(let title): WireEncoder.nextTitle(title)
        case .modes(let modes): WireEncoder.modes(modes)
        case .reportInterval(let interval): WireEncoder.reportInterval(interval)
        case .songOffer(let offer): WireEncoder.songOffer(offer)
        case .songBytes(let bytes): WireEncoder.songBytes(bytes)
        case .songCredit(let credit): WireEncoder.songCredit(credit)
        case .lookup(let lookup): WireEncoder.lookup(lookup)
        case .finding(let finding): WireEncoder.finding(finding)
        default: ByteBuffer()
        }
    }
}

extension QueueItem {
    fileprivate mutating func forgetArtistAndAlbum() { (artist, album) = (nil, nil) }
}

extension TransportStatus {
    fileprivate var items: [QueueItem] { [current, next].compactMap(\.self) }

    fileprivate mutating func forgetArtistsAndAlbums() {
        current?.forgetArtistAndAlbum()
        next?.forgetArtistAndAlbum()
    }
}
