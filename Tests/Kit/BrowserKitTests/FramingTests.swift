import Testing

@testable import BrowserKit

/// How messages stand in what a browser sends, in any pieces.
@Suite(.timeLimit(.minutes(5)))
struct FramingTests {
    private static let answer = "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n"

    /// A server's frame (RFC 6455, section 5.2).
    private static func frame(_ first: UInt8, _ payload: [UInt8]) -> [UInt8] {
        let count = payload.count
        let length: [UInt8] =
            count < 126
            ? [UInt8(count)]
            : count < 0x1_0000
                ? [126, UInt8(count >> 8), UInt8(count & 0xFF)]
                : [127] + (0..<8).reversed().map { UInt8(truncatingIfNeeded: count >> (8 * $0)) }
        return [first] + length + payload
    }

    private static func messages(
        _ bytes: [UInt8], to framing: some MessageFraming, inPiecesOf size: Int
    ) throws(BrowserError) -> [[UInt8]] {
        var (framing, messages) = (framing, [[UInt8]]())
        for start in stride(from: 0, to: bytes.count, by: size) {
            messages += try framing.take(bytes[start..<min(start + size, bytes.count)])
        }
        return messages
    }

    @Test(arguments: [1, 2, 7, 1_000, 1_000_000]) func webSocketsMessagesAreWhole(size: Int) throws {
        let (long, longest) = ([UInt8](repeating: 1, count: 300), [UInt8](repeating: 2, count: 70_000))
        let bytes =
            Array(Self.answer.utf8) + Self.frame(0x81, [7]) + Self.frame(0x81, long) + Self.frame(0x01, [1, 2])
            + Self.frame(0x89, [9, 9]) + Self.frame(0x80, [3]) + Self.frame(0x81, longest)
        let messages = try Self.messages(bytes, to: WebSocketFraming(), inPiecesOf: size)
        #expect(messages == [[7], long, [1, 2, 3], longest])
    }

    @Test(arguments: [0, 1, 125, 126, 65_535, 65_536]) func aClientsFramesAreMasked(count: Int) throws {
        let message = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 7) }
        let frame = WebSocketFraming().framed(message)
        let width = count < 126 ? 0 : count < 65_536 ? 2 : 8
        try #require(frame.count == 2 + width + 4 + count)
        #expect(frame[0] == 0x81)
        let short = Int(frame[1] & 0x7F)
        let length = width == 0 ? short : frame[2..<2 + width].reduce(0) { $0 << 8 | Int($1) }
        #expect(frame[1] & 0x80 != 0 && length == count && (short < 126) == (width == 0))
        let key = Array(frame[(2 + width)..<(6 + width)])
        #expect(key != [0, 0, 0, 0])
        #expect(frame[(6 + width)...].enumerated().map { $1 ^ key[$0 % 4] } == message)
    }

    @Test func aWebSocketIsOpenOnceItIsGranted() throws {
        var framing = WebSocketFraming()
        #expect(!framing.isOpen)
        _ = try framing.take(Array(Self.answer.utf8.dropLast())[...])
        #expect(!framing.isOpen)
        _ = try framing.take(Array("\n".utf8)[...])
        #expect(framing.isOpen)
    }

    @Test(arguments: [
        Array("HTTP/1.1 404 Not Found\r\n\r\n".utf8), [UInt8](repeating: 65, count: 20_000),
        Array(answer.utf8) + [0x81, 127, 0xFF, 0, 0, 0, 0, 0, 0, 0],
        Array(answer.utf8) + [0x81, 127, 0, 0, 0, 1, 0, 0, 0, 0],
    ]) func whatIsNoWebSocketIsRefused(bytes: [UInt8]) {
        #expect(throws: BrowserError.self) { try Self.messages(bytes, to: WebSocketFraming(), inPiecesOf: 5_000) }
    }

    @Test(arguments: [1, 3, 100]) func messagesEndWithNUL(size: Int) throws {
        let bytes = NULFraming().framed([1, 2]) + NULFraming().framed([]) + NULFraming().framed([3]) + [4]
        #expect(try Self.messages(bytes, to: NULFraming(), inPiecesOf: size) == [[1, 2], [], [3]])
    }
}
