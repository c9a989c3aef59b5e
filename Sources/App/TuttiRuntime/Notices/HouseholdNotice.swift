import AudioCore

/// A notice about whom this machine takes part with.
public enum HouseholdNotice: Hashable, Sendable {
    /// There is no household: anybody on the network may take part.
    case open
    /// It belongs to the household of this name.
    case member(String)
    /// It was removed from the household of this name.
    case removed(String)

    public var level: NoticeLevel {
        switch self {
        case .open, .member: .info
        case .removed: .warning
        }
    }
}
