import SecureChannel

/// What a key is to a household.
public enum KeyStanding: String, Hashable, Sendable {
    case member
    /// It was let in, and is out again.
    case removed
    /// Nobody ever let it in, as far as the document says.
    case unknown
}

extension Household {
    public func standing(of key: PeerKey) -> KeyStanding {
        if isMember(key) { return .member }
        return isOut(key) ? .removed : .unknown
    }
}
