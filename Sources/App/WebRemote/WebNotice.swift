import AudioCore

/// A notice about the page for browsers.
public enum WebNotice: Hashable, Sendable {
    /// The page is at this port; `wanted` is another one if that was taken.
    case listening(port: UInt16, wanted: UInt16)
    /// The page is gone from its port: nobody has a code that is good.
    case closed
    /// There is no page, for this reason.
    case unavailable(String)
    /// A page joined; `isGuest`: with a code.
    case joined(name: String, isGuest: Bool, address: String)
    case left(name: String)
    /// From this address come many wrong proofs of codes; the last was this.
    case suspicious(address: String, String)
    /// Who is a guest cannot be read; those that were known stay.
    case guestsUnreadable(String)

    public var level: NoticeLevel {
        switch self {
        case .joined, .left: .detail
        // Several broadcasts on one machine are nothing unusual.
        case .listening, .closed: .info
        case .unavailable, .suspicious, .guestsUnreadable: .warning
        }
    }
}
