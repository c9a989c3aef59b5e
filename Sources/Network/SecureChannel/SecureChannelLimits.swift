import Cryptography

/// Limits of a handshake and of the records after it: how much one side makes the other keep.
public enum SecureChannelLimits {
    /// Bytes of what a handshake's second or third message carries beside keys.
    public static let payloadByteCount = 4_096
    /// Plaintext bytes in one record. A longer flush is split. With the 18 bytes around it a full record costs 0.11 %.
    public static let recordPlaintextByteCount = 16 * 1024
    /// Bytes of a shared part. On a slow link nothing of it is of use before all of it has arrived.
    public static let sharedPartByteCount = 32 * 1024
    /// Bytes by which a side shows who it is, after the handshake.
    public static let introductionByteCount = 16 * 1024
    /// Bytes of prologue.
    static let prologueByteCount = 256

    /// Bytes around a record's plaintext: length and tag.
    public static let recordOverhead = lengthByteCount + ChaChaPoly.tagByteCount

    static let lengthByteCount = 2
}
