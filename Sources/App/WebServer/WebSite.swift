import NIOCore

/// What a ``WebServer`` serves.
public protocol WebSite: AnyObject, Sendable {
    /// Returns what becomes of a request. On the server's loop; must not wait.
    func route(_ request: WebRequest) -> WebRoute
}

/// What becomes of a request. A site's futures may be of any loop; they must complete sooner or later, and may fail
/// with ``WebRefusal``.
public enum WebRoute {
    /// It is answered. A body that comes is not read, and the connection ends; unless the answer is a refusal itself
    /// or leads elsewhere, the request is refused (413).
    case respond(EventLoopFuture<WebResponse>)
    /// Its body, if it is no larger, is gathered for the closure; a larger one is refused (413).
    case collect(byteLimit: Int, (ByteBuffer) -> EventLoopFuture<WebResponse>)
    /// Its body is taken in pieces.
    case upload(any WebUpload)
    /// It is answered with a body that has no length, piece by piece. A body that comes is refused (413).
    case stream(any WebStream)
    /// It becomes a WebSocket, if it asks for one; else it is refused (426), and the handler hears of nothing.
    case socket(any WebSocketHandler)

    /// It is answered at once.
    /// - Parameter loop: the server's.
    public static func respond(_ response: WebResponse, on loop: any EventLoop) -> WebRoute {
        .respond(loop.makeSucceededFuture(response))
    }
}

/// Takes a request's body in pieces, whatever its size. Every call comes on the server's loop.
public protocol WebUpload: AnyObject {
    /// Takes a piece. The next one comes when the future has succeeded, and nothing is read from the client meanwhile.
    /// If it fails, the request is refused (``WebRefusal``) and ``abort()`` follows.
    func take(_ part: ByteBuffer) -> EventLoopFuture<Void>
    /// The body is complete. Nothing follows.
    func finish() -> EventLoopFuture<WebResponse>
    /// The body will not be complete: the client is gone or too slow, or a piece was refused. Nothing follows.
    func abort()
}
