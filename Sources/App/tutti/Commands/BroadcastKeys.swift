import AudioCore
import TerminalIO
import TuttiRuntime

extension ProgrammeOperation {
    /// The command for a key of a broadcaster's or a listener's terminal; nil if the key has none.
    init?(_ key: Key) {
        switch key {
        case .left: self = .skip(by: .seconds(-10))
        case .right: self = .skip(by: .seconds(10))
        case .character(" "): self = .toggle
        case .character("n"): self = .next
        case .character("p"): self = .previous
        case .character("s"): self = .stop
        default: return nil
        }
    }
}
