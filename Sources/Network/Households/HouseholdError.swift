/// What is wrong with a household's document, or with a change of it. The document stays as it was.
public enum HouseholdError: Error, Hashable, Sendable {
    /// The bytes are no document, or not in the one form that a document has.
    case malformed
    /// A statement is not signed by whom it names, or by a key that nobody let in.
    case notAuthentic
    /// The document is another household's.
    case otherHousehold
    /// It would hold more than a document may.
    case full
    /// Who makes the change is no member.
    case notMember
    /// The key was removed. A machine that is to come back makes a new one.
    case removedKey
    /// The name is empty or too long.
    case badName
}
