import Glibc
import NIOCore
import NIOPosix
import NIOSSL

extension Channel {
    /// Ends the connection, and drops what was not sent (RFC 9293 section 3.10.5).
    func abort() {
        guard let options = self as? any SocketOptionProvider else { return close(promise: nil) }
        options.setSoLinger(linger(l_onoff: 1, l_linger: 0)).whenComplete { _ in self.closeWithoutFarewell() }
    }

    /// TLS would say farewell first, and wait for the client's.
    private func closeWithoutFarewell() {
        guard let tls = try? pipeline.syncOperations.context(handlerType: NIOSSLServerHandler.self) else {
            return close(promise: nil)
        }
        tls.close(promise: nil)
    }

    /// Sets what a connection of small pieces that must not wait needs.
    /// - Parameter unsentByteLimit: how much the kernel may hold unsent: what is queued there can no longer be dropped.
    func tune(unsentByteLimit: Int) -> EventLoopFuture<Void> {
        setOption(.tcpOption(.tcp_nodelay), value: 1)
            .flatMap { self.setOption(.socketOption(.so_keepalive), value: 1) }
            .flatMap {
                self.setOption(.tcpOption(.init(rawValue: CInt(TCP_NOTSENT_LOWAT))), value: .init(unsentByteLimit))
            }
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
