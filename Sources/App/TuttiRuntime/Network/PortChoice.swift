import Glibc
import NIOCore
import NIOPosix

extension PeerNetwork {
    /// Listens on the user's port. Without one, listens on the default port or, if another Tutti has that, on any.
    func listen(
        _ options: NetworkOptions, emit: @escaping @Sendable (RuntimeEvent) -> Void
    ) -> EventLoopFuture<UInt16> {
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
    /// Offers a local socket, if the options say where. Without one everything else works.
    func listenLocally(
        _ options: NetworkOptions, _ role: LocalSocketDirectory.Role, emit: @escaping @Sendable (RuntimeEvent) -> Void
    ) {
        guard let directory = options.localSockets else { return }
        let failure = RuntimeEvent.notice(.network(.noLocalSocket(directory: directory.path)))
        guard directory.prepare(), let path = directory.newSocket(role) else { return emit(failure) }
        listenLocally(at: path).whenFailure { _ in emit(failure) }
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
