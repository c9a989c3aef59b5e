import AudioCore
import TerminalIO
import TuttiRuntime

extension LoudspeakerCommand {
    /// The command for a key of a listener's terminal; nil if the key has none. "=" is "+" without the shift key.
    init?(_ key: Key) {
        switch key {
        case .character("+"), .character("="): self = .changeVolume(by: Volume.step)
        case .character("-"): self = .changeVolume(by: -Volume.step)
        case .character("m"): self = .toggleMute
        default: return nil
        }
    }
}
