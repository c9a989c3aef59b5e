/// The strings of a DNS-SD TXT record, as key and value pairs (RFC 6763 section 6).
///
/// A string is `key=value`, or `key` alone. Keys compare without regard to ASCII case, and the first of duplicate keys
/// counts (section 6.4). Strings without a key are ignored. Reading never fails.
struct TXTRecord: Hashable, Sendable {
    private(set) var strings: [[UInt8]] = []

    init() {}

    /// Takes strings as they arrived; drops what exceeds the limits.
    init(strings: some Sequence<[UInt8]>) {
        self.strings = strings.prefix(DiscoveryLimits.txtStringCount).filter {
            $0.count <= DiscoveryLimits.txtStringByteCount
        }
    }

    /// Returns the value's bytes; empty for a key without a value, nil for a missing key.
    func value(of key: StaticString) -> ArraySlice<UInt8>? {
        for string in strings {
            let end = string.firstIndex(of: UInt8(ascii: "=")) ?? string.endIndex
            guard string[..<end].elementsEqual(key.bytes, by: { $0.lowercasedASCII == $1 }) else { continue }
            return string[end...].dropFirst()
        }
        return nil
    }

    /// Adds a pair. Key and value must fit into one string; anything else is a programming error.
    mutating func append(_ key: StaticString, _ value: String) {
        let string = Array(key.bytes) + [UInt8(ascii: "=")] + Array(value.utf8)
        precondition(string.count <= DiscoveryLimits.txtStringByteCount)
        strings.append(string)
    }
}

extension StaticString {
    fileprivate var bytes: UnsafeBufferPointer<UInt8> {
        UnsafeBufferPointer(start: utf8Start, count: utf8CodeUnitCount)
    }
}

extension UInt8 {
    fileprivate var lowercasedASCII: UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self
    }
}
