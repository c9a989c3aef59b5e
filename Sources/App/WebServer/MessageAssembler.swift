import NIOCore
import NIOWebSocket

/// Puts a client's frames together to messages, and looks whether they are what a client may send (RFC 6455
/// section 5).
struct MessageAssembler {
    enum Message: Equatable {
        case text(String)
        case binary(ByteBuffer)
        case ping(ByteBuffer)
        case pong
        case close(CloseReason)
    }

    private enum Kind { case text, binary }

    private let byteLimit: Int
    /// Of the message that is being received; nil between messages.
    private var kind: Kind?
    /// What has come of it. Nothing else may hold that, or every fragment would copy it.
    private var held = ByteBuffer()

    /// - Parameter byteLimit: of one message.
    init(byteLimit: Int) { self.byteLimit = byteLimit }

    /// Returns a message that is whole with this frame.
    /// - Throws: ``CloseReason`` for frames after which the connection is to be closed.
    mutating func take(_ frame: WebSocketFrame) throws(CloseReason) -> Message? {
        guard frame.maskKey != nil else { throw CloseReason(1002, "Frames of clients are masked.") }
        guard frame.reservedBits.isEmpty else { throw CloseReason(1002, "No extension was agreed on.") }
        let data = frame.unmaskedData
        switch (frame.opcode, kind) {
        case (.ping, _): return .ping(data)
        case (.pong, _): return .pong
        case (.connectionClose, _): return .close(try CloseReason(payload: data))
        case (.text, nil): return try append(data, to: .text, isLast: frame.fin)
        case (.binary, nil): return try append(data, to: .binary, isLast: frame.fin)
        case (.continuation, let kind?): return try append(data, to: kind, isLast: frame.fin)
        case (.continuation, nil): throw CloseReason(1002, "A frame continues no message.")
        case (.text, _), (.binary, _): throw CloseReason(1002, "A message begins within another.")
        default: throw CloseReason(1002, "There is no such opcode.")
        }
    }

    private mutating func append(
        _ data: ByteBuffer, to kind: Kind, isLast: Bool
    ) throws(CloseReason) -> Message? {
        guard held.readableBytes + data.readableBytes <= byteLimit else { throw .tooLarge(byteLimit) }
        if held.readableBytes > 0 || !isLast { held.writeImmutableBuffer(data) }
        guard isLast else {
            self.kind = kind
            return nil
        }
        let whole = held.readableBytes > 0 ? held : data
        (self.kind, held) = (nil, ByteBuffer())
        switch kind {
        case .binary: return .binary(whole)
        case .text:
            guard let text = String(validating: whole.readableBytesView, as: UTF8.self) else {
                throw CloseReason(1007, "Text is UTF-8.")
            }
            return .text(text)
        }
    }
}
