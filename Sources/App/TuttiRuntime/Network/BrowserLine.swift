import NIOCore
import Peering
import SecureChannel
import Synchronization

/// The broadcast's end of a connection with a browser that listens: what lies between the page's bytes and the
/// session's messages. Another part of the program holds the socket.
///
/// Confined to the broadcast's event loop.
final class BrowserLine {
    /// What the holder of the socket does.
    struct Transport: Sendable {
        var send: @Sendable (ByteBuffer) -> Void
        var close: @Sendable () -> Void
    }

    private let transport: Transport
    private var security = ConnectionSecurity(.plain)
    /// Of the bytes to be told of as written, those that are no messages.
    private var preambleByteCount: Int

    /// Opens it: the preamble goes out.
    init(_ transport: Transport) {
        self.transport = transport
        preambleByteCount = security.opening.readableBytes
        transport.send(security.opening)
    }

    func send(_ bytes: ByteBuffer) { transport.send(bytes) }

    func close() { transport.close() }

    /// Returns the messages in what the browser sent.
    func receive(_ bytes: ByteBuffer) throws(ConnectionSecurityError) -> ByteBuffer {
        try security.receive(bytes).messages
    }

    /// Returns how many bytes of messages are among so many that were written.
    func messageByteCount(written byteCount: Int) -> Int {
        let ofPreamble = min(preambleByteCount, byteCount)
        preambleByteCount -= ofPreamble
        return byteCount - ofPreamble
    }
}

/// Numbers of browsers' connections: below that of the own loudspeakers, as a network counts from 0. From any thread.
final class BrowserNumbers: Sendable {
    private let last = Atomic(LocalListener.connection.number)

    func next() -> ConnectionID { ConnectionID(last.subtract(1, ordering: .relaxed).newValue) }
}
