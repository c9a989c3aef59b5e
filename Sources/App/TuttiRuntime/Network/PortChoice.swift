import Glibc
import NIOCore
import NIOPosix
import Peering

extension PeerNetwork {
    /// Listens on the user's port. Without one, listens on the default port or, if another Tutti has that, on any.
    /// - Parameter peer: whom this one is to find. At this machine's default port that is another Tutti, which may come
    ///   later: the port is left to it, or this one would find itself there.
    func listen(
        _ options: NetworkOptions, toFind peer: NetworkAddress? = nil,
        emit: @escaping @Sendable (RuntimeEvent) -> Void
    ) -> EventLoopFuture<UInt16> {
        if options.port == nil, let peer, peer.port == NetworkAddress.defaultPort, OwnAddresses.contains(peer.host) {
            return listen(on: 0)
        }
        let wanted = options.port ?? NetworkAddress.defaultPort
        return listen(on: wanted).flatMapError { error in
            guard options.port == nil, error.isAddressInUse else {
                return self.loop.makeFailedFuture(RuntimeFailure.cannotListen(on: wanted, error))
            }
            return self.listen(on: 0).map { port in
                emit(.notice(.network(.portInUse(wanted, instead: port))))
                return port
            }
        }
    }
}

extension PeerNetwork {
    /// Offers a local socket in each place that the options name. Without them everything else works.
    func listenLocally(
        _ options: NetworkOptions, _ role: LocalSocketDirectory.Role, emit: @escaping @Sendable (RuntimeEvent) -> Void
    ) {
        for directory in options.localSockets {
            let failure = RuntimeEvent.notice(.network(.noLocalSocket(directory)))
            guard directory.prepare(), let path = directory.newSocket(role) else {
                emit(failure)
                continue
            }
            listenLocally(at: path)
                .map { if !directory.open(path) { emit(failure) } }
                .whenFailure { _ in emit(failure) }
        }
    }
}

extension Error {
    var isAddressInUse: Bool { (self as? IOError)?.errnoCode == EADDRINUSE }
}

extension RuntimeFailure {
    static func cannotListen(on port: UInt16, _ error: any Error) -> RuntimeFailure {
        if error.isAddressInUse {
            return RuntimeFailure(.unavailable, .portInUse(port))
        }
        let words = (error as? IOError).map { String(cString: strerror($0.errnoCode)) } ?? "\(error)"
        return RuntimeFailure(.unavailable, .notListening(port: port, words))
    }
}
