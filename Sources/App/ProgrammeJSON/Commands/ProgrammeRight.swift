import WireProtocol

/// What somebody may do with a broadcast by its page.
public enum ProgrammeRight: String, CaseIterable, Hashable, Sendable {
    /// Hear it, and see what it plays.
    case listen
    /// Search the library, and add songs.
    case add
    /// Change what plays, the queue's order, and how listeners sound.
    case command
}

extension CommandOperation {
    /// The right that it takes.
    public var right: ProgrammeRight {
        switch self {
        case .programme(.add), .programme(.insert): .add
        case .programme, .listeners, .unknown: .command
        }
    }
}
