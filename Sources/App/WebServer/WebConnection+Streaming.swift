import NIOCore
import NIOHTTP1

/// Answers without a length: a stream is asked for its next piece once the kernel has taken the one before.
extension WebConnection {
    func begin(_ stream: any WebStream, of exchange: Exchange) {
        guard let loop = context?.eventLoop else { return stream.abort() }
        state = .streaming(exchange, stream)
        stream.begin().hop(to: loop).assumeIsolated().whenComplete { result in
            guard self.isStreaming(exchange) else { return }
            switch result {
            case .success(let response): self.begin(stream, of: exchange, with: response)
            case .failure(let error): self.answer(exchange.ending, with: WebRefusal(error).response)
            }
            self.proceed()
        }
    }

    private func begin(_ stream: any WebStream, of exchange: Exchange, with response: WebResponse) {
        guard response.status.code < 400 else { return answer(exchange.ending, with: response) }
        write(.head(ResponseHeaders.streamHead(for: response, scheme: check.scheme)), flushes: true)
        guard !exchange.isHead else {
            state = .lingering
            stream.abort()
            return writeEnd(closes: true)
        }
        guard response.body.readableBytes > 0 else { return goOn(stream, of: exchange) }
        write(response.body, of: stream, exchange)
    }

    private func goOn(_ stream: any WebStream, of exchange: Exchange) {
        guard let loop = context?.eventLoop else { return }
        stream.next().hop(to: loop).assumeIsolated().whenComplete { result in
            guard self.isStreaming(exchange) else { return }
            switch result {
            case .success(let piece?): self.write(piece, of: stream, exchange)
            case .success(nil):
                self.state = .lingering
                self.writeEnd(closes: true)
            // There is no other way left to say that the body is not whole.
            case .failure: self.context?.channel.abort()
            }
            self.proceed()
        }
    }

    private func write(_ piece: ByteBuffer, of stream: any WebStream, _ exchange: Exchange) {
        write(.body(.byteBuffer(piece)), flushes: true) {
            if self.isStreaming(exchange) { self.goOn(stream, of: exchange) }
        }
    }

    private func isStreaming(_ exchange: Exchange) -> Bool {
        if case .streaming(let current, _) = state { current.number == exchange.number } else { false }
    }
}
