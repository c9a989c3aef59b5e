import AudioCore
import Glibc
import NIOCore
import NIOPosix
import Peering
import SecureChannel

/// The TCP side of a peer: a listening port and connections, on one event loop.
///
/// Every method but ``listen(on:)`` must be called on the event loop.
final class PeerNetwork {
    let loop: any EventLoop
    weak var delegate: (any PeerNetworkDelegate)?
    private var servers: [any Channel] = []
    /// The files of the local sockets, while they are open.
    private var localSockets: [String] = []
    private let keys: PeerKeyPair
    /// Nil where there are local sockets only.
    private let household: HouseholdConnector?
    /// Connections whose other end has proved its key, but not introduced itself yet.
    private var unintroduced: [ConnectionID: (key: PeerKey, binding: ChannelBinding)] = [:]
    private var connections: [ConnectionID: ConnectionHandler] = [:]
    /// Those that have something to send at the end of this turn of the loop.
    private var filled: [ConnectionHandler] = []
    /// Whose backlog grows beyond this takes nothing, or too slowly, and is cut off; nil where the session bounds it.
    private let backlogLimit: Int?
    private var nextID = 0
    private var isClosed = false

    /// Bytes that the kernel may hold unsent for one connection: what is queued there can no longer be dropped.
    private static let unsentByteLimit = 64 * 1024

    /// - Parameter keys: what this peer proves to have, over TCP. Local sockets need none: the file system decides who
    ///   may use them.
    init(
        loop: any EventLoop, keys: PeerKeyPair, household: HouseholdConnector? = nil, backlogLimit: Int? = nil
    ) {
        self.loop = loop
        self.keys = keys
        self.household = household
        self.backlogLimit = backlogLimit
        household?.send = { [weak self] id, message in self?.send(message, to: id) }
        household?.onStanding = { [weak self] id, standing in self?.delegate?.networkDidChange(id, standing) }
        household?.onChange = { [weak self] in self?.delegate?.networkDidChangeHousehold() }
    }

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
    ///
    /// It gets its name once it accepts. Whoever finds one that refuses takes it for what a crash has left, and removes
    /// it.
    func listenLocally(at path: String) -> EventLoopFuture<Void> {
        let unnamed = LocalSocketDirectory.unnamed(path)
        return ServerBootstrap(group: loop)
            .childChannelInitializer { channel in self.adopt(channel, .local, address: Self.thisMachine) }
            .bind(unixDomainSocketPath: unnamed)
            .flatMapThrowing { channel in
                self.servers.append(channel)
                guard rename(unnamed, path) == 0 else {
                    let error = IOError(errnoCode: errno, reason: "rename")
                    unlink(unnamed)
                    throw error
                }
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
        let protection: ConnectionSecurity.Protection =
            switch direction {
            case .dialed: .encrypted(.initiator, keys)
            case .accepted: .encrypted(.responder, keys)
            case .local, .browser: .plain
            }
        let handler = ConnectionHandler(
            id: id, network: self, direction: direction, address: address, dial: dial, protection: protection)
        return channel.eventLoop.makeCompletedFuture { try channel.pipeline.syncOperations.addHandler(handler) }
    }

    /// Sends at the end of this turn of the loop, so that everything an event produces goes out in one piece.
    func send(_ bytes: ByteBuffer, to id: ConnectionID) { send(.message(bytes), to: id) }

    /// Sends at the end of this turn of the loop, too.
    func send(_ piece: OutgoingPiece, to id: ConnectionID) {
        guard let connection = connections[id] else { return }
        let isFirst = connection.post(piece)
        if let backlogLimit, connection.backlog > backlogLimit {
            // What it is sent may be the answer to what it sends: that ends with this turn.
            connection.clear()
            return loop.execute { self.abort(id) }
        }
        if filled.isEmpty { loop.execute { self.flush() } }
        if isFirst { filled.append(connection) }
    }

    // A socket may report at once that it took bytes; what is sent in response belongs to the next turn.
    private func flush() {
        let senders = filled
        filled = []
        for sender in senders { sender.flush() }
    }

    /// Closes after pending data was sent and the other side has ended the connection, too, or after one second.
    func close(_ id: ConnectionID) {
        guard let connection = connections[id] else { return }
        flush()
        connection.close()
    }

    /// Ends a connection whose other side is presumed dead. Unsent data is dropped: a slow link would deliver it ahead
    /// of what the next connection sends (RFC 9293 section 3.10.5).
    func abort(_ id: ConnectionID) {
        connections[id]?.abort { channel in
            guard let options = channel as? any SocketOptionProvider else { return channel.close(promise: nil) }
            options.setSoLinger(linger(l_onoff: 1, l_linger: 0))
                .whenComplete { _ in channel.close(promise: nil) }
        }
    }

    /// Reads the kernel's estimate of a connection's round trip, if it has one. When the connection was just opened,
    /// that is the empty path's.
    func measureRoundTrip(of id: ConnectionID, _ body: @escaping (TimeSpan) -> Void) {
        guard let channel = connections[id]?.channel, channel.remoteAddress?.ipAddress != nil,
            let options = channel as? any SocketOptionProvider
        else { return }
        options.getTCPInfo().assumeIsolated().whenSuccess { info in
            if info.tcpi_rtt > 0 { body(.microseconds(Int64(info.tcpi_rtt))) }
        }
    }

    /// Returns the numeric address of a connection's other end; nil once the connection is gone.
    func remoteHost(_ id: ConnectionID) -> String? { connections[id]?.channel?.remoteAddress?.numericHost }

    /// Stops accepting, and closes every connection after its pending data was sent.
    /// - Parameter lingers: whether to wait for the other sides to end them, too, for a second at most: they may still
    ///   have to hear something.
    func shutDown(lingers: Bool = true) -> EventLoopFuture<Void> {
        isClosed = true
        let open = connections.values.compactMap(\.channel)
        flush()
        for connection in Array(connections.values) { connection.close(finishesHandshake: false, lingers: lingers) }
        for path in localSockets { unlink(path) }
        localSockets = []
        let closings = servers.map { $0.close() } + open.map(\.closeFuture)
        return EventLoopFuture.andAllComplete(closings, on: loop)
    }

    /// The handler's connection is there.
    func opened(_ connection: ConnectionHandler) {
        guard !isClosed else { return connection.close(finishesHandshake: false) }
        connections[connection.id] = connection
        delegate?.networkDidOpen(
            connection.id, connection.direction, address: connection.address, dial: connection.dial)
    }

    /// The other end of a connection has proved its key.
    /// - Returns: the own introduction.
    func introduction(_ id: ConnectionID, _ key: PeerKey, _ binding: ChannelBinding) -> [UInt8] {
        unintroduced[id] = (key, binding)
        return household?.open(id, key: key, binding: binding) ?? []
    }

    /// The other end of a connection has introduced itself.
    func introduced(_ id: ConnectionID, _ introduction: ByteBuffer) {
        guard let (key, binding) = unintroduced.removeValue(forKey: id) else { return }
        let standing = household?.receive(introduction: introduction, from: id) ?? .stranger
        delegate?.networkDidAuthenticate(id, AuthenticatedPeer(key: key, binding: binding, standing: standing))
    }

    /// The handler's connection has taken messages of so many bytes.
    func wrote(_ id: ConnectionID, byteCount: Int) {
        connections[id]?.wrote(byteCount: byteCount)
        delegate?.networkDidWrite(id, byteCount: byteCount)
    }

    /// The handler's connection is gone.
    func closed(_ id: ConnectionID) {
        guard connections.removeValue(forKey: id) != nil else { return }
        unintroduced[id] = nil
        household?.close(id)
        delegate?.networkDidClose(id)
    }
}

// Confined to its event loop: NIO's callbacks run there, and every method is called there.
extension PeerNetwork: @unchecked Sendable {}

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
