import Cryptography
import NIOCore
import Synchronization

/// Messages that go over several connections in the same form. They are encrypted once, for all channels that take
/// them: see ``SharedPart``.
///
/// Any thread may use it; the first that needs the encrypted form makes it, under a lock.
public final class SharedMessages: Sendable {
    public let messages: [ByteBuffer]
    /// Bytes of all of them; at most ``SecureChannelLimits/sharedPartByteCount``.
    public let byteCount: Int
    private let encrypted = Mutex<SharedPart?>(nil)

    public init(_ messages: [ByteBuffer]) {
        self.messages = messages
        byteCount = messages.reduce(0) { $0 + $1.readableBytes }
        precondition((1...SecureChannelLimits.sharedPartByteCount).contains(byteCount))
    }

    /// The encrypted form.
    var part: SharedPart {
        encrypted.withLock { part in
            if let part { return part }
            let made = SharedPart(encrypting: messages, byteCount: byteCount)
            part = made
            return made
        }
    }
}

/// What is sent over one connection, in order.
public enum OutgoingPiece: Sendable {
    case message(ByteBuffer)
    case shared(SharedMessages)

    /// The messages of which it consists.
    var messages: [ByteBuffer] {
        switch self {
        case .message(let message): [message]
        case .shared(let shared): shared.messages
        }
    }

    /// Bytes of messages.
    public var byteCount: Int {
        switch self {
        case .message(let message): message.readableBytes
        case .shared(let shared): shared.byteCount
        }
    }
}
