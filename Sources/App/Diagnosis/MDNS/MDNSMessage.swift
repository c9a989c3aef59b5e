// The few parts of DNS messages that a doctor needs: to ask who answers for a host name (RFC 1035 section 4.1), and to
// read the addresses in what comes back. Whatever comes back is bounded: a message is read once, from its beginning to
// its end, names are compared as they are compressed, and pointers are followed a few times only.

/// A question for the addresses of a host, as a program asks that has no mDNS of its own (RFC 6762 section 5.1): the
/// answers come to its own port, whoever gives them.
enum MDNSMessage {
    /// An address record of an answer.
    struct Address: Hashable, Sendable {
        /// In lower case, with dots between its labels.
        var host: String
        /// IPv4, in text.
        var address: String
    }

    private static let typeA: UInt16 = 1
    private static let classInternet: UInt16 = 1
    private static let pointerLimit = 16
    private static let recordLimit = 64

    /// - Returns: nil for a name that DNS cannot carry.
    static func question(forAddressesOf host: String, id: UInt16) -> [UInt8]? {
        var bytes = words([id, 0, 1, 0, 0, 0])
        let labels = host.split(separator: ".", omittingEmptySubsequences: false).map { Array($0.utf8) }
        guard labels.allSatisfy({ (1...63).contains($0.count) }), host.utf8.count <= 253 else { return nil }
        for label in labels { bytes += [UInt8(label.count)] + label }
        return bytes + [0] + words([typeA, classInternet])
    }

    /// The IPv4 addresses in an answer with this number; nil for anything that is no answer to it.
    static func addresses(in message: [UInt8], id: UInt16) -> [Address]? {
        var reader = Reader(message)
        guard let header = reader.words(6), header[0] == id, header[1] & 0x8000 != 0 else { return nil }
        for _ in 0..<min(Int(header[2]), recordLimit) {
            guard reader.name() != nil, reader.words(2) != nil else { return nil }
        }
        var found: [Address] = []
        for _ in 0..<min(Int(header[3]), recordLimit) {
            guard let host = reader.name(), let fields = reader.words(5), let data = reader.bytes(Int(fields[4])) else {
                break
            }
            // The highest bit of the class tells to flush caches (RFC 6762 section 10.2).
            guard fields[0] == typeA, fields[1] & 0x7FFF == classInternet, data.count == 4 else { continue }
            found.append(Address(host: host.lowercased(), address: data.map(String.init).joined(separator: ".")))
        }
        return found
    }

    private static func words(_ words: [UInt16]) -> [UInt8] {
        words.flatMap { [UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)] }
    }

    private struct Reader {
        private let message: [UInt8]
        private var place = 0

        init(_ message: [UInt8]) { self.message = message }

        mutating func bytes(_ count: Int) -> ArraySlice<UInt8>? {
            guard count <= message.count - place else { return nil }
            defer { place += count }
            return message[place..<place + count]
        }

        mutating func words(_ count: Int) -> [UInt16]? {
            bytes(2 * count).map { bytes in
                (0..<count).map {
                    UInt16(bytes[bytes.startIndex + 2 * $0]) << 8 | UInt16(bytes[bytes.startIndex + 2 * $0 + 1])
                }
            }
        }

        /// A name, perhaps compressed (RFC 1035 section 4.1.4).
        mutating func name() -> String? {
            var labels: [String] = []
            var position = place
            var end: Int?
            var pointers = 0
            while position < message.count {
                let length = Int(message[position])
                if length == 0 {
                    place = end ?? position + 1
                    return labels.joined(separator: ".")
                }
                if length >= 0xC0 {
                    guard position + 1 < message.count, pointers < MDNSMessage.pointerLimit else { return nil }
                    end = end ?? position + 2
                    position = (length & 0x3F) << 8 | Int(message[position + 1])
                    pointers += 1
                } else {
                    guard length < 64, position + 1 + length <= message.count, labels.count < 128 else { return nil }
                    labels.append(String(decoding: message[position + 1..<position + 1 + length], as: UTF8.self))
                    position += 1 + length
                }
            }
            return nil
        }
    }
}
