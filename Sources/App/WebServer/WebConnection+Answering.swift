import NIOCore
import NIOHTTP1

/// What becomes of requests.
extension WebConnection {
    /// Bytes of an answer that are written at a time: a client is judged by whether it takes them.
    private static let pieceByteCount = 64 * 1024

    func handle(_ event: Event) {
        switch (event, state) {
        case (.part(.head(let head)), .waiting): begin(head)
        case (.part(.body(let bytes)), .receiving(let exchange, let body)): take(bytes, body, of: exchange)
        case (.part(.end), .receiving(let exchange, let body)): finish(body, of: exchange)
        case (_, .upgrading), (_, .lingering), (_, .closed): break
        case (.failure(let refusal), _): refuse(refusal)
        // The parser begins, continues and ends requests in this order.
        default: context?.channel.abort()
        }
    }

    private func begin(_ head: HTTPRequestHead) {
        let exchange = Exchange(number: noteHead(), head)
        do throws(WebRefusal) {
            if let refusal { throw refusal }
            let request = try check.request(head, from: address)
            let expects = try Self.expectsContinue(head)
            let body = try RequestBody(of: head, for: site.route(request))
            if head.hasBody, case .none(let response) = body { return answerUnread(exchange, with: response) }
            state = .receiving(exchange, body)
            pace = BodyPace(limits, now: now)
            if expects { write(.head(HTTPResponseHead(version: .http1_1, status: .continue)), flushes: true) }
        } catch {
            guard !head.hasBody, let context, refusal == nil else { return refuse(error, isHead: exchange.isHead) }
            state = .receiving(exchange, .none(context.eventLoop.makeSucceededFuture(error.response)))
        }
    }

    /// Whether the client waits for word before it sends a body (RFC 9110 section 10.1.1).
    private static func expectsContinue(_ head: HTTPRequestHead) throws(WebRefusal) -> Bool {
        guard let expected = head.headers.first(name: "expect") else { return false }
        guard expected.lowercased() == "100-continue" else {
            throw WebRefusal(.expectationFailed, "No other expectation than 100-continue is met here.")
        }
        return head.hasBody && head.version == .http1_1
    }

    private func take(_ bytes: ByteBuffer, _ body: RequestBody, of exchange: Exchange) {
        pace?.take(bytes.readableBytes, now)
        switch body {
        case .none, .streamed, .socket: refuse(RequestBody.unwanted)
        case .collected(let held, let byteLimit, _):
            guard held.bytes.readableBytes + bytes.readableBytes <= byteLimit else {
                return refuse(RequestBody.tooLarge(byteLimit))
            }
            held.bytes.writeImmutableBuffer(bytes)
        case .uploaded(let upload, _):
            guard let loop = context?.eventLoop else { return }
            state = .receiving(exchange, .uploaded(upload, isTaking: true))
            upload.take(bytes).hop(to: loop).assumeIsolated().whenComplete {
                self.tookPart($0, upload, of: exchange)
            }
        }
    }

    private func tookPart(_ result: Result<Void, any Error>, _ upload: any WebUpload, of exchange: Exchange) {
        guard case .receiving(let current, .uploaded) = state, current.number == exchange.number else { return }
        pace?.goOn(now)
        switch result {
        case .success: state = .receiving(exchange, .uploaded(upload, isTaking: false))
        case .failure(let error): refuse(WebRefusal(error))
        }
        proceed()
    }

    private func finish(_ body: RequestBody, of exchange: Exchange) {
        switch body {
        case .none(let response): answer(exchange, with: response)
        case .collected(let held, _, let answer): self.answer(exchange, with: answer(held.bytes))
        case .uploaded(let upload, _): answer(exchange, with: upload.finish())
        case .streamed(let stream): begin(stream, of: exchange)
        case .socket(let handler, let head): upgrade(head, for: handler)
        }
    }

    /// A site that refuses, or leads elsewhere, says so; any other has no use for what comes.
    private func answerUnread(_ exchange: Exchange, with response: EventLoopFuture<WebResponse>) {
        answer(
            exchange.ending, with: response.map { $0.status.code < 300 ? RequestBody.unwanted.response : $0 })
    }

    private func answer(_ exchange: Exchange, with response: EventLoopFuture<WebResponse>) {
        guard let loop = context?.eventLoop else { return }
        state = .answering(exchange)
        response.hop(to: loop).assumeIsolated().whenComplete { result in
            guard case .answering(let current) = self.state, current.number == exchange.number else { return }
            switch result {
            case .success(let response): self.answer(exchange, with: response)
            case .failure(let error): self.answer(exchange, with: WebRefusal(error).response)
            }
            self.proceed()
        }
    }

    func answer(_ exchange: Exchange, with response: WebResponse) {
        var response = ResponseHeaders.response(response, known: exchange.known)
        if !exchange.isHead, budget.isTooMuch(response.body.readableBytes, for: share) {
            response = Self.crowded.response
        }
        state = exchange.keepsAlive ? .waiting : .lingering
        write(response, isHead: exchange.isHead, closes: !exchange.keepsAlive)
    }

    /// Instead of an answer that would be given up.
    private static let crowded = WebRefusal(
        .unavailable, "Too many clients read too slowly: try again later.", headers: [("Retry-After", "5")])

    /// Answers the request that is being read, or what cannot be read as one, and ends the connection.
    func refuse(_ refusal: WebRefusal, isHead: Bool = false) {
        var isHead = isHead
        if case .receiving(let exchange, let body) = state {
            body.abort()
            isHead = exchange.isHead
        }
        state = .lingering
        write(refusal.response, isHead: isHead, closes: true)
    }

    // MARK: Writing

    private func write(_ response: WebResponse, isHead: Bool, closes: Bool) {
        write(.head(ResponseHeaders.head(for: response, scheme: check.scheme, closes: closes)))
        var body = isHead || response.status == .notModified ? ByteBuffer() : response.body
        while body.readableBytes > 0,
            let piece = body.readSlice(length: min(body.readableBytes, Self.pieceByteCount))
        {
            write(.body(.byteBuffer(piece)))
        }
        writeEnd(closes: closes)
    }

    func writeEnd(closes: Bool) {
        let context = context
        write(.end(nil), flushes: true) {
            // Else the client's kernel could drop what it was told last.
            if closes { context?.close(mode: .output, promise: nil) }
        }
    }

    /// - Parameter then: once the kernel has taken it.
    func write(_ part: HTTPServerResponsePart, flushes: Bool = false, then: (() -> Void)? = nil) {
        guard let context else { return }
        let byteCount = part.bodyByteCount
        noteWriting(byteCount)
        let promise = context.eventLoop.makePromise(of: Void.self)
        promise.futureResult.assumeIsolated().whenComplete { result in
            self.noteWritten(byteCount)
            if case .success = result { then?() }
        }
        context.write(wrapOutboundOut(part), promise: promise)
        if flushes { context.flush() }
    }

    // MARK: WebSockets

    private func upgrade(_ head: HTTPRequestHead, for handler: any WebSocketHandler) {
        guard let context else { return }
        let channel = context.channel
        state = .upgrading(handler, early: nil)
        SocketUpgrade.accepting(head, on: channel).assumeIsolated().whenComplete { result in
            switch result {
            case .success(let headers):
                self.write(.head(ResponseHeaders.upgradeHead(headers, scheme: self.check.scheme)), flushes: true)
                self.leaveHTTP(channel)
            case .failure: channel.abort()
            }
        }
    }

    /// Nothing but this connection may stand behind the parser while that ends: it might say more.
    private func leaveHTTP(_ channel: any Channel) {
        let pipeline = channel.pipeline.syncOperations
        guard let parser = try? pipeline.context(handlerType: ByteToMessageHandler<HTTPRequestDecoder>.self) else {
            return channel.abort()
        }
        pipeline.removeHandler(context: parser).assumeIsolated().whenComplete { _ in
            guard case .upgrading(let handler, let early) = self.state else { return }
            self.becomeSocket(channel, handler, early: early)
        }
    }

    private func becomeSocket(_ channel: any Channel, _ handler: any WebSocketHandler, early: ByteBuffer?) {
        let pipeline = channel.pipeline.syncOperations
        let socket = WebSocketConnection(
            channel: channel, address: address, handler: handler, limits: limits, budget: budget)
        do {
            for handlerContext in [
                try pipeline.context(handlerType: HeadWatch.self),
                try pipeline.context(handlerType: HTTPResponseEncoder.self),
            ] { pipeline.removeHandler(context: handlerContext, promise: nil) }
            try SocketUpgrade.addHandlers(to: channel, for: handler, socket: socket)
        } catch { return channel.abort() }
        pipeline.removeHandler(self, promise: nil)
        onSocket(socket)
        socket.open()
        if let early { pipeline.fireChannelRead(NIOAny(early)) }
        // One may have been held back.
        channel.read()
    }
}

extension HTTPServerResponsePart {
    fileprivate var bodyByteCount: Int { if case .body(let data) = self { data.readableBytes } else { 0 } }
}

extension WebRefusal {
    /// What a client is told of a site's failure.
    init(_ error: any Error) {
        self = error as? WebRefusal ?? WebRefusal(.internalError, "The request failed here: try again.")
    }
}
