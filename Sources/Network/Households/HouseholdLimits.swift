/// Limits of a household: how much a document may hold, whoever sent it.
public enum HouseholdLimits {
    /// Keys that were ever let in, by whoever let them in.
    public static let admissionCount = 256
    /// Removals. Keys are removed for ever, so that these only grow.
    public static let removalCount = 256
    /// Bytes of a name in UTF-8.
    public static let nameByteCount = 64
    /// Bytes of an encoded document: it fits into one message.
    public static let documentByteCount = 192 * 1024
    public static let secretByteCount = 32
}
