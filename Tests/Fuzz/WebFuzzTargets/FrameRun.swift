/// Bytes of one WebSocket: whole, in pieces; the same messages must arrive, and what comes back must be a server's
/// frames.
struct FrameRun {
    private let pieces: [Int]
    private let bytes: [UInt8]

    init(_ input: [UInt8]) {
        pieces = Pieces.sizes(input.prefix(Pieces.byteCount))
        bytes = Array(input.dropFirst(Pieces.byteCount))
    }

    static let handshake =
        "GET /socket HTTP/1.1\r\nHost: kitchen\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
        + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"

    func violation() -> String? {
        let (whole, cut) = (FuzzedConnection(messageByteLimit: 1_000), FuzzedConnection(messageByteLimit: 1_000))
        let greeting = Array(Self.handshake.utf8)
        whole.say(greeting, in: [greeting.count])
        cut.say(greeting, in: [greeting.count])
        let start = whole.heard.count
        whole.say(bytes, in: [max(1, bytes.count)])
        cut.say(bytes, in: pieces)
        if whole.messages != cut.messages { return "in pieces: \(cut.messages.count) messages" }
        if let violation = whole.violationAtEnd() ?? cut.violationAtEnd() { return violation }
        guard let ends = Self.closes(whole.heard[start...]), let others = Self.closes(cut.heard[start...]) else {
            return "these are no frames of a server"
        }
        return ends == others ? nil : "in pieces it ends otherwise"
    }

    /// The contents of close frames, of which there may be one, behind all others; nil for what no server sends.
    private static func closes(_ bytes: ArraySlice<UInt8>) -> [ArraySlice<UInt8>]? {
        var (closes, rest) = ([ArraySlice<UInt8>](), bytes)
        while let first = rest.popFirst() {
            guard closes.isEmpty, [0x81, 0x88, 0x89, 0x8A].contains(first), let short = rest.popFirst() else {
                return nil
            }
            var length = Int(short)
            if short == 126 {
                length = rest.prefix(2).reduce(0) { $0 << 8 | Int($1) }
                rest = rest.dropFirst(2)
            }
            guard length <= 1_000, rest.count >= length else { return nil }
            if first == 0x88 { closes.append(rest.prefix(length)) }
            rest = rest.dropFirst(length)
        }
        return closes
    }
}

extension FrameRun {
    static var seeds: [[UInt8]] {
        func frame(_ first: UInt8, _ content: [UInt8]) -> [UInt8] {
            let key: [UInt8] = [1, 2, 3, 4]
            let length: [UInt8] =
                content.count < 126
                ? [0x80 | UInt8(content.count)] : [0xFE, UInt8(content.count >> 8), UInt8(content.count & 0xFF)]
            return [first] + length + key + content.enumerated().map { $1 ^ key[$0 % 4] }
        }
        let text = Array("caf\u{E9}".utf8)
        let conversations: [[UInt8]] = [
            frame(0x81, text) + frame(0x82, [1, 2, 3]) + frame(0x88, [3, 0xE8]),
            frame(0x01, Array(text.prefix(4))) + frame(0x89, [7]) + frame(0x80, [text[4]]),
            frame(0x81, [UInt8](repeating: 0x61, count: 700)) + frame(0x8A, []),
            frame(0x02, [UInt8](repeating: 1, count: 700)) + frame(0x80, [UInt8](repeating: 1, count: 700)),
            frame(0x81, [0xFF]), [0x81, 1, 0x61], [0x82, 0xFF, 0, 0, 1, 0, 0, 0, 0, 0, 1, 2, 3, 4], frame(0xC1, text),
            frame(0x88, []) + frame(0x81, text),
            // The longest message, and one byte more.
            frame(0x82, [UInt8](repeating: 1, count: 1_000)), frame(0x82, [UInt8](repeating: 1, count: 1_001)),
            // Control frames: the longest, one too long, one in two parts.
            frame(0x89, [UInt8](repeating: 2, count: 125)), frame(0x89, [UInt8](repeating: 2, count: 126)),
            frame(0x09, [1]) + frame(0x80, [2]),
            // The end of a message that did not begin, a message in another, a length in more bytes than it takes.
            frame(0x80, [1]), frame(0x01, [0x61]) + frame(0x81, [0x62]), [0x81, 0xFE, 0, 1, 0, 0, 0, 0, 0x61],
            // Closes without a code, with half of one, with one that is none, with a reason that is no UTF-8.
            frame(0x88, [3]), frame(0x88, [3, 0xED]), frame(0x88, [3, 0xE8, 0xFF]), frame(0x88, [3, 0xE9, 0x6F, 0x6B]),
            // A kind of frame that there is not.
            frame(0x83, [1]), frame(0x8B, []),
        ]
        let sizes: [[UInt8]] = [[1, 0, 0, 0, 0], [7, 3, 0x41, 9, 0xC1]]
        return sizes.flatMap { size in conversations.map { size + $0 } }
    }
}
