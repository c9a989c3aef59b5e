import AudioCore

/// A command to a running player.
public enum PlayerCommand: Hashable, Sendable {
    case togglePause
    /// Forwards, or backwards if negative.
    case seek(by: TimeSpan)
    /// Louder by so much, or softer if negative, within ``AudioCore/Volume/range``. Ends a mute.
    case changeVolume(by: Int)
    case toggleMute
    case nextSong
    /// The song's beginning or, within its first seconds, the previous song.
    case previousSong
}
