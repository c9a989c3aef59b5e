import AudioCore

/// A notice about whom this machine takes part with.
public enum HouseholdNotice: Hashable, Sendable {
    /// There is no household: anybody on the network may take part.
    case open
    /// It belongs to the household of this name.
    case member(String)
    /// It was removed from the household of this name.
    case removed(String)
    /// Its key is none that the household of this name ever had: the one that it was let in with is lost.
    case unknownKey(String)
    /// It was invited into the household of this name, and looks for a member.
    case waiting(String)
    /// The Tutti of this name did not let it in, though it shows its invitation.
    case notLetIn(by: String, reason: String)
    /// It let a machine of this name in, which showed an invitation.
    case admitted(String)
    /// What another member says of the household of this name finds no room in the document any more.
    case full(String)

    public var level: NoticeLevel {
        switch self {
        case .open, .member, .waiting, .admitted: .info
        case .removed, .unknownKey, .notLetIn, .full: .warning
        }
    }
}
