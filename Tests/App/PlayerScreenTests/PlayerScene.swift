import AudioCore
import Controlling
import MusicLibrary
import TerminalIO
import WireProtocol

@testable import PlayerScreen

/// A player at a terminal, with its broadcast and its library played by the test.
struct PlayerScene {
    var model = PlayerModel()
    var size: ScreenSize
    var now = HostTime(nanoseconds: 5_000_000_000)
    private(set) var actions: [PlayerAction] = []

    init(_ width: Int = 80, _ height: Int = 24) { size = ScreenSize(width: width, height: height) }

    /// One with a broadcast of three songs, the first of which plays since 83 s.
    static func playing(_ width: Int = 80, _ height: Int = 24) -> PlayerScene {
        var scene = PlayerScene(width, height)
        scene.connect(songs(3), listeners: [listener(1, "Kitchen"), listener(2, "Attic", volume: 40)])
        scene.actions = []
        return scene
    }

    static func songs(_ count: Int) -> [QueueItem] {
        (0..<count).map { QueueItem(id: ItemID(UInt32($0 + 7)), title: "Song \($0 + 1)", duration: .seconds(296)) }
    }

    static func listener(_ instance: UInt64, _ name: String, volume: Int = 100) -> ProgrammeListener {
        ProgrammeListener(
            instance: instance, name: name, state: .playing,
            settings: ListenerSettings(volume: VolumeSetting(level: volume)),
            timing: .init(error: .microseconds(3), bound: .microseconds(12)))
    }

    static func status(_ songs: [QueueItem], _ transport: TransportState = .playing) -> TransportStatus {
        TransportStatus(
            transport, current: songs.first, next: songs.dropFirst().first,
            position: songs.isEmpty
                ? nil
                : PlaybackPosition(
                    frame: FramePosition(44_100 * 83), session: SessionTime(nanoseconds: 0), sampleRate: 44_100,
                    framesPerSecond: transport == .playing ? 44_100 : nil))
    }

    mutating func connect(
        _ songs: [QueueItem], _ transport: TransportState = .playing, listeners: [ProgrammeListener] = []
    ) {
        let state = ProgrammeState(
            sequence: 1, sent: SessionTime(nanoseconds: 0), status: Self.status(songs, transport),
            itemCount: songs.count, listeners: listeners)
        handle(.answer(.connected("Den")))
        handle(.answer(.state(state, nil)))
        show(songs)
    }

    /// The broadcast tells its queue, a page at a time.
    mutating func show(_ songs: [QueueItem]) {
        handle(.answer(.page(QueuePage(sequence: 1, itemCount: songs.count, first: 0, items: songs))))
    }

    mutating func change(_ kind: ProgrammeChange.Kind) {
        guard var state = model.broadcast?.state else { return }
        let change = ProgrammeChange(sequence: state.sequence + 1, effect: SessionTime(nanoseconds: 0), kind)
        _ = state.apply(change)
        handle(.answer(.state(state, change)))
    }

    mutating func handle(_ event: PlayerEvent) { actions += model.handle(event, size, now: now) }

    mutating func press(_ keys: Key...) { for key in keys { handle(.key(key)) } }

    mutating func type(_ text: String) { for character in text { press(.character(character)) } }

    /// What the broadcast was asked for since the last time.
    mutating func takeOperations() -> [CommandOperation] {
        defer { actions = [] }
        return actions.compactMap { action in
            switch action {
            case .request(.command(let command)), .request(.ifDone(let command)): command.operation
            default: nil
            }
        }
    }

    mutating func takeActions() -> [PlayerAction] {
        defer { actions = [] }
        return actions
    }

    mutating func lines() -> [String] { model.frame(size, now: now, glyphs: .ascii).map(\.text) }
}

extension FoundSong {
    init(_ title: String, artist: String? = nil, album: String? = nil) {
        self.init(path: "/music/\(title).mp3", title: title, artist: artist, album: album, duration: .seconds(150))
    }
}
