import Cryptography

// A guest's code never travels. Both sides show that they have it by codes of authentication (HMAC-SHA-256, RFC 2104)
// over texts that begin with what they are for, so that none of them serves as another. Each conversation has a key of
// its own, made of two nonces, one of each side: what was said in one proves nothing in the next. That protects a guest
// from whoever only listens to the network, and the house from whoever repeats what was heard. Against somebody who
// changes the page itself on its way to the browser only TLS helps.

/// The proofs that a guest has the code, and that the page comes from who gave it.
enum GuestProof {
    /// Bytes of a nonce; twice as many digits.
    static let nonceByteCount = 16
    static let macByteCount = 32

    /// What a guest proves itself with when it joins.
    static func join(_ key: SecretBytes, _ nonces: Nonces) -> SecretBytes { mac(key, "tutti join\n\(nonces.text)") }

    /// The key of one conversation.
    static func sessionKey(_ key: SecretBytes, _ nonces: Nonces) -> SecretBytes {
        mac(key, "tutti session\n\(nonces.text)")
    }

    /// What the site proves itself with once a guest has joined.
    static func joined(_ sessionKey: SecretBytes, ticket: Ticket) -> SecretBytes {
        mac(sessionKey, "tutti joined\n\(ticket.hex)")
    }

    /// What a guest's request of a conversation carries.
    static func request(_ sessionKey: SecretBytes, number: UInt64, text: String) -> SecretBytes {
        mac(sessionKey, "tutti request\n\(number)\n\(text)")
    }

    /// What a guest's HTTP request carries.
    /// - Parameter target: as it was sent, with the query.
    static func http(
        _ key: SecretBytes, number: UInt64, method: String, target: String, bodyDigest: Bytes32
    ) -> SecretBytes {
        mac(key, "tutti http\n\(number)\n\(method)\n\(target)\n\(bodyDigest.hex)")
    }

    private static func mac(_ key: SecretBytes, _ text: String) -> SecretBytes {
        Hashing.hmacSHA256(key: key, Array(text.utf8))
    }

    /// Compares a code with what somebody states, in a time that does not depend on either.
    static func matches(_ mac: SecretBytes, hex: String) -> Bool {
        guard hex.isLowerHex(digitCount: 2 * macByteCount), let stated = [UInt8](hexDigits: Array(hex.utf8)) else {
            return false
        }
        return mac.matches(stated)
    }

    /// One of each side, in hexadecimal digits.
    struct Nonces {
        let server: String
        let client: String

        var text: String { "\(server)\n\(client)" }
    }
}

extension SecretBytes {
    /// In lower-case hexadecimal digits, for those that are no secret any more.
    var hex: String { withBytes { String(decoding: Array($0).hexDigits, as: UTF8.self) } }
}
