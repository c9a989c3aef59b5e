import AudioCore
import Glibc
import NIOCore
import NIOPosix
import Peering

/// Receives the network's events; always on the event loop.
protocol PeerNetworkDelegate: AnyObject {
    /// A connection is ready.
    /// - Parameters:
    ///   - address: numeric, of the other end.
    ///   - dial: nil if the other end dialled.
    func networkDidOpen(
        _ id: ConnectionID, _ direction: PeerConnection.Direction, address: String, dial: Dialer.Dial?)
    func networkDidFail(_ dial: Dialer.Dial, _ failure: DialFailure)
    func networkDidReceive(_ id: ConnectionID, _ bytes: ByteBuffer)
    /// The kernel took what ``PeerNetwork/send(_:to:)`` was given in one turn of the loop.
    func networkDidWrite(_ id: ConnectionID, byteCount: Int)
    /// The connection ended, at either end or by an error.
    func networkDidClose(_ id: ConnectionID)
}

/// The TCP side of a peer: a listening port and connections, on one event loop.
///
/// Every method but ``listen(on:)`` must be called on the event loop.
final class PeerNetwork {
    let loop: any EventLoop
    weak var delegate: (any PeerNetworkDelegate)?
    private var servers: [any Channel] = []
    /// The files of the local sockets, while they are open.
    private var localSockets: [String] = []
    private var channels: [ConnectionID: any Channel] = [:]
    /// What to send over which connection in this turn of the loop.
    private var outboxes: [ConnectionID: Outbox] = [:]
    private var nextID = 0
    private var isClosed = false

    /// Bytes that the kernel may hold unsent for one connection: what is queued there can no longer be dropped.
    private static let unsentByteLimit = 64 * 1024

    init(loop: any EventLoop) { self.loop = loop }

    /// Binds the port for IPv6 and IPv4; for IPv4 alone on a machine without IPv6. Returns the port that was bound.
    /// - Parameter port: 0 for any.
    func listen(on port: UInt16) -> EventLoopFuture<UInt16> {
        bind("::", port).flatMapError { error in
            // A port in use does not mean that the machine has no IPv6.
            error.isAddressInUse ? self.loop.makeFailedFuture(error) : self.bind("0.0.0.0", port)
        }
    }

    private func bind(_ host: String, _ port: UInt16) -> EventLoopFuture<UInt16> {
        ServerBootstrap(group: loop)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelOption(.backlog, value: 128)
            .serverChannelInitializer { $0.tuneSocket() }
            .childChannelInitializer { channel in self.adopt(channel, .accepted, dial: nil) }
            .bind(host: host, port: Int(port))
            .map { channel in
                self.servers.append(channel)
                return UInt16(channel.localAddress?.port ?? Int(port))
            }
    }

    /// Accepts programs of this machine, too, by a local socket of this name: whoever may write to it.
    func listenLocally(at path: String) -> EventLoopFuture<Void> {
        ServerBootstrap(group: loop)
            .childChannelInitializer { channel in self.adopt(channel, .local, address: Self.thisMachine) }
            .bind(unixDomainSocketPath: path)
            .map { channel in
                self.servers.append(channel)
                self.localSockets.append(path)
            }
    }

    /// Connects to a program of this machine. The delegate hears of the connection before the future completes; it
    /// fails if nobody listens there.
    func connectLocally(to path: String) -> EventLoopFuture<Void> {
        ClientBootstrap(group: loop).connect(unixDomainSocketPath: path)
            .flatMap { channel in self.adopt(channel, .local, address: path) }
    }

    /// The address of callers by the local socket, for display.
    static let thisMachine = "this machine"

    /// Connects. The delegate hears of the connection, or of the failure.
    func dial(_ dial: Dialer.Dial) {
        let bootstrap = ClientBootstrap(group: loop)
            .connectTimeout(.nanoseconds(PeeringLimits.dialTimeout.nanoseconds))
            .channelInitializer { $0.tuneSocket() }
        // NIO resolves one name at a time: a numeric address must not wait behind a name server.
        let connection =
            if let address = try? SocketAddress(ipAddress: dial.address.host, port: Int(dial.address.port)) {
                bootstrap.connect(to: address)
            } else {
                bootstrap.connect(host: dial.address.host, port: Int(dial.address.port))
            }
        connection
            .flatMap { channel in self.adopt(channel, .dialed, dial: dial) }
            .whenFailure { self.delegate?.networkDidFail(dial, $0.dialFailure) }
    }

    private func adopt(
        _ channel: any Channel, _ direction: PeerConnection.Direction, dial: Dialer.Dial?
    ) -> EventLoopFuture<Void> {
        channel.setOption(.tcpOption(.tcp_nodelay), value: 1)
            .flatMap { channel.setOption(.socketOption(.so_keepalive), value: 1) }
            .flatMap {
                channel.setOption(.tcpOption(.init(rawValue: CInt(TCP_NOTSENT_LOWAT))), value: Self.unsentByteLimit)
            }
            .flatMap {
                let address = channel.remoteAddress?.numericHost ?? "unknown"
                return self.adopt(channel, direction, address: address, dial: dial)
            }
    }

    private func adopt(
        _ channel: any Channel, _ direction: PeerConnection.Direction, address: String, dial: Dialer.Dial? = nil
    ) -> EventLoopFuture<Void> {
        let id = ConnectionID(nextID)
        nextID += 1
        let handler = ConnectionHandler(id: id, network: self, direction: direction, address: address, dial: dial)
        return channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(handler) }
    }

    /// Sends at the end of this turn of the loop, so that everything an event produces goes out in one piece.
    func send(_ bytes: ByteBuffer, to id: ConnectionID) {
        guard let channel = channels[id] else { return }
        if outboxes.isEmpty { loop.execute { self.flush() } }
        var outbox = outboxes[id] ?? Outbox()
        if let last = outbox.last { channel.write(last, promise: nil) }
        outbox.last = bytes
        outbox.byteCount += bytes.readableBytes
        outboxes[id] = outbox
    }

    // A socket may report at once that it took bytes; what is sent in response belongs to the next turn.
    private func flush() {
        let filled = outboxes
        outboxes = [:]
        for (id, outbox) in filled {
            guard let channel = channels[id], let last = outbox.last else { continue }
            channel.writeAndFlush(last).whenSuccess { [byteCount = outbox.byteCount] in
                self.delegate?.networkDidWrite(id, byteCount: byteCount)
            }
        }
    }

    private struct Outbox {
        /// The newest buffer; the channel has those before it.
        var last: ByteBuffer?
        var byteCount = 0
    }

    /// Closes after pending data was sent, or after one second if the other side does not take it.
    func close(_ id: ConnectionID) {
        guard let channel = channels[id] else { return }
        flush()
        channel.writeAndFlush(ByteBuffer()).whenComplete { _ in channel.close(promise: nil) }
        loop.scheduleTask(in: .seconds(1)) { channel.close(promise: nil) }
    }

    /// Ends a connection whose other side is presumed dead. Unsent data is dropped: a slow link would deliver it ahead
    /// of what the next connection sends (RFC 9293 section 3.10.5).
    func abort(_ id: ConnectionID) {
        guard let channel = channels[id] as? any Channel & SocketOptionProvider else { return close(id) }
        channel.setSoLinger(linger(l_onoff: 1, l_linger: 0))
            .whenComplete { _ in channel.close(promise: nil) }
    }

    /// Reads the kernel's estimate of a connection's round trip, if it has one. When the connection was just opened,
    /// that is the empty path's.
    func measureRoundTrip(of id: ConnectionID, _ body: @escaping (TimeSpan) -> Void) {
        guard let channel = channels[id], channel.remoteAddress?.ipAddress != nil,
            let options = channel as? any SocketOptionProvider
        else { return }
        options.getTCPInfo().assumeIsolated().whenSuccess { info in
            if info.tcpi_rtt > 0 { body(.microseconds(Int64(info.tcpi_rtt))) }
        }
    }

    /// Returns the numeric address of a connection's other end; nil once the connection is gone.
    func remoteHost(_ id: ConnectionID) -> String? { channels[id]?.remoteAddress?.numericHost }

    /// Stops accepting, and closes every connection after its pending data was sent.
    func shutDown() -> EventLoopFuture<Void> {
        isClosed = true
        let open = Array(channels.values)
        for id in channels.keys { close(id) }
        for path in localSockets { unlink(path) }
        localSockets = []
        let closings = servers.map { $0.close() } + open.map(\.closeFuture)
        return EventLoopFuture.andAllComplete(closings, on: loop)
    }

    fileprivate func opened(_ handler: ConnectionHandler, _ channel: any Channel) {
        guard !isClosed else {
            channel.close(promise: nil)
            return
        }
        channels[handler.id] = channel
        delegate?.networkDidOpen(handler.id, handler.direction, address: handler.address, dial: handler.dial)
    }

    fileprivate func closed(_ id: ConnectionID) {
        guard channels.removeValue(forKey: id) != nil else { return }
        delegate?.networkDidClose(id)
    }
}

// Confined to its event loop: NIO's callbacks run there, and every method is called there.
extension PeerNetwork: @unchecked Sendable {}

/// Passes a channel's bytes to the network.
private final class ConnectionHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    let id: ConnectionID
    let network: PeerNetwork
    let direction: PeerConnection.Direction
    let address: String
    let dial: Dialer.Dial?
    private var isOpen = false

    init(
        id: ConnectionID, network: PeerNetwork, direction: PeerConnection.Direction, address: String,
        dial: Dialer.Dial?
    ) {
        self.id = id
        self.network = network
        self.direction = direction
        self.address = address
        self.dial = dial
    }

    func handlerAdded(context: ChannelHandlerContext) {
        if context.channel.isActive { open(context) }
    }

    func channelActive(context: ChannelHandlerContext) {
        open(context)
        context.fireChannelActive()
    }

    private func open(_ context: ChannelHandlerContext) {
        guard !isOpen else { return }
        isOpen = true
        network.opened(self, context.channel)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        network.delegate?.networkDidReceive(id, unwrapInboundIn(data))
    }

    func channelInactive(context: ChannelHandlerContext) {
        network.closed(id)
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

extension Error {
    /// A name may have several addresses: one refuses, another is unreachable.
    fileprivate var dialFailure: DialFailure {
        let errors = (self as? NIOConnectionError)?.connectionErrors.map(\.error) ?? [self]
        let codes = Set(errors.compactMap { ($0 as? IOError)?.errnoCode })
        if codes.contains(EHOSTUNREACH) || codes.contains(ENETUNREACH) { return .unreachable }
        return codes.contains(ECONNREFUSED) ? .refused : .unanswered
    }
}

extension SocketAddress {
    /// The address without port: IPv4 even if it came through an IPv6 socket, link-local with its scope.
    var numericHost: String? {
        guard let host = ipAddress else { return nil }
        if host.hasPrefix("::ffff:"), host.contains(".") { return String(host.dropFirst("::ffff:".count)) }
        guard case .v6(let address) = self, address.address.sin6_scope_id != 0 else { return host }
        return "\(host)%\(address.address.sin6_scope_id)"
    }
}
