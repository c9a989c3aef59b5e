import AudioCore

/// A command to the loudspeakers of a listener, or of a broadcaster that plays too. What it sets is remembered for the
/// sound device. None makes a listener louder than its ``JoinOptions/volumeLimit``.
public enum LoudspeakerCommand: Hashable, Sendable {
    case setVolume(Volume)
    /// Louder by so much, or softer if negative, than what is heard, within ``AudioCore/Volume/range``. Ends a mute.
    case changeVolume(by: Int)
    case setMuted(Bool)
    case toggleMute
    /// A mute that is not remembered, and its end.
    case setPaused(Bool)
    /// Cross-fades.
    case setRole(ChannelRole)
    /// What sounds fades out and in. Kept within ``AudioCore/LoudspeakerSettings/offsetRange``.
    case setOffset(TimeSpan)
}
