import NIOCore

/// Gives a response's body in pieces, for as long as it likes; the connection ends with it. Every call comes on the
/// server's loop.
///
/// The response is one of HTTP/1.0, whose body ends where the connection does (RFC 9112 section 6.3): radios do not
/// know the chunks by which HTTP/1.1 would frame it. A client that does not take a piece within
/// ``WebLimits/streamWriteTime`` is cut off.
public protocol WebStream: AnyObject {
    /// Begins it. Called once at most, before `next`.
    /// - Returns: the response's head; the body that it has comes first. If it refuses (a status of 400 or more, or
    ///   ``WebRefusal``), that is the whole answer, and nothing follows.
    func begin() -> EventLoopFuture<WebResponse>
    /// Returns the next piece; nil: that was all, and nothing follows. The kernel has taken the piece before.
    func next() -> EventLoopFuture<ByteBuffer?>
    /// Nobody takes any more of it, or it was never begun: the client is gone or too slow, or wants the head alone.
    /// Nothing follows, though what `begin` or `next` returned may be pending.
    func abort()
}
