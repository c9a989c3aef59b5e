import AudioCore
import DesktopRemote
import HostSystem
import Songs
import Synchronization
import TuttiRuntime

/// A session on the user's desktop: what it does is shown there, and the desktop's keys command it.
final class DesktopPresence: Sendable {
    private struct State {
        var remote: DesktopRemote?
        var artwork: ArtworkFinder?
    }

    private let uses: DesktopRemote.Uses
    private let opensSongs: Bool
    private let playback: LastPlayback
    private let handler: @Sendable (RemoteCommand) -> Void
    private let state = Mutex(State())

    /// Returns nil if it would be for nothing.
    private init?(
        _ uses: DesktopRemote.Uses, _ playback: LastPlayback = LastPlayback(), opensSongs: Bool = false,
        _ handler: @escaping @Sendable (RemoteCommand) -> Void
    ) {
        guard uses.isCommanded || uses.notifies else { return nil }
        self.uses = uses
        self.opensSongs = opensSongs
        self.playback = playback
        self.handler = handler
    }

    /// Appears on the desktop. Where there is none, or nothing left for it, the session does without.
    /// - Parameter warn: takes one line for the user, on any thread.
    func begin(warn: @escaping @Sendable (String) -> Void) {
        let warning = "no notifications of songs: nothing on the session bus shows any"
        guard DesktopRemote.isPossible,
            let remote = try? DesktopRemote(
                identity: "Tutti", opensSongs: opensSongs, uses: uses, onMissingNotifications: { warn(warning) },
                handler)
        else { return uses.notifies ? warn(warning) : () }
        state.withLock { $0.remote = remote }
    }

    /// Takes what happens in the session.
    func take(_ event: RuntimeEvent) {
        guard var status = RemoteStatus(event) else { return }
        let now = HostTime.now()
        playback.note(status)
        guard let remote = state.withLock({ $0.remote }) else { return }
        if let song = status.song {
            switch artwork(of: song)?.outcome(ofSong: song.path, now: now) {
            case .sought: status.song?.isArtworkSought = true
            case .found(let path): status.song?.artworkPath = path
            case .nothing, nil: break
            }
        }
        remote.show(status)
    }

    /// Returns who looks for pictures, from the first song on that is a file.
    private func artwork(of song: RemoteStatus.Song) -> ArtworkFinder? {
        state.withLock { state in
            if state.artwork == nil, song.path != nil { state.artwork = ArtworkFinder() }
            return state.artwork
        }
    }

    /// The session is over.
    func end() {
        let ended = state.withLock { state in
            defer { state = State() }
            return state
        }
        ended.remote?.stop()
        ended.artwork?.end()
    }

    // MARK: Whom it commands

    static func of(_ broadcaster: Broadcaster, _ uses: DesktopRemote.Uses) -> DesktopPresence? {
        DesktopPresence(uses, opensSongs: true) { command in
            switch command {
            case .setVolume(let volume):
                broadcaster.perform(.setVolume(Volume(fraction: volume)))
                broadcaster.perform(.setMuted(false))
            case .quit: broadcaster.stop()
            case .open(let url):
                guard let source = ItemSource(url: url) else { return }
                broadcaster.perform(.insert([source], at: 0))
                broadcaster.perform(.jump(to: .position(0)))
            default: if let operation = ProgrammeOperation(command) { broadcaster.perform(operation) }
            }
        }
    }

    /// What a closed lid or a call pauses is this listener alone, unless the user wants the broadcast to pause.
    /// - Parameter pausesBroadcast: whether pause and play are for all listeners.
    static func of(
        _ listener: Listener, _ uses: DesktopRemote.Uses, pausesBroadcast: Bool
    ) -> DesktopPresence? {
        let last = LastPlayback()
        return DesktopPresence(uses, last) { command in
            switch command {
            case .setVolume(let volume): listener.perform(.setVolume(Volume(fraction: volume)))
            case .quit: listener.stop()
            case .open: break
            case .pause where !pausesBroadcast, .stop where !pausesBroadcast: listener.perform(.setPaused(true))
            case .play where !pausesBroadcast: listener.perform(.setPaused(false))
            case .playPause where !pausesBroadcast: listener.perform(.setPaused(last.isPlaying))
            default: if let operation = ProgrammeOperation(command) { listener.perform(operation) }
            }
        }
    }

    static func of(_ player: Player, _ uses: DesktopRemote.Uses) -> DesktopPresence? {
        DesktopPresence(uses) { command in
            switch command {
            case .play: player.perform(.setPaused(false))
            case .pause: player.perform(.setPaused(true))
            case .playPause: player.perform(.togglePause)
            case .next: player.perform(.nextSong)
            case .previous: player.perform(.previousSong)
            case .skip(by: let span): player.perform(.seek(by: span))
            case .seek(to: let time): player.perform(.setPosition(time))
            case .setVolume(let volume): player.perform(.setVolume(Volume(fraction: volume)))
            case .stop, .quit: player.stop()
            // It plays its songs once, in their order.
            case .open, .setLoop, .setShuffle: break
            }
        }
    }
}

/// What a session did last: keys may have commanded it, too.
private final class LastPlayback: Sendable {
    private let playback = Mutex(RemoteStatus.Playback.stopped)

    var isPlaying: Bool { playback.withLock { $0 == .playing } }

    func note(_ status: RemoteStatus) { playback.withLock { $0 = status.playback } }
}

extension ProgrammeOperation {
    /// Nil for what is no operation on a programme.
    fileprivate init?(_ command: RemoteCommand) {
        switch command {
        case .play: self = .play
        case .pause: self = .pause
        case .playPause: self = .toggle
        case .stop: self = .stop
        case .next: self = .next
        case .previous: self = .previous
        case .skip(by: let span): self = .skip(by: span)
        case .seek(to: let time): self = .seek(to: time)
        case .setLoop(let loop): self = .setRepeat(loop.repeatMode)
        case .setShuffle(let isShuffled): self = .setShuffle(isShuffled)
        case .setVolume, .open, .quit: return nil
        }
    }
}

extension ItemSource {
    /// Nil for what is no URL of a song.
    fileprivate init?(url: String) {
        switch try? SongAddress(url) {
        case .file(let path): self.init(path: path)
        case .url(let text):
            guard let address = WebAddress(text) else { return nil }
            self = .web(address)
        case .standardInput, nil: return nil
        }
    }
}

extension Volume {
    /// - Parameter fraction: 0 to 1.
    fileprivate init(fraction: Double) { self.init(percent: Int((fraction * 100).rounded())) }
}
