import NIOCore
import NIOWebSocket

/// The end of a WebSocket's pipeline. Confined to its event loop.
final class WebSocketFrameHandler: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame

    private let socket: WebSocketConnection
    private let messageByteLimit: Int

    init(_ socket: WebSocketConnection, messageByteLimit: Int) {
        self.socket = socket
        self.messageByteLimit = messageByteLimit
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { socket.receive(unwrapInboundIn(data)) }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        switch error {
        case NIOWebSocketError.invalidFrameLength: socket.fail(.tooLarge(messageByteLimit))
        case is NIOWebSocketError: socket.fail(CloseReason(1002, "A control frame is whole, of at most 125 bytes."))
        // What follows the frame that broke the protocol.
        case is ByteToMessageDecoderError: break
        default: socket.abort()
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        socket.closed()
        context.fireChannelInactive()
    }

    func handlerRemoved(context: ChannelHandlerContext) { socket.closed() }
}
