import NIOCore
import NIOSSL
import NIOTLS

/// The beginning of connections to a server with a certificate: what speaks TLS is served, all else is told where.
///
///     first byte ──22──▶ TLS handshake ──done──▶ the server's connection
///          └──any other──▶ a connection that redirects
///
/// Each step has its time, else the connection is closed. Nothing is calculated for connections beyond the limits.
struct TLSDetection {
    let certificate: WebCertificate
    let limits: WebLimits

    /// - Parameters:
    ///   - isRefused: whether there are too many connections: whoever speaks TLS is closed without a word.
    ///   - connect: adds a connection of the scheme to the channel's pipeline.
    func addHandlers(
        to channel: any Channel, isRefused: Bool, connect: @escaping (WebScheme, any Channel) throws -> Void
    ) throws {
        let time = isRefused ? limits.refusedHeadTime : limits.headTime
        let firstByte = FirstByte(within: time) { byte, channel in
            guard byte == FirstByte.ofTLS else { return try connect(.http, channel) }
            guard !isRefused else { return channel.close(promise: nil) }
            try channel.pipeline.syncOperations.addHandlers([
                NIOSSLServerHandler(context: certificate.context),
                HandshakeWatch(within: limits.handshakeTime) { try connect(.https, $0) },
            ])
        }
        try channel.pipeline.syncOperations.addHandler(firstByte)
    }
}

/// A step of a connection's beginning, which makes way for the next when it is done. Confined to its event loop.
private protocol TimedStep: ChannelInboundHandler, RemovableChannelHandler {
    var time: TimeAmount { get }
    /// Nil before the step and after it.
    var deadline: Deadline? { get set }

    /// Ends a connection whose time is up.
    func giveUp(_ channel: any Channel)
}

extension TimedStep {
    func handlerAdded(context: ChannelHandlerContext) {
        let channel = context.channel
        deadline = Deadline(on: context.eventLoop) { [weak self] in self?.giveUp(channel) }
        deadline?.set(time)
    }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { end() }

    private func end() {
        deadline?.end()
        deadline = nil
    }
}

/// Waits for a connection's first byte.
private final class FirstByte: TimedStep {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    /// Of a record of the TLS handshake (RFC 8446 section 5.1). No request begins with it.
    static let ofTLS: UInt8 = 22

    let time: TimeAmount
    var deadline: Deadline?
    private let decide: (UInt8, any Channel) throws -> Void

    /// - Parameter decide: adds the handlers that take over.
    init(within time: TimeAmount, _ decide: @escaping (UInt8, any Channel) throws -> Void) {
        self.time = time
        self.decide = decide
    }

    func giveUp(_ channel: any Channel) { channel.close(promise: nil) }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard let first = unwrapInboundIn(data).readableBytesView.first else { return }
        do { try decide(first, context.channel) } catch { return context.channel.abort() }
        context.fireChannelRead(data)
        context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
    }
}

/// Stands behind TLS until its handshake is over.
private final class HandshakeWatch: TimedStep {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    let time: TimeAmount
    var deadline: Deadline?
    private let connect: (any Channel) throws -> Void

    /// - Parameter connect: adds the handlers that take over.
    init(within time: TimeAmount, _ connect: @escaping (any Channel) throws -> Void) {
        self.time = time
        self.connect = connect
    }

    func giveUp(_ channel: any Channel) { channel.abort() }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        guard case .handshakeCompleted? = event as? TLSUserEvent else {
            return context.fireUserInboundEventTriggered(event)
        }
        do { try connect(context.channel) } catch { return context.channel.abort() }
        context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
    }

    /// What the client says is no TLS, or none that is spoken here, or it does not trust the certificate.
    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.channel.abort() }
}
