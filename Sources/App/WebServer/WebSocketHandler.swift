import NIOCore

/// One WebSocket's other end: what a site does with it. Every call comes on the server's loop.
public protocol WebSocketHandler: AnyObject {
    /// Bytes of the largest message that a client may send; a larger one ends the connection (1009).
    var messageByteLimit: Int { get }
    /// The connection is a WebSocket now.
    func opened(_ socket: WebSocketConnection)
    /// A message of text came, valid and whole.
    func received(text: String)
    /// A message of bytes came, whole.
    func received(binary: ByteBuffer)
    /// The kernel took messages that were sent.
    /// - Parameter byteCount: of their contents. At the latest, all are counted that were sent in one turn of the loop.
    func wrote(byteCount: Int)
    /// The connection is over, by whomever. Follows ``opened(_:)`` once; nothing follows it.
    func closed()
}

extension WebSocketHandler {
    public var messageByteLimit: Int { 64 * 1024 }

    public func wrote(byteCount: Int) {}
}
