import NIOCore
import NIOHTTP1

/// One connection, from its first request to its end or until it becomes a WebSocket. Confined to its event loop.
///
/// Requests are answered one after another. What comes behind one waits: in ``events`` for the rest of one read, then
/// with the client, since nothing is read.
final class WebConnection: ChannelDuplexHandler, RemovableChannelHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    ///     waiting ──head──▶ receiving ──its end──▶ answering ──answered──▶ waiting
    ///        │                │    ├──its end──▶ streaming ──the body's end──▶ lingering
    ///        │                │    └──its end──▶ upgrading: the pipeline becomes a WebSocket's
    ///        └────────────────┴──refused, or the last answer was given──▶ lingering ──▶ closed
    enum State {
        /// No request, or a part of its head.
        case waiting
        case receiving(Exchange, RequestBody)
        /// All of the request was read; its answer is awaited.
        case answering(Exchange)
        /// It is answered piece by piece.
        case streaming(Exchange, any WebStream)
        /// - Parameter early: what a client has said already that did not wait for the answer.
        case upgrading(any WebSocketHandler, early: ByteBuffer?)
        /// The last answer was given; what comes is of no use.
        case lingering
        case closed
    }

    /// What the parser says.
    enum Event {
        case part(HTTPServerRequestPart)
        case failure(WebRefusal)
    }

    let site: any WebSite
    let check: HeadCheck
    let limits: WebLimits
    let address: String
    /// Of all connections of the server.
    let budget: WriteBudget
    /// Why every request is refused, if so.
    let refusal: WebRefusal?
    /// Told of a connection that has become a WebSocket.
    let onSocket: (WebSocketConnection) -> Void

    var state = State.waiting
    /// Which could not be handled yet.
    private var events = CircularBuffer<Event>()
    private var isProceeding = false
    private var readIsHeld = false
    var requestCount = 0
    /// Whether something of the next request has come.
    private var headHasBegun = false
    /// Whether the parser found something in what was read last.
    private var readHasParts = false
    /// Pieces of answers that the kernel has not taken.
    private(set) var unwrittenCount = 0
    /// Bytes of bodies among them.
    private(set) lazy var share = WriteBudget.Share { [weak self] in
        guard let channel = self?.context?.channel else { return }
        // Another connection is in the middle of an answer.
        channel.eventLoop.execute { channel.abort() }
    }
    /// Of the body that is being read.
    var pace: BodyPace?
    private var deadline: Deadline?
    /// Nil before it is in a pipeline, and once it is not any more.
    private(set) var context: ChannelHandlerContext?

    init(
        site: any WebSite, check: HeadCheck, limits: WebLimits, address: String, budget: WriteBudget,
        refusal: WebRefusal? = nil, onSocket: @escaping (WebSocketConnection) -> Void
    ) {
        self.site = site
        self.check = check
        self.limits = limits
        self.address = address
        self.budget = budget
        self.refusal = refusal
        self.onSocket = onSocket
    }

    /// Makes a channel's pipeline that of a connection.
    func addHandlers(to channel: any Channel) throws {
        var decoding = NIOHTTPDecoderLimitConfiguration()
        decoding.maxHeaderFieldSize = limits.headBytes
        decoding.maxHeaderListSize = limits.headBytes
        decoding.maxHeaderFieldCount = limits.headerFields
        let decoder = HTTPRequestDecoder(leftOverBytesStrategy: .fireError, limitConfiguration: decoding)
        try channel.pipeline.syncOperations.addHandlers([
            HeadWatch(self), HTTPResponseEncoder(),
            // The parser keeps the line that it is in the middle of, with all spaces.
            ByteToMessageHandler(decoder, maximumBufferSize: limits.headBytes), self,
        ])
    }

    // MARK: What comes

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        readHasParts = true
        take(.part(unwrapInboundIn(data)))
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch (error, state) {
        case (ByteToMessageDecoderError.leftoverDataWhenDone(let bytes), .upgrading(let handler, nil)):
            state = .upgrading(handler, early: bytes)
        case (HTTPParserError.invalidEOFState, _), (HTTPParserError.closedConnection, _): break
        case (is HTTPParserError, _), (is ByteToMessageDecoderError.PayloadTooLargeError, _):
            take(.failure(WebRefusal(parserError: error, limits)))
        // What follows what could not be parsed.
        case (is ByteToMessageDecoderError, _): break
        default: context.channel.abort()
        }
    }

    private func take(_ event: Event) {
        switch state {
        case .upgrading, .lingering, .closed: return
        case .waiting, .receiving, .answering, .streaming: break
        }
        events.append(event)
        proceed()
    }

    /// Handles what waits as far as it can be.
    func proceed() {
        guard !isProceeding else { return }
        isProceeding = true
        while !isBlocked, let event = events.popFirst() { handle(event) }
        isProceeding = false
        if case .lingering = state { events.removeAll() }
        setDeadline()
        guard !isBlocked, readIsHeld else { return }
        readIsHeld = false
        context?.read()
    }

    private var isBlocked: Bool {
        switch state {
        // Who does not take answers is given no more of them.
        case .waiting: context?.channel.isWritable == false
        case .receiving(_, let body): body.isTaking
        case .answering, .streaming, .upgrading: true
        case .lingering, .closed: false
        }
    }

    func read(context: ChannelHandlerContext) {
        if isBlocked { readIsHeld = true } else { context.read() }
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        proceed()
        context.fireChannelWritabilityChanged()
    }

    /// Something was read; the parser is told next.
    func bytesCome() { readHasParts = false }

    /// Something was read, and the parser was told: what is no part yet is the beginning of a head.
    func bytesCame() {
        guard case .waiting = state, !headHasBegun, !readHasParts else { return }
        headHasBegun = true
        setDeadline()
    }

    /// A head is complete.
    func noteHead() -> Int {
        headHasBegun = false
        requestCount += 1
        return requestCount
    }

    // MARK: Time

    /// Awaits what must happen next.
    func setDeadline() { deadline?.set(patience) }

    private var patience: TimeAmount? {
        switch state {
        case .waiting where refusal != nil: limits.refusedHeadTime
        case .waiting where unwrittenCount > 0: limits.writeTime
        case .waiting: headHasBegun || requestCount == 0 ? limits.headTime : limits.idleTime
        case .receiving(_, let body): body.isTaking ? nil : pace?.left(now) ?? limits.bodyTime
        case .answering: unwrittenCount > 0 ? limits.writeTime : nil
        case .streaming: unwrittenCount > 0 ? limits.streamWriteTime : nil
        case .upgrading, .closed: nil
        case .lingering: unwrittenCount > 0 ? limits.writeTime : limits.lingerTime
        }
    }

    private func timeIsUp() {
        switch state {
        case .waiting where headHasBegun && unwrittenCount == 0:
            refuse(WebRefusal(.requestTimeout, "The head of a request must come sooner: send it again."))
        case .receiving:
            refuse(WebRefusal(.requestTimeout, "The body of a request must come sooner: send it again."))
        case .waiting where unwrittenCount == 0: context?.close(promise: nil)
        default: context?.channel.abort()
        }
        proceed()
    }

    /// The loop's time.
    var now: NIODeadline { context?.eventLoop.now ?? .now() }

    /// A piece of an answer is to be written.
    /// - Parameter byteCount: of a body.
    func noteWriting(_ byteCount: Int) {
        unwrittenCount += 1
        budget.add(byteCount, to: share)
    }

    /// The kernel has taken one.
    func noteWritten(_ byteCount: Int) {
        unwrittenCount -= 1
        budget.remove(byteCount, from: share)
        setDeadline()
    }

    // MARK: Its life

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        deadline = Deadline(on: context.eventLoop) { [weak self] in self?.timeIsUp() }
        setDeadline()
    }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { end() }

    private func end() {
        switch state {
        case .receiving(_, let body): body.abort()
        case .streaming(_, let stream): stream.abort()
        case .waiting, .answering, .upgrading, .lingering, .closed: break
        }
        state = .closed
        budget.remove(share)
        events.removeAll()
        deadline?.end()
        deadline = nil
        context = nil
    }
}

// Confined to its event loop: NIO's callbacks run there, and futures are brought there.
extension WebConnection: @unchecked Sendable {}

extension WebRefusal {
    /// What a client is told of a request that could not be parsed.
    fileprivate init(parserError error: any Error, _ limits: WebLimits) {
        switch error {
        case HTTPParserError.headerOverflow, is ByteToMessageDecoderError.PayloadTooLargeError:
            let most = "\(limits.headBytes) bytes and \(limits.headerFields) headers"
            self.init(.headTooLarge, "The head of a request has at most \(most).")
        case HTTPParserError.invalidVersion:
            self.init(.versionNotSupported, "Requests are of HTTP/1.1 here.")
        default: self.init(.badRequest, "This is no request of HTTP/1.1: use http:// and a browser or curl.")
        }
    }
}
