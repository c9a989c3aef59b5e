import NIOCore

/// Stands before the parser of requests, which does not tell when a head begins.
final class HeadWatch: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private unowned let connection: WebConnection

    init(_ connection: WebConnection) { self.connection = connection }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        connection.bytesCome()
        context.fireChannelRead(data)
        connection.bytesCame()
    }
}
