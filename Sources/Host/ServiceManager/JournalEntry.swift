import AudioCore

/// One entry of the system's journal: fields of names and values, in its native protocol
/// (systemd.io/JOURNAL_NATIVE_PROTOCOL).
public struct JournalEntry: Hashable, Sendable {
    /// Syslog's severities (RFC 5424, section 6.2.1).
    public enum Priority: Int, Hashable, Sendable {
        case error = 3
        case warning = 4
        case notice = 5
        case information = 6
        case debug = 7
    }

    public struct Field: Hashable, Sendable {
        /// Capital letters, digits and underscores; begins with a letter.
        public var name: FieldName
        public var value: String

        public init(_ name: FieldName, _ value: String) {
            self.name = name
            self.value = value
        }
    }

    /// The names of the fields that Tutti writes beside those of the journal itself.
    public enum FieldName: String, Hashable, Sendable, CaseIterable {
        /// What happened: a word that stays the same from release to release.
        case event = "TUTTI_EVENT"
        /// The name of the other Tutti.
        case peer = "TUTTI_PEER"
        case device = "TUTTI_DEVICE"
        case song = "TUTTI_SONG"
        /// How far off sound was that was placed anew, in microseconds.
        case error = "TUTTI_ERROR_USEC"
        /// The exit code, at the end.
        case exitCode = "TUTTI_EXIT_CODE"
    }

    public var priority: Priority
    /// For people: one line.
    public var message: String
    public var fields: [Field]

    public init(_ priority: Priority, _ message: String, _ fields: [Field] = []) {
        self.priority = priority
        self.message = message
        self.fields = fields
    }

    /// The longest value of a field, in bytes; what is beyond is cut. With ``fieldCountLimit`` fields an entry is far
    /// smaller than the largest datagram.
    static let valueByteCountLimit = 4_096
    /// The most fields beside the message and its priority; what is beyond is left out.
    static let fieldCountLimit = 8

    /// As the journal reads it.
    var datagram: [UInt8] {
        var bytes: [UInt8] = []
        Self.append("PRIORITY", "\(priority.rawValue)", to: &bytes)
        Self.append("SYSLOG_IDENTIFIER", "tutti", to: &bytes)
        Self.append("MESSAGE", message, to: &bytes)
        for field in fields.prefix(Self.fieldCountLimit) { Self.append(field.name.rawValue, field.value, to: &bytes) }
        return bytes
    }

    /// A value with a line break follows its length, as a little-endian number of 64 bits.
    private static func append(_ name: String, _ value: String, to bytes: inout [UInt8]) {
        let value = cut(value)
        bytes += Array(name.utf8)
        if value.contains(UInt8(ascii: "\n")) {
            bytes.append(UInt8(ascii: "\n"))
            withUnsafeBytes(of: UInt64(value.count).littleEndian) { bytes += Array($0) }
        } else {
            bytes.append(UInt8(ascii: "="))
        }
        bytes += value
        bytes.append(UInt8(ascii: "\n"))
    }

    /// Between two scalars.
    private static func cut(_ value: String) -> ArraySlice<UInt8> {
        let bytes = Array(value.utf8)
        guard bytes.count > valueByteCountLimit else { return bytes[...] }
        var end = valueByteCountLimit
        while end > 0, bytes[end] & 0xC0 == 0x80 { end -= 1 }
        return bytes[..<end]
    }
}
