import Glibc
import NIOCore
import NIOPosix

/// A server of HTTP/1.1 (RFC 9110, 9112) and WebSockets (RFC 6455) for a site, on one event loop; with a certificate by
/// https, and then plain HTTP on the same port is redirected.
///
/// Which requests reach the site: ``HeadCheck``; how much of them: ``WebLimits``. Methods may be called from any
/// thread.
public final class WebServer {
    private let loop: any EventLoop
    private let site: any WebSite
    private let names: [String]
    private var transport: Transport
    private let limits: WebLimits
    private let tunePort: @Sendable (any Channel) -> EventLoopFuture<Void>
    private var counts: ConnectionCounts
    private let budget: WriteBudget
    private var state = State.stopped
    private var channels: [ObjectIdentifier: any Channel] = [:]
    private var sockets: [ObjectIdentifier: WebSocketConnection] = [:]

    private enum Transport {
        case plain(HeadCheck)
        case tls(TLSDetection, HostNames)
    }

    private enum State {
        case stopped
        case listening(any Channel)
        /// Nobody is accepted any more.
        case shutDown
    }

    /// Bytes that the kernel may hold unsent for one connection: what is queued there can no longer be dropped.
    private static let unsentByteLimit = 64 * 1024

    /// - Parameters:
    ///   - names: of this machine, by which browsers may call it. A name without a dot stands for itself in `.local`,
    ///     too; addresses, `localhost` and the certificate's names are always accepted.
    ///   - certificate: for https; nil for plain HTTP.
    ///   - tunePort: sets options of the listening socket, which its connections inherit; on the loop.
    public init(
        loop: any EventLoop, site: any WebSite, names: [String], certificate: WebCertificate? = nil,
        limits: WebLimits = .init(),
        tunePort: @escaping @Sendable (any Channel) -> EventLoopFuture<Void> = {
            $0.eventLoop.makeSucceededVoidFuture()
        }
    ) {
        self.loop = loop
        self.tunePort = tunePort
        self.site = site
        self.limits = limits
        self.names = names
        transport = Self.transport(names, certificate, limits)
        counts = ConnectionCounts(limits)
        budget = WriteBudget(limit: limits.waitingBytes)
    }

    private static func transport(_ names: [String], _ certificate: WebCertificate?, _ limits: WebLimits) -> Transport {
        guard let certificate else { return .plain(HeadCheck(names: names)) }
        return .tls(
            TLSDetection(certificate: certificate, limits: limits),
            HostNames(own: names, proven: certificate.names))
    }

    /// Takes a renewed certificate: for connections that begin from now on, those that are there go on. Of no effect on
    /// a server of plain HTTP.
    public func renew(_ certificate: WebCertificate) {
        loop.execute {
            guard case .tls = self.transport else { return }
            self.transport = Self.transport(self.names, certificate, self.limits)
        }
    }

    /// Listens for IPv6 and IPv4; for IPv4 alone on a machine without IPv6.
    /// - Parameter port: 0 for any.
    /// - Returns: the port that was bound; or fails with ``WebServerError``.
    public func listen(port: UInt16) -> EventLoopFuture<UInt16> {
        loop.flatSubmit {
            self.bind("::", port)
                .flatMapError { error in
                    // A port in use does not mean that the machine has no IPv6.
                    error.isAddressInUse ? self.loop.makeFailedFuture(error) : self.bind("0.0.0.0", port)
                }
                .flatMapErrorThrowing { error in
                    throw error.isAddressInUse ? WebServerError.portInUse(port) : .cannotListen("\(error)")
                }
        }
    }

    private func bind(_ host: String, _ port: UInt16) -> EventLoopFuture<UInt16> {
        ServerBootstrap(group: loop)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelOption(.backlog, value: 128)
            .serverChannelInitializer(tunePort)
            .childChannelInitializer { channel in
                channel.tune(unsentByteLimit: Self.unsentByteLimit).flatMapThrowing { try self.adopt(channel) }
            }
            .bind(host: host, port: Int(port))
            .flatMapThrowing { channel in
                guard case .stopped = self.state else {
                    channel.close(promise: nil)
                    throw WebServerError.cannotListen("the server listens already, or was shut down")
                }
                self.state = .listening(channel)
                return UInt16(channel.localAddress?.port ?? Int(port))
            }
    }

    private func adopt(_ channel: any Channel) throws {
        let address = channel.remoteAddress?.numericHost ?? "unknown"
        if case .shutDown = state { return channel.close(promise: nil) }
        let admission = counts.admit(address)
        let refusal: WebRefusal?
        switch admission {
        case .dropped: return channel.close(promise: nil)
        case .served: refusal = nil
        case .refused(let reason): refusal = WebRefusal(.unavailable, reason, headers: [("Retry-After", "5")])
        }
        let id = ObjectIdentifier(channel)
        channels[id] = channel
        channel.closeFuture.whenComplete { _ in
            self.counts.release(address, admission)
            self.channels[id] = nil
            self.sockets[id] = nil
        }
        switch transport {
        case .plain(let check): try connect(channel, from: address, site, check, refusal)
        case .tls(let detection, let names):
            try detection.addHandlers(to: channel, isRefused: refusal != nil) { scheme, channel in
                let site: any WebSite =
                    switch scheme {
                    case .http: SecureRedirect(on: self.loop)
                    case .https: self.site
                    }
                try self.connect(channel, from: address, site, HeadCheck(names, scheme: scheme), refusal)
            }
        }
    }

    private func connect(
        _ channel: any Channel, from address: String, _ site: any WebSite, _ check: HeadCheck, _ refusal: WebRefusal?
    ) throws {
        let id = ObjectIdentifier(channel)
        let connection = WebConnection(
            site: site, check: check, limits: limits, address: address, budget: budget, refusal: refusal
        ) { self.sockets[id] = $0 }
        try connection.addHandlers(to: channel)
    }

    /// Accepts no more connections; those that are there go on. It may listen again.
    public func stopListening() -> EventLoopFuture<Void> { loop.flatSubmit { self.closePort() } }

    private func closePort() -> EventLoopFuture<Void> {
        guard case .listening(let channel) = state else { return loop.makeSucceededVoidFuture() }
        state = .stopped
        return channel.close()
    }

    /// Ends for good: WebSockets are told so (1001), all else is closed.
    /// - Returns: once nothing is open, ``WebLimits/lingerTime`` later at most.
    public func shutDown() -> EventLoopFuture<Void> {
        loop.flatSubmit {
            let port = self.closePort()
            self.state = .shutDown
            let closings = self.channels.values.map(\.closeFuture)
            for (id, channel) in self.channels {
                if let socket = self.sockets[id] {
                    socket.close(code: 1001, reason: "The server ends.")
                } else {
                    channel.close(promise: nil)
                }
            }
            return EventLoopFuture.andAllComplete(closings + [port], on: self.loop)
        }
    }
}

// Confined to its event loop: NIO's callbacks run there, and every method goes there first.
extension WebServer: @unchecked Sendable {}

/// Why a ``WebServer`` does not listen.
public enum WebServerError: Error, Equatable {
    /// Another program has the port.
    case portInUse(UInt16)
    /// - Parameter reason: what the system says.
    case cannotListen(_ reason: String)
}

extension Error {
    fileprivate var isAddressInUse: Bool { (self as? IOError)?.errnoCode == EADDRINUSE }
}
