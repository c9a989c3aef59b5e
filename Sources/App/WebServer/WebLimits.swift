import NIOCore

/// How much a ``WebServer`` takes from its clients, and how long it waits for them.
///
/// Nothing is reserved for sizes that a client announces: what is held has arrived.
public struct WebLimits: Sendable {
    /// Connections at a time. Further ones are told 503.
    public var connections = 1_024
    /// Connections of one address at a time: a browser has at most six and a page's WebSockets, and a family may stand
    /// behind one address. Further ones are told 503.
    public var connectionsPerAddress = 64
    /// Connections beyond the limits that are told so at a time. Those beyond these are closed without a word.
    public var refusedConnections = 64

    /// Bytes of a request's target, header names and values together, and of any one line. More are told 431.
    public var headBytes = 16 * 1024
    /// Header fields of a request, those behind its body included. More are told 431.
    public var headerFields = 100

    /// From the connection, or from a later request's first byte, until its head is there. Later is told 408.
    public var headTime = TimeAmount.seconds(10)
    /// The same for connections that are refused anyway.
    public var refusedHeadTime = TimeAmount.seconds(3)
    /// From a TLS connection's first byte until its handshake is over; the first byte itself has ``headTime``, and so
    /// has the first request's head after that. Later is aborted.
    public var handshakeTime = TimeAmount.seconds(10)
    /// Between requests of one connection.
    public var idleTime = TimeAmount.seconds(30)
    /// The time that a client has in hand for a body that is read: it goes by while nothing comes, and grows again with
    /// what comes, as ``bodyBytesPerSecond`` says, to this at most. Later is told 408.
    public var bodyTime = TimeAmount.seconds(10)
    /// How fast a body must come in the long run: slowly sent songs must not keep others from sending theirs.
    public var bodyBytesPerSecond = 16 * 1024
    /// Within which a client must take something of what it is sent, else the connection is aborted.
    public var writeTime = TimeAmount.seconds(30)
    /// The same of a body without a length (``WebStream``): a player that does not play has no use for it.
    public var streamWriteTime = TimeAmount.seconds(10)
    /// How long a client has to close a connection, too, once this side has said its last: closing at once may cost it
    /// what it was told last (RFC 9112 section 9.6).
    public var lingerTime = TimeAmount.seconds(1)

    /// Between two pings on a WebSocket (RFC 6455 section 5.5.2).
    public var pingInterval = TimeAmount.seconds(15)
    /// A WebSocket on which no frame has come for so long is aborted.
    public var silenceTime = TimeAmount.seconds(30)
    /// Bytes of messages that a WebSocket was given and that the kernel has not taken; with more it is aborted.
    public var backlogBytes = 1024 * 1024
    /// Bytes of answers and messages on all connections together that the kernel has not taken. Where there are more,
    /// the connections that have most waiting are aborted; an answer that would be the largest is 503 instead.
    public var waitingBytes = 64 * 1024 * 1024

    public init() {}
}
