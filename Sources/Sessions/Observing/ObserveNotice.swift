import AudioCore

/// What somebody who looks on at a broadcast may want to know. Names may be those of a peer: whoever shows them must make
/// them safe to show.
public enum ObserveNotice: Hashable, Sendable {
    /// Of several broadcasts the oldest is looked at.
    case severalFound([String], taken: String)

    public var level: NoticeLevel {
        switch self {
        case .severalFound: .info
        }
    }
}
