import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS

/// A client that speaks TLS to this machine, and trusts one certificate alone.
final class TLSClient {
    private let channel: any Channel
    private var pieces: AsyncStream<ByteBuffer>.Iterator
    private var heard: [UInt8] = []
    /// What client and server agreed upon (RFC 7301).
    let applicationProtocol: String?

    /// - Parameters:
    ///   - name: the server's, which its certificate must have.
    ///   - trusting: a certificate in PEM.
    ///   - protocols: in the client's order.
    /// - Throws: what fails the handshake.
    init(
        port: UInt16, name: String, trusting certificate: [UInt8], newest: TLSVersion = .tlsv13,
        protocols: [String] = ["h2", "http/1.1"]
    ) async throws {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = .certificates(try NIOSSLCertificate.fromPEMBytes(certificate))
        configuration.maximumTLSVersion = newest
        configuration.applicationProtocols = protocols
        let context = try NIOSSLContext(configuration: configuration)
        let (stream, continuation) = AsyncStream<ByteBuffer>.makeStream()
        let loop: any EventLoop = MultiThreadedEventLoopGroup.singleton.next()
        let agreed = loop.makePromise(of: String?.self)
        do {
            channel = try await ClientBootstrap(group: loop)
                .channelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.addHandlers([
                            NIOSSLClientHandler(context: context, serverHostname: name),
                            Ear(agreed, continuation),
                        ])
                    }
                }
                .connect(host: "127.0.0.1", port: Int(port)).get()
        } catch {
            agreed.fail(error)
            throw error
        }
        applicationProtocol = try await agreed.futureResult.get()
        pieces = stream.makeAsyncIterator()
    }

    func say(_ text: String) async throws { try await say(Array(text.utf8)) }

    func say(_ bytes: [UInt8]) async throws { try await channel.writeAndFlush(ByteBuffer(bytes: bytes)).get() }

    /// So many bytes; fewer at the end.
    func hear(_ byteCount: Int) async -> [UInt8] {
        while heard.count < byteCount, let piece = await pieces.next() { heard += piece.readableBytesView }
        defer { heard.removeFirst(min(byteCount, heard.count)) }
        return Array(heard.prefix(byteCount))
    }

    /// All that comes until the server ends it.
    func hearToEnd() async -> [UInt8] { await hear(.max) }

    /// A response with its body; nil at the end.
    func hearResponse() async -> HeardResponse? {
        var head: [UInt8] = []
        repeat {
            let byte = await hear(1)
            guard !byte.isEmpty else { return nil }
            head += byte
        } while head.suffix(4) != [13, 10, 13, 10]
        let text = String(decoding: head, as: UTF8.self)
        let length = HeardResponse.all(in: text, toHead: true).first?.headers["content-length"]
        let body = await hear(Int(length ?? "0") ?? 0)
        return HeardResponse.all(in: text + String(decoding: body, as: UTF8.self)).first
    }

    /// Says a request without body and hears its answer.
    func get(_ path: String, host: String, headers: String = "") async throws -> HeardResponse? {
        try await say("GET \(path) HTTP/1.1\r\nHost: \(host)\r\n\(headers)\r\n")
        return await hearResponse()
    }

    /// Takes nothing any more.
    func stopListening() async throws { try await channel.setOption(.autoRead, value: false).get() }

    func end() { channel.close(promise: nil) }
}

/// Takes what comes out of TLS.
private final class Ear: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let agreed: EventLoopPromise<String?>
    private let pieces: AsyncStream<ByteBuffer>.Continuation

    init(_ agreed: EventLoopPromise<String?>, _ pieces: AsyncStream<ByteBuffer>.Continuation) {
        self.agreed = agreed
        self.pieces = pieces
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if case .handshakeCompleted(let found)? = event as? TLSUserEvent { agreed.succeed(found) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { pieces.yield(unwrapInboundIn(data)) }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        agreed.fail(error)
        context.close(promise: nil)
    }

    func channelInactive(context: ChannelHandlerContext) {
        agreed.fail(ChannelError.eof)
        pieces.finish()
    }
}
