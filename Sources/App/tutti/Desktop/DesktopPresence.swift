import AudioCore
import DesktopRemote
import HostSystem
import Songs
import Synchronization
import TuttiRuntime

/// A session on the user's desktop: what it does is shown there, and the desktop's keys command it.
final class DesktopPresence: Sendable {
    private let remote: DesktopRemote
    private let playback: LastPlayback

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
    }

    /// Takes what happens in the session.
    func take(_ event: RuntimeEvent) {
        guard let status = RemoteStatus(event) else { return }
        playback.note(status, .now())
        remote.show(status)
    }

    /// The session is over.
    func end() { remote.stop() }

    // MARK: Whom it commands

    static func of(_ broadcaster: Broadcaster) -> DesktopPresence? {
        DesktopPresence(opensSongs: true) { command in
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
    static func of(_ listener: Listener, pausesBroadcast: Bool) -> DesktopPresence? {
        let last = LastPlayback()
        return DesktopPresence(last) { command in
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

    static func of(_ player: Player) -> DesktopPresence? {
        let last = LastPlayback()
        // A status comes a moment after the command.
        @Sendable func pause(_ isPaused: Bool) {
            guard last.isPlaying == isPaused else { return }
            player.perform(.togglePause)
            last.note(isPaused ? .paused : .playing)
        }
        return DesktopPresence(last) { command in
            switch command {
            case .play: pause(false)
            case .pause: pause(true)
            case .playPause: pause(last.isPlaying)
            case .next: player.perform(.nextSong)
            case .previous: player.perform(.previousSong)
            case .skip(by: let span): player.perform(.seek(by: span))
            case .seek(to: let time): player.perform(.seek(by: time - last.elapsed(.now())))
            case .setVolume(let volume):
                player.perform(.changeVolume(by: Volume(fraction: volume).percent - last.volumePercent))
            case .stop, .quit: player.stop()
            case .open: break
            }
        }
    }
}

/// What a session did last: keys may have commanded it, too.
private final class LastPlayback: Sendable {
    private struct State {
        var status = RemoteStatus(.stopped)
        var since = HostTime(nanoseconds: 0)
    }

    private let state = Mutex(State())

    var isPlaying: Bool { state.withLock { $0.status.playback == .playing } }
    var volumePercent: Int { state.withLock { Int(($0.status.volume * 100).rounded()) } }

    func elapsed(_ now: HostTime) -> TimeSpan {
        state.withLock { state in
            state.status.elapsed + (state.status.playback == .playing ? now - state.since : .zero)
        }
    }

    func note(_ status: RemoteStatus, _ now: HostTime) { state.withLock { ($0.status, $0.since) = (status, now) } }

    func note(_ playback: RemoteStatus.Playback) { state.withLock { $0.status.playback = playback } }
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
