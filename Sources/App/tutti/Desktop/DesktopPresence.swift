import AudioCore
import DesktopRemote
import Songs
import Synchronization
import TuttiRuntime

/// A session on the user's desktop: what it does is shown there, and the desktop's keys command it.
final class DesktopPresence: Sendable {
    private let remote: DesktopRemote
    private let playback: LastPlayback
    /// Called before the session is stopped.
    private let onStop: @Sendable () -> Void

    /// Returns nil where there is no desktop, or nothing left for it: the session does without.
    private init?(
        _ playback: LastPlayback = LastPlayback(), opensSongs: Bool = false,
        onStop: @escaping @Sendable () -> Void = {},
        _ handler: @escaping @Sendable (RemoteCommand) -> Void
    ) {
        guard DesktopRemote.isPossible,
            let remote = try? DesktopRemote(identity: "Tutti", opensSongs: opensSongs, handler)
        else { return nil }
        self.remote = remote
        self.playback = playback
        self.onStop = onStop
    }

    /// Takes what happens in the session.
    func take(_ event: RuntimeEvent) {
        guard let status = RemoteStatus(event) else { return }
        playback.note(status.playback)
        remote.show(status)
    }

    /// The session is about to be stopped.
    func willStop() { onStop() }

    /// The session is over.
    func end() { remote.stop() }

    // MARK: Whom it commands

    static func of(_ broadcaster: Broadcaster) -> DesktopPresence? {
        DesktopPresence(opensSongs: true) { command in
            switch command {
            case .setVolume(let volume): broadcaster.perform(.setVolume(Volume(fraction: volume)))
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
    static func of(_ listener: Listener, pausesBroadcast: Bool) -> DesktopPresence? {
        let playback = LastPlayback()
        let isPausedHere = Mutex(false)
        @Sendable func pause(_ isPaused: Bool) {
            isPausedHere.withLock { $0 = isPaused }
            listener.perform(.setMuted(isPaused))
        }
        // The mute is remembered for the sound device; a pause ends with the process.
        let onStop: @Sendable () -> Void = { if isPausedHere.withLock({ $0 }) { pause(false) } }
        return DesktopPresence(playback, onStop: onStop) { command in
            switch command {
            case .setVolume(let volume): listener.perform(.setVolume(Volume(fraction: volume)))
            case .quit: listener.stop()
            case .open: break
            case .pause where !pausesBroadcast, .stop where !pausesBroadcast: pause(true)
            case .play where !pausesBroadcast: pause(false)
            case .playPause where !pausesBroadcast: pause(playback.isPlaying)
            default: if let operation = ProgrammeOperation(command) { listener.perform(operation) }
            }
        }
    }

    static func of(_ player: Player) -> DesktopPresence? {
        let playback = LastPlayback()
        return DesktopPresence(playback) { command in
            switch command {
            case .play: if !playback.isPlaying { player.perform(.togglePause) }
            case .pause: if playback.isPlaying { player.perform(.togglePause) }
            case .playPause: player.perform(.togglePause)
            case .next: player.perform(.nextSong)
            case .previous: player.perform(.previousSong)
            case .skip(by: let span): player.perform(.seek(by: span))
            case .stop, .quit: player.stop()
            case .seek, .setVolume, .open: break
            }
        }
    }
}

/// What a session did last: keys may have paused it, too.
private final class LastPlayback: Sendable {
    private let last = Mutex(RemoteStatus.Playback.stopped)

    var isPlaying: Bool { last.withLock { $0 == .playing } }

    func note(_ playback: RemoteStatus.Playback) { last.withLock { $0 = playback } }
}

extension ProgrammeOperation {
    /// Nil for what is no operation on a programme.
    fileprivate init?(_ command: RemoteCommand) {
        switch command {
        case .play: self = .resume
        case .pause: self = .pause
        case .playPause: self = .toggle
        case .stop: self = .stop
        case .next: self = .next
        case .previous: self = .previous
        case .skip(by: let span): self = .skip(by: span)
        case .seek(to: let time): self = .seek(to: time)
        case .setVolume, .open, .quit: return nil
        }
    }
}

extension ItemSource {
    /// Nil for what is no URL of a song.
    fileprivate init?(url: String) {
        switch try? SongAddress(url) {
        case .file(let path) where path.hasPrefix("/"): self = .file(path)
        case .url(let text):
            guard let address = WebAddress(text) else { return nil }
            self = .web(address)
        case .file, .standardInput, nil: return nil
        }
    }
}

extension Volume {
    /// - Parameter fraction: 0 to 1.
    fileprivate init(fraction: Double) { self.init(percent: Int((fraction * 100).rounded())) }
}
