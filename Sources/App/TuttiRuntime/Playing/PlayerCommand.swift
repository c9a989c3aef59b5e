import AudioCore

/// A command to a running player.
public enum PlayerCommand: Hashable, Sendable {
    case togglePause
    case setPaused(Bool)
    /// Forwards, or backwards if negative.
    case seek(by: TimeSpan)
    /// Seeks to a place in the song, counted from its beginning. One behind its end ends it.
    case setPosition(TimeSpan)
    /// Ends a mute.
    case setVolume(Volume)
    /// Louder by so much, or softer if negative, within ``AudioCore/Volume/range``. Ends a mute.
    case changeVolume(by: Int)
    case toggleMute
    case nextSong
    /// The song's beginning or, within its first seconds, the previous song.
    case previousSong
}
