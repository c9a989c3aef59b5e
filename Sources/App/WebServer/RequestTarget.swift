/// A request's target in origin form (RFC 9112 section 3.2.1), decoded.
struct RequestTarget: Equatable {
    /// As it was sent.
    let text: String
    let path: String
    let items: [(name: String, value: String)]

    /// - Throws: ``WebRefusal`` (400) for other forms, escapes that are none, control characters, bytes that are no
    ///   UTF-8, and paths that do not name one thing in one way.
    init(_ text: String) throws(WebRefusal) {
        self.text = text
        guard text.utf8.first == UInt8(ascii: "/") else { throw Self.refusal("begins with a slash") }
        // Clients keep a fragment to themselves.
        guard !text.utf8.contains(UInt8(ascii: "#")) else { throw Self.refusal("has no '#'") }
        let parts = text.utf8.split(separator: UInt8(ascii: "?"), maxSplits: 1, omittingEmptySubsequences: false)
        path = try Self.path(parts[0])
        items = parts.count > 1 ? try Self.items(parts[1]) : []
    }

    private static func path(_ bytes: Substring.UTF8View) throws(WebRefusal) -> String {
        let segments = bytes.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        var path = ""
        for (number, segment) in segments.enumerated() {
            let name = try decoded(segment, plusIsSpace: false)
            guard name != ".", name != "..", !name.utf8.contains(UInt8(ascii: "/")),
                !name.isEmpty || number == segments.count - 1
            else { throw refusal("has no '.', '..', '//' or '%2F' in its path") }
            path += "/" + name
        }
        return path
    }

    /// As forms are sent (URL Standard, application/x-www-form-urlencoded).
    private static func items(_ bytes: Substring.UTF8View) throws(WebRefusal) -> [(name: String, value: String)] {
        var items: [(name: String, value: String)] = []
        for item in bytes.split(separator: UInt8(ascii: "&")) {
            let parts = item.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            let name = try decoded(parts[0], plusIsSpace: true)
            items.append((name, parts.count > 1 ? try decoded(parts[1], plusIsSpace: true) : ""))
        }
        return items
    }

    private static func decoded(_ bytes: Substring.UTF8View, plusIsSpace: Bool) throws(WebRefusal) -> String {
        var (decoded, rest) = ([UInt8](), bytes)
        decoded.reserveCapacity(bytes.count)
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "%"):
                guard let high = rest.popFirst().flatMap(hexDigit), let low = rest.popFirst().flatMap(hexDigit) else {
                    throw refusal("has two hexadecimal digits after each '%'")
                }
                decoded.append(high << 4 | low)
            case UInt8(ascii: "+") where plusIsSpace: decoded.append(UInt8(ascii: " "))
            default: decoded.append(byte)
            }
        }
        guard !decoded.contains(where: { $0 < 0x20 || $0 == 0x7F }) else { throw refusal("has no control characters") }
        guard let text = String(validating: decoded, as: UTF8.self) else { throw refusal("is UTF-8") }
        return text
    }

    private static func hexDigit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    private static func refusal(_ rule: String) -> WebRefusal {
        WebRefusal(.badRequest, "A request's target \(rule): correct the address.")
    }

    static func == (one: RequestTarget, other: RequestTarget) -> Bool {
        one.text == other.text && one.path == other.path && one.items.elementsEqual(other.items, by: ==)
    }
}
