/// Why an invitation does not bring this machine into a household. The names are households'.
public enum EnrolmentFailure: Hashable, Sendable {
    /// The invitation's time is over.
    case invitationIsOver(String)
    /// This machine belongs to another one, of this name.
    case otherHousehold(String)
    /// It was removed from that household.
    case removed(String)
    /// It has the household's document, and a key that the household never let in.
    case unknownKey(String)
    /// There is neither mDNS nor an address.
    case nobodyToAsk
}
