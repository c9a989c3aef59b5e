import AudioCore

/// What a desktop shows of a player, in its panels and on its lock screen.
public struct RemoteStatus: Hashable, Sendable {
    /// The raw values are MPRIS' (`PlaybackStatus`).
    public enum Playback: String, Hashable, Sendable {
        case playing = "Playing"
        case paused = "Paused"
        case stopped = "Stopped"
    }

    public struct Song: Hashable, Sendable {
        public var title: String
        public var artist: String?
        public var album: String?
        /// Nil if it is not known: then nobody can go to a place in it.
        public var length: TimeSpan?

        public init(title: String, artist: String? = nil, album: String? = nil, length: TimeSpan? = nil) {
            self.title = title
            self.artist = artist
            self.album = album
            self.length = length
        }
    }

    public var playback: Playback
    public var song: Song?
    /// How far into the song it is, when this is said.
    public var elapsed: TimeSpan
    /// 0 to 1.
    public var volume: Double
    public var hasNext: Bool

    public init(
        _ playback: Playback, song: Song? = nil, elapsed: TimeSpan = .zero, volume: Double = 1, hasNext: Bool = false
    ) {
        self.playback = playback
        self.song = song
        self.elapsed = elapsed
        self.volume = volume
        self.hasNext = hasNext
    }
}

/// What the desktop asks of a player: media keys, panels, `playerctl`.
public enum RemoteCommand: Hashable, Sendable {
    case play, pause, playPause, stop, next, previous
    /// Forwards, or backwards if it is negative.
    case skip(by: TimeSpan)
    case seek(to: TimeSpan)
    /// 0 to 1.
    case setVolume(Double)
    /// A song by its URL: `file:`, `http:` or `https:`.
    case open(String)
    case quit
}
