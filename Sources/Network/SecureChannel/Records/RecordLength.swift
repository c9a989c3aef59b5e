import Cryptography

/// The first two bytes of a record: how many follow, and whether they announce a ``SharedPart``.
struct RecordLength: Hashable {
    /// The highest bit is set for an announcement.
    let rawValue: UInt16

    /// - Parameter plaintextByteCount: at most ``SecureChannelLimits/recordPlaintextByteCount``.
    init(plaintextByteCount: Int) { rawValue = UInt16(plaintextByteCount + ChaChaPoly.tagByteCount) }

    private init(announcing: Self) { rawValue = announcing.rawValue | Self.announcing }

    /// Nil where there are fewer than two bytes.
    init?(from bytes: UnsafeRawBufferPointer) {
        guard bytes.count >= MemoryLayout<UInt16>.size else { return nil }
        rawValue = UInt16(bigEndian: bytes.loadUnaligned(as: UInt16.self))
    }

    /// All announcements are of this length.
    static let announcement = Self(announcing: Self(plaintextByteCount: SharedPart.Announcement.byteCount))

    var isAnnouncement: Bool { self == .announcement }

    /// Bytes of a record that is no announcement; too many for one if the bit is set.
    var byteCount: Int { isAnnouncement ? Int(rawValue & ~Self.announcing) : Int(rawValue) }

    private static let announcing: UInt16 = 1 << 15
}
