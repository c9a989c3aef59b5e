import AudioCore

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
    /// Bytes of an encoded ``InvitationRequest``: version, name, three keys, time and signature of the voucher; key,
    /// name and signature of who shows it.
    public static let requestByteCount = 1 + 65 + 3 * 32 + 8 + 64 + 32 + 65 + 64
    /// Bytes of the removals by which a member introduces itself: the largest one, and many of those that are usual.
    static let lastWordsByteCount = 12 * 1024
    /// How long a process still takes the removals of a machine of whose own removal it has heard: somewhat longer than
    /// one that was refused waits before it dials again (10 s).
    static let lastWordsTime = TimeSpan.seconds(15)
    /// How long an invitation may hold, in seconds: a year.
    public static let invitationSeconds: Int64 = 366 * 86_400
}
