/// How much a line of explanation matters to a person.
public enum NoticeLevel: String, Hashable, Sendable {
    /// Shown with `--verbose` only.
    case detail
    case info
    case warning
}
