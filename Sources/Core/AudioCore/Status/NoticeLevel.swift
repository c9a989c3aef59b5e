/// How important a notice is to the user.
public enum NoticeLevel: String, Hashable, Sendable {
    /// Shown with `--verbose` only.
    case detail
    case info
    case warning
}
