import AudioCore

/// What the user of `tutti check` may want to know. Names may come from a peer: whoever shows them must make them safe
/// to show.
public enum ObserveNotice: Hashable, Sendable {
    /// Several broadcasts were found; this one is observed.
    case severalFound([String], taken: String)

    public var level: NoticeLevel {
        switch self {
        case .severalFound: .info
        }
    }
}
