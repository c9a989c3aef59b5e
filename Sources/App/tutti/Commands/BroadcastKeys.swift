import AudioCore
import TuttiRuntime

extension ProgrammeOperation {
    /// The command for a key of a broadcaster's or a listener's terminal; nil if the key has none.
    init?(_ key: Key) {
        switch key {
        case .left: self = .skip(by: .seconds(-10))
        case .right: self = .skip(by: .seconds(10))
        case .character(UInt8(ascii: " ")): self = .toggle
        case .character(UInt8(ascii: "n")): self = .next
        case .character(UInt8(ascii: "p")): self = .previous
        case .character(UInt8(ascii: "s")): self = .stop
        case .up, .down, .character: return nil
        }
    }
}
