import AudioCore
import TuttiRuntime

extension LoudspeakerCommand {
    /// The command for a key of a listener's terminal; nil if the key has none. "=" is "+" without the shift key.
    init?(_ key: Key) {
        switch key {
        case .character(UInt8(ascii: "+")), .character(UInt8(ascii: "=")): self = .changeVolume(by: Volume.step)
        case .character(UInt8(ascii: "-")): self = .changeVolume(by: -Volume.step)
        case .character(UInt8(ascii: "m")): self = .toggleMute
        case .up, .down, .left, .right, .character: return nil
        }
    }
}
