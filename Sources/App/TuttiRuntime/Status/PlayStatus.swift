import AudioCore

/// A snapshot of a player for display, made a few times a second.
public struct PlayStatus: Hashable, Sendable {
    public enum State: String, Hashable, Sendable {
        case playing
        case paused
        /// The source is slower than the song: silent until there is enough.
        case starving
        case ended
    }

    public var state: State
    public var song: SongStatus
    public var volume: Volume
    public var isMuted: Bool
    /// Whether another song is known to follow.
    public var hasNext: Bool
    public var xruns: Int
    public var underruns: Int

    public init(
        state: State, song: SongStatus, volume: Volume = .full, isMuted: Bool = false, hasNext: Bool = false,
        xruns: Int = 0, underruns: Int = 0
    ) {
        self.state = state
        self.song = song
        self.volume = volume
        self.isMuted = isMuted
        self.hasNext = hasNext
        self.xruns = xruns
        self.underruns = underruns
    }
}
