import ProgrammeJSON

/// What somebody may do by a page.
typealias PageRights = Set<ProgrammeRight>

extension Set<ProgrammeRight> {
    /// In the order in which they are listed.
    var json: JSONValue { .array(ProgrammeRight.allCases.filter(contains).map { .string($0.rawValue) }) }
}

/// What a guest's code is good for. Each role includes those before it.
public enum GuestRole: String, CaseIterable, Hashable, Sendable {
    case listen, add, command

    public var rights: Set<ProgrammeRight> {
        switch self {
        case .listen: [.listen]
        case .add: [.listen, .add]
        case .command: [.listen, .add, .command]
        }
    }
}
