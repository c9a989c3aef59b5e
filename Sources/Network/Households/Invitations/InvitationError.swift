/// Why an invitation does not let a machine in. Nothing has changed then.
public enum InvitationError: Error, Hashable, Sendable {
    /// The bytes are no invitation, or not in the one form that it has.
    case malformed
    /// Something in it is not signed by whom it names.
    case notAuthentic
    /// It is another household's.
    case otherHousehold
    /// Its time is over.
    case expired
    /// It has let a machine in.
    case used
    /// Who invited is no member, or no longer.
    case inviterIsNoMember
    /// It is shown by another key than the one that it is shown for.
    case foreignKey
    /// The machine's key was removed from the household. A machine that is to come back makes a new one.
    case removedKey
    /// Who is to invite, or to let in, is no member itself.
    case notMember
    /// A document that came in response was not sent by a member, or does not let this machine in.
    case notAdmitted
    /// What it would change is not allowed.
    case household(HouseholdError)
}
