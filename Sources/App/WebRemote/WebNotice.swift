import AudioCore
import WireProtocol

/// A notice about the page for browsers.
public enum WebNotice: Hashable, Sendable {
    /// The page is here; `wanted` is another port if that was taken.
    case listening(PageLocation, wanted: UInt16)
    /// The certificate's files have changed, and the page has the new one from now on. It is here, or nowhere.
    case renewed(PageLocation?)
    /// Something is to be said of the certificate that the page has from now on.
    case certificateDoubtful(String)
    /// The certificate's files have changed and are of no use; the page has the former one.
    case certificateUnusable(String)
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
        case .listening, .closed, .renewed: .info
        case .unavailable, .suspicious, .guestsUnreadable, .certificateDoubtful, .certificateUnusable: .warning
        }
    }
}
