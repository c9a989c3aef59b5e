import Glibc

/// A port of TCP and UDP on which nothing listens, and which no process of these tests was given that is still there:
/// suites run side by side, and a port is listened on some time after it was given.
///
/// It lies below those that Linux gives to whoever asks for any (`ip_local_port_range`, from 32768 on): of these, one
/// may be some connection's by the time it is listened on.
public func freePort() -> UInt16 {
    while true {
        let port = UInt16.random(in: 20_000..<32_000)
        // Claimed first: to look is to take it for a moment, and who was given it may be about to listen.
        guard port != defaultPort, claim(port), isFree(port, SOCK_STREAM), isFree(port, SOCK_DGRAM) else { continue }
        return port
    }
}

/// That of programs which were told of none.
private let defaultPort: UInt16 = 28_884

/// Takes a port for this process, by a name that the kernel gives to one socket and forgets with the process: that of a
/// local socket which is no file (unix(7), abstract addresses).
/// - Returns: false where the port was given before.
private func claim(_ port: UInt16) -> Bool {
    let socket = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let name = [0] + Array("tutti-test-port-\(port)".utf8)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name) }
    let length = socklen_t(MemoryLayout<sa_family_t>.size + name.count)
    let isTaken = withUnsafePointer(to: &address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(socket, $0, length) == 0 }
    }
    if !isTaken { close(socket) }
    return isTaken
}

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
