import Glibc
import NIOCore
import SecureChannel

/// A connected TCP socket over which messages travel encrypted, as between peers; for programs that wait for answers.
///
/// Does not close the socket.
public struct PeerSocket: ~Copyable {
    private let descriptor: Int32
    private var security: ConnectionSecurity
    /// Messages that came with the other side's introduction.
    private var early = ByteBuffer()

    /// Shakes hands as the side that dialled; nil if the other side does not answer for five seconds.
    public init?(_ descriptor: Int32, keys: PeerKeyPair) {
        self.descriptor = descriptor
        security = ConnectionSecurity(.encrypted(.initiator, keys))
        guard Self.write(security.opening, to: descriptor) else { return nil }
        while !security.isReady {
            let couldSend = security.canSend
            guard Self.isReadable(descriptor, within: 5_000), let messages = read() else { return nil }
            early.writeImmutableBuffer(messages)
            if !couldSend, security.canSend, !send(ConnectionSecurity.introduction([])) { return nil }
        }
    }

    /// What was sent first, in clear.
    public var opening: ByteBuffer { security.opening }

    /// - Returns: false if the connection broke.
    public mutating func send(_ messages: ByteBuffer) -> Bool {
        security.protect([messages]).allSatisfy { Self.write($0, to: descriptor) }
    }

    /// What came within so many milliseconds, possibly nothing; nil when the other side has closed, or what came was
    /// changed.
    public mutating func receive(within milliseconds: Int32) -> ByteBuffer? {
        if early.readableBytes > 0 {
            defer { early.clear() }
            return early
        }
        return Self.isReadable(descriptor, within: milliseconds) ? read() : ByteBuffer()
    }

    private mutating func read() -> ByteBuffer? {
        var bytes = ByteBuffer()
        let count = bytes.writeWithUnsafeMutableBytes(minimumWritableBytes: 1 << 18) {
            max(0, recv(descriptor, $0.baseAddress, $0.count, 0))
        }
        guard count > 0, let reception = try? security.receive(bytes),
            Self.write(reception.reply, to: descriptor)
        else { return nil }
        return reception.messages
    }

    private static func isReadable(_ descriptor: Int32, within milliseconds: Int32) -> Bool {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&request, 1, milliseconds) > 0
    }

    private static func write(_ bytes: ByteBuffer, to descriptor: Int32) -> Bool {
        bytes.withUnsafeReadableBytes { bytes in
            var sent = 0
            while sent < bytes.count {
                let rest = UnsafeRawBufferPointer(rebasing: bytes[sent...])
                let count = Glibc.send(descriptor, rest.baseAddress, rest.count, Int32(MSG_NOSIGNAL))
                guard count > 0 else { return false }
                sent += count
            }
            return true
        }
    }
}
