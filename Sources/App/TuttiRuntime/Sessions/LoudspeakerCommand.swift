import AudioCore

/// A command to the loudspeakers of a listener, or of a broadcaster that plays too. What it sets is remembered for the
/// sound device.
public enum LoudspeakerCommand: Hashable, Sendable {
    case setVolume(Volume)
    /// Louder by so much, or softer if negative, within ``AudioCore/Volume/range``. Ends a mute.
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

extension LoudspeakerSettings {
    mutating func apply(_ command: LoudspeakerCommand) {
        switch command {
        case .setVolume(let volume): self.volume = volume
        case .changeVolume(let change):
            volume = volume.changed(by: change)
            isMuted = false
        case .setMuted(let isMuted), .setPaused(let isMuted): self.isMuted = isMuted
        case .toggleMute: isMuted.toggle()
        case .setRole(let role): self.role = role
        case .setOffset(let offset):
            self.offset = min(max(offset, Self.offsetRange.lowerBound), Self.offsetRange.upperBound)
        }
    }
}
