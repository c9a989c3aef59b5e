/// Messages in the frames of a WebSocket's client (RFC 6455), behind the server's answer to the request for one. All
/// have the same mask: nothing here is secret, and no proxy is in between. Firefox takes none of zeros.
struct WebSocketFraming: MessageFraming {
    /// The server's answer has come.
    private(set) var isOpen = false
    /// Read, and not parsed yet.
    private var received: [UInt8] = []
    /// Of a message whose last frame is still to come.
    private var message: [UInt8] = []

    private static let mask: [UInt8] = [0x54, 0x75, 0x74, 0x69]
    private static let headByteLimit = 16_384

    /// What asks for the WebSocket. Firefox loses messages that come before it has answered.
    static func request(for path: String, port: String) -> [UInt8] {
        Array(
            ("GET \(path) HTTP/1.1\r\nHost: 127.0.0.1:\(port)\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n").utf8)
    }

    /// A text in one frame (section 5.2).
    func framed(_ message: [UInt8]) -> [UInt8] {
        let count = message.count
        // The length: in seven bits, or in the two or eight bytes behind 126 and 127.
        let (short, width) = count < 126 ? (UInt8(count), 0) : count < 0x1_0000 ? (126, 2) : (127, 8)
        let length = (0..<width).reversed().map { UInt8(truncatingIfNeeded: count >> (8 * $0)) }
        return [0x81, 0x80 | short] + length + Self.mask + message.indices.map { message[$0] ^ Self.mask[$0 & 3] }
    }

    mutating func take(_ bytes: ArraySlice<UInt8>) throws(BrowserError) -> [[UInt8]] {
        received += bytes
        if !isOpen { try open() }
        guard isOpen else { return [] }
        var messages: [[UInt8]] = []
        var place = 0
        while let frame = try frame(at: place) {
            place = frame.payload.upperBound
            // Pings and pongs are no part of a message; a client that leads a browser need not answer them.
            guard frame.operation < 8 else { continue }
            guard message.count + frame.payload.count <= messageByteLimit else { throw .malformedMessage }
            message += received[frame.payload]
            guard frame.isLast else { continue }
            messages.append(message)
            message = []
        }
        received.removeFirst(place)
        return messages
    }

    /// Takes the answer, if it is whole.
    private mutating func open() throws(BrowserError) {
        let end = Array("\r\n\r\n".utf8)
        guard received.count >= end.count else { return }
        let place = (0...received.count - end.count).first { received[$0..<$0 + end.count].elementsEqual(end) }
        guard let place else {
            guard received.count <= Self.headByteLimit else { throw .malformedMessage }
            return
        }
        guard received.starts(with: "HTTP/1.1 101".utf8) else { throw .malformedMessage }
        received.removeFirst(place + end.count)
        isOpen = true
    }

    /// A whole frame; a server's are not masked.
    private func frame(
        at start: Int
    ) throws(BrowserError) -> (isLast: Bool, operation: UInt8, payload: Range<Int>)? {
        guard start + 2 <= received.count else { return nil }
        let short = Int(received[start + 1] & 0x7F)
        let width = short == 126 ? 2 : short == 127 ? 8 : 0
        let first = start + 2 + width
        guard first <= received.count else { return nil }
        let length = width == 0 ? short : received[start + 2..<first].reduce(0) { $0 &<< 8 | Int($1) }
        guard (0...messageByteLimit).contains(length) else { throw .malformedMessage }
        guard length <= received.count - first else { return nil }
        return (received[start] & 0x80 != 0, received[start] & 0x0F, first..<first + length)
    }
}
