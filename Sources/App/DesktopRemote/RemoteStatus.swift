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
        /// Where it lies on this machine; nil if it does not.
        public var path: String?
        /// The absolute path of a picture that goes with it.
        public var artworkPath: String?
        /// Whether a picture may still be found: a notification waits for it.
        public var isArtworkSought = false

        public init(
            title: String, artist: String? = nil, album: String? = nil, length: TimeSpan? = nil, path: String? = nil
        ) {
            self.title = title
            self.artist = artist
            self.album = album
            self.length = length
            self.path = path
        }

        /// Whether both are one song: more may be known of it.
        func isSame(as other: Song) -> Bool {
            title == other.title && artist == other.artist && album == other.album
                && (path == nil || other.path == nil || path == other.path)
        }
    }

    /// What follows a song's end. The raw values are MPRIS' (`LoopStatus`).
    public enum Loop: String, Hashable, Sendable {
        case none = "None"
        /// The same song again.
        case track = "Track"
        /// After the last song the first.
        case playlist = "Playlist"
    }

    /// In which order songs follow one another.
    public struct Modes: Hashable, Sendable {
        public var loop: Loop
        public var isShuffled: Bool

        public init(loop: Loop, isShuffled: Bool) {
            self.loop = loop
            self.isShuffled = isShuffled
        }
    }

    public var playback: Playback
    public var song: Song?
    /// How far into the song it is, when this is said.
    public var elapsed: TimeSpan
    /// 0 to 1.
    public var volume: Double
    public var hasNext: Bool
    /// Nil for a player that has none.
    public var modes: Modes?

    public init(
        _ playback: Playback, song: Song? = nil, elapsed: TimeSpan = .zero, volume: Double = 1, hasNext: Bool = false,
        modes: Modes? = nil
    ) {
        self.playback = playback
        self.song = song
        self.elapsed = elapsed
        self.volume = volume
        self.hasNext = hasNext
        self.modes = modes
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
    case setLoop(RemoteStatus.Loop)
    case setShuffle(Bool)
    /// A song by its URL: `file:`, `http:` or `https:`.
    case open(String)
    case quit
}
