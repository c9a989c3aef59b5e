import Glibc
import Synchronization

/// A port of TCP and UDP on which nothing listens, and which this process was not given before.
///
/// It lies below those that Linux gives to whoever asks for any (`ip_local_port_range`, from 32768 on): of these, one may
/// be some connection's by the time it is listened on.
public func freePort() -> UInt16 {
    while true {
        let port = UInt16.random(in: 20_000..<32_000)
        guard givenPorts.withLock({ $0.insert(port).inserted }) else { continue }
        if isFree(port, SOCK_STREAM), isFree(port, SOCK_DGRAM) { return port }
    }
}

private let givenPorts = Mutex<Set<UInt16>>([])

private func isFree(_ port: UInt16, _ type: __socket_type) -> Bool {
    let candidate = socket(AF_INET, Int32(type.rawValue), 0)
    defer { close(candidate) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    return withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
            bind(candidate, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
        }
    }
}
