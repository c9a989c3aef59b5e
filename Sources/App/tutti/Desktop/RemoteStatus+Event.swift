import AudioCore
import DesktopRemote
import TuttiRuntime

extension RemoteStatus {
    /// What a session does; nil for an event that says nothing of that.
    init?(_ event: RuntimeEvent) {
        switch event {
        case .notice: return nil
        case .broadcast(let status): self.init(status)
        case .listening(let status, let song, _): self.init(status, song)
        case .playing(let status): self.init(status)
        }
    }

    private init(_ status: BroadcastStatus) {
        let playback: Playback =
            switch status.state {
            case .playing, .finishing: .playing
            // Nothing sounds yet.
            case .paused, .waiting: .paused
            case .idle, .ended: .stopped
            }
        let own = status.loudspeakers.map { $0.isMuted ? 0 : $0.volume.percent }
        let group = status.groupVolume.isMuted ? 0 : status.groupVolume.level
        self.init(
            playback, song: status.song.map { Song($0) }, elapsed: status.song?.elapsed ?? .zero,
            volume: Double(own ?? group) / 100, hasNext: status.next != nil, modes: Modes(status.modes))
    }

    private init(_ status: ListenerStatus, _ song: SongStatus?) {
        let isMuted = status.loudspeakers?.isMuted ?? false
        let playback: Playback =
            switch status.state {
            case .playing, .starving: isMuted ? .paused : .playing
            case .paused, .ready: .paused
            case .connecting, .preparing, .finished: .stopped
            }
        self.init(
            playback, song: song.map { Song($0) }, elapsed: song?.elapsed ?? .zero,
            volume: Double(status.loudspeakers?.volume.percent ?? 100) / 100, hasNext: status.next != nil,
            modes: Modes(status.modes ?? PlayModes()))
    }

    private init(_ status: PlayStatus) {
        let playback: Playback =
            switch status.state {
            case .playing, .starving: .playing
            case .paused: .paused
            case .ended: .stopped
            }
        self.init(
            playback, song: Song(status.song), elapsed: status.song.elapsed,
            volume: status.isMuted ? 0 : Double(status.volume.percent) / 100, hasNext: status.hasNext)
    }
}

extension RemoteStatus.Song {
    fileprivate init(_ song: SongStatus) {
        self.init(
            title: song.title, artist: song.artist, album: song.album, length: song.total, path: song.path)
    }
}

extension RemoteStatus.Modes {
    fileprivate init(_ modes: PlayModes) { self.init(loop: .init(modes.repeats), isShuffled: modes.isShuffled) }
}

extension RemoteStatus.Loop {
    fileprivate init(_ mode: RepeatMode) {
        self =
            switch mode {
            case .off: .none
            case .one: .track
            case .all: .playlist
            }
    }

    var repeatMode: RepeatMode {
        switch self {
        case .none: .off
        case .track: .one
        case .playlist: .all
        }
    }
}
