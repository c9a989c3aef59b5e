import NIOCore
import Peering
import SecureChannel

/// One connection of a ``PeerNetwork``: what lies between its socket and the messages.
///
/// Messages that are sent before the handshake is over wait for that. Confined to its event loop.
final class ConnectionHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    /// Messages that leave together.
    struct Outbox {
        private(set) var pieces: [OutgoingPiece] = []
        private(set) var byteCount = 0

        mutating func append(_ piece: OutgoingPiece) {
            pieces.append(piece)
            byteCount += piece.byteCount
        }

        mutating func append(_ other: Outbox) {
            pieces += other.pieces
            byteCount += other.byteCount
        }
    }

    let id: ConnectionID
    let direction: PeerConnection.Direction
    let address: String
    let dial: Dialer.Dial?
    private let network: PeerNetwork
    private var security: ConnectionSecurity
    /// Nil before it is active, and once it is not any more.
    private(set) var channel: (any Channel)?
    /// What leaves at the end of this turn of the loop.
    private var outbox = Outbox()
    /// What waits for the end of the handshake.
    private var waiting = Outbox()
    /// Bytes of messages that were posted and that the socket has not taken.
    private(set) var backlog = 0
    /// How far this side has ended it.
    private var ending = Ending.none

    ///     none ──this side closes it──▶ requested ──the handshake is over, and what waited is sent──▶ finished
    private enum Ending {
        case none, requested
        /// Nothing is sent any more, and what comes is of no use.
        case finished
    }

    init(
        id: ConnectionID, network: PeerNetwork, direction: PeerConnection.Direction, address: String,
        dial: Dialer.Dial?, protection: ConnectionSecurity.Protection
    ) {
        self.id = id
        self.network = network
        self.direction = direction
        self.address = address
        self.dial = dial
        security = ConnectionSecurity(protection)
    }

    // MARK: What is sent

    /// Takes what leaves with the next ``flush()``.
    /// - Returns: whether it is the first.
    func post(_ piece: OutgoingPiece) -> Bool {
        let isFirst = outbox.pieces.isEmpty
        outbox.append(piece)
        backlog += piece.byteCount
        return isFirst
    }

    /// Drops what was posted.
    func clear() { outbox = Outbox() }

    /// Sends what was posted.
    func flush() {
        let posted = outbox
        outbox = Outbox()
        guard !posted.pieces.isEmpty, let channel, security.failure == nil, ending != .finished else { return }
        guard security.canSend else { return waiting.append(posted) }
        write(posted, to: channel)
    }

    /// The socket has taken messages of so many bytes.
    func wrote(byteCount: Int) { backlog -= byteCount }

    /// - Parameter introduction: goes first; not counted among what is sent.
    private func write(_ outbox: Outbox, after introduction: ByteBuffer? = nil, to channel: any Channel) {
        let first: [OutgoingPiece] = introduction.map { [.message($0)] } ?? []
        var buffers = security.protect(first + outbox.pieces)
        guard let last = buffers.popLast() else { return }
        for buffer in buffers { channel.write(buffer, promise: nil) }
        channel.writeAndFlush(last).whenSuccess { [network, id, byteCount = outbox.byteCount] in
            network.wrote(id, byteCount: byteCount)
        }
    }

    /// Ends what is sent behind pending data, and closes once the other side does, or after a second. A socket that is
    /// closed while the other side still sends is reset by its kernel, and what was not acknowledged by then is lost:
    /// on a lossy link a listener would not hear that the broadcast was stopped.
    /// - Parameters:
    ///   - finishesHandshake: whether what waits for the end of the handshake is pending, too.
    ///   - lingers: whether to wait for the other side.
    func close(finishesHandshake: Bool = true, lingers: Bool = true) {
        guard let channel else { return }
        if ending == .none { ending = .requested }
        guard finishesHandshake || security.canSend else { return channel.close(promise: nil) }
        channel.eventLoop.scheduleTask(in: .seconds(1)) { channel.close(promise: nil) }
        if security.canSend || security.failure != nil { finish(channel, lingers: lingers) }
    }

    /// Closes without regard to pending data, in whatever way the owner gives.
    func abort(_ close: (any Channel) -> Void) {
        guard let channel else { return }
        if ending == .none { ending = .requested }
        close(channel)
    }

    private func finish(_ channel: any Channel, lingers: Bool = true) {
        ending = .finished
        channel.writeAndFlush(ByteBuffer()).whenComplete { _ in
            channel.close(mode: lingers ? .output : .all, promise: nil)
        }
    }

    // MARK: What happens

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { open(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        open(context)
        context.fireChannelActive()
    }

    private func open(_ context: ChannelHandlerContext) {
        guard channel == nil else { return }
        channel = context.channel
        // First, because writing ends the connection if the other side is gone already.
        network.opened(self)
        context.writeAndFlush(wrapOutboundOut(security.opening), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        // Nothing that follows a failure means anything, and nobody listens once all was said.
        guard security.failure == nil, ending != .finished else { return }
        let couldSend = security.canSend
        do throws(ConnectionSecurityError) {
            let reception = try security.receive(unwrapInboundIn(data))
            if reception.reply.readableBytes > 0 {
                context.writeAndFlush(wrapOutboundOut(reception.reply), promise: nil)
            }
            if !couldSend, security.canSend { connectionIsSecure(context.channel) }
            if let introduction = reception.introduction { network.introduced(id, introduction) }
            if reception.messages.readableBytes > 0 {
                network.delegate?.networkDidReceive(id, reception.messages)
            }
        } catch {
            if ending != .none { finish(context.channel) }
            network.delegate?.networkDidBreak(id, error)
        }
    }

    private func connectionIsSecure(_ channel: any Channel) {
        var introduction: ByteBuffer?
        if let key = security.remoteKey, let binding = security.binding {
            introduction = ConnectionSecurity.introduction(network.introduction(id, key, binding))
        }
        let outbox = waiting
        waiting = Outbox()
        write(outbox, after: introduction, to: channel)
        if ending != .none { finish(channel) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        end()
        context.fireChannelInactive()
    }

    /// All that NIO tells of a channel that ends before it has told that the channel is active: one that was dialled is
    /// opened here before that.
    func handlerRemoved(context: ChannelHandlerContext) { end() }

    private func end() {
        let wasOpen = channel != nil
        channel = nil
        if wasOpen { noteEnd() }
        network.closed(id)
    }

    /// Tells of a connection that ended in the middle of something, unless this side ended it or told already why it
    /// is useless.
    private func noteEnd() {
        guard ending == .none, security.failure == nil else { return }
        do throws(ConnectionSecurityError) { try security.end() } catch {
            network.delegate?.networkDidBreak(id, error)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
