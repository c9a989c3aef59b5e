import AudioCore

/// A command to a running player.
public enum PlayerCommand: Hashable, Sendable {
    case togglePause
    /// Forwards, or backwards if negative.
    case seek(by: TimeSpan)
    /// Added to the volume, which stays between 0 and 1.
    case changeVolume(by: Float)
    case toggleMute
    case nextSong
    /// The song's beginning or, within its first seconds, the previous song.
    case previousSong
}
