import AudioCore

// Shoutcast's protocol has no specification; servers agree on this: if the client sends "Icy-MetaData: 1", the server
// responds with "icy-metaint: N". After every N bytes of audio come a byte L and 16 L bytes of zero-padded text:
// StreamTitle='Artist - Song';StreamUrl='...'; usually L is 0.

/// Removes the metadata from a station's bytes.
package struct ICYStripper {
    /// Bytes of audio between two metadata blocks.
    let interval: Int
    /// The largest interval that occurs.
    static let intervalLimit = 16 * 1024 * 1024

    private enum Place {
        case audio(left: Int)
        case length
        case text(left: Int)
    }

    private var place: Place
    private var text: [UInt8] = []
    private var titles: [String] = []

    /// Returns nil for an impossible interval.
    package init?(interval: Int) {
        guard (1...Self.intervalLimit).contains(interval) else { return nil }
        self.interval = interval
        place = .audio(left: interval)
    }

    /// Moves the audio in a buffer to its front. Returns its size.
    package mutating func strip(_ buffer: UnsafeMutableRawBufferPointer) -> Int {
        var kept = 0
        var offset = 0
        while offset < buffer.count {
            let rest = buffer.count - offset
            switch place {
            case .audio(let left):
                let count = min(left, rest)
                if kept != offset, let base = buffer.baseAddress {
                    (base + kept).copyMemory(from: UnsafeRawPointer(base + offset), byteCount: count)
                }
                kept += count
                offset += count
                place = count == left ? .length : .audio(left: left - count)
            case .length:
                let count = Int(buffer[offset]) * 16
                offset += 1
                place = count == 0 ? .audio(left: interval) : .text(left: count)
            case .text(let left):
                let count = min(left, rest)
                text += buffer[offset..<offset + count]
                offset += count
                place = count == left ? .audio(left: interval) : .text(left: left - count)
                if count == left { endText() }
            }
        }
        return kept
    }

    /// Returns the titles received since the last call, in order.
    package mutating func takeTitles() -> [String] {
        defer { titles = [] }
        return titles
    }

    private mutating func endText() {
        if let title = Self.title(in: text) { titles.append(title) }
        text.removeAll(keepingCapacity: true)
    }

    /// Returns the value of `StreamTitle=`; an apostrophe ends it only if a semicolon follows.
    static func title(in bytes: [UInt8]) -> String? {
        let key = Array("StreamTitle='".utf8)
        let bytes = bytes.prefix { $0 != 0 }
        guard let start = bytes.indices.first(where: { bytes[$0...].starts(with: key) }) else { return nil }
        let rest = bytes[(start + key.count)...]
        let end = rest.indices.first { rest[$0...].starts(with: Array("';".utf8)) } ?? rest.endIndex
        let title = rest[..<end]
        // Older stations send ISO 8859-1.
        let text =
            String(validating: title, as: UTF8.self)
            ?? String(String.UnicodeScalarView(title.map { Unicode.Scalar($0) }))
        return text.allSatisfy(\.isWhitespace) ? nil : text
    }
}
