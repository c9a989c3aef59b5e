import SecureChannel

/// The pins as text to be stored: a line that says what it is, and one for each name, with tabs between key, time of
/// the last meeting in seconds since 1970, whether the user named it, and the name; the one met last comes first.
///
///     tutti peers 1
///     6b5a5fda058a87a1a632476c4c43c185b3d2e05e4b7ee0c58f2d66bd8d4f1f3a	1763740800	named	Kitchen
///     0f9c2d7dd9b1b8b3e0f4f0a1f7e0ac8fb3a1c3c9d2f7c7d0a5c1e7d2b6e4a9f8	1763740000	met	Attic
extension PinnedNames {
    private static let header = "tutti peers 1"

    /// Of a text written by anything else nothing is guessed: it is byte for byte what ``text`` gives.
    package init?(text bytes: [UInt8]) {
        let lines = bytes.split(separator: UInt8(ascii: "\n"))
        guard let first = lines.first, first.elementsEqual(Self.header.utf8) else { return nil }
        let pins = lines.dropFirst().compactMap { Pin(line: $0) }
        guard pins.count == lines.count - 1 else { return nil }
        self.init(pins)
        guard text == bytes else { return nil }
    }

    package var text: [UInt8] {
        let pins = all.sorted { ($1.lastMet, $0.name) < ($0.lastMet, $1.name) }
        return Array(([Self.header] + pins.map(\.line)).map { $0 + "\n" }.joined().utf8)
    }
}

extension PinnedNames.Pin {
    fileprivate var line: String { "\(key)\t\(lastMet)\t\(isNamed ? "named" : "met")\t\(name.text)" }

    fileprivate init?(line: ArraySlice<UInt8>) {
        let fields = line.split(separator: UInt8(ascii: "\t"), maxSplits: 3)
            .compactMap { String(validating: $0, as: UTF8.self) }
        guard fields.count == 4, let key = PeerKey(hex: fields[0]), let time = Int64(fields[1]),
            let name = PeerName(fields[3])
        else { return nil }
        self.init(MetPeer(name, key, isNamed: fields[2] == "named"), lastMet: time)
    }
}
