import AudioCore
import Glibc
import HostSystem

/// Datagrams to the group of mDNS: whether they leave and are heard, and who answers for a name.
enum MulticastProbe {
    /// 224.0.0.251 (RFC 6762 section 3), in host byte order.
    private static let group: UInt32 = 0xE000_00FB
    private static let port: UInt16 = 5_353
    private static let echoTime = TimeSpan.milliseconds(500)

    /// Sends to the group on one interface, at a port of its own, and listens whether it comes back: the kernel hands
    /// what a machine sends to a group to its own members of the group, past the same rules as what others send.
    static func echo(on interface: UInt32) -> NetworkFacts.Multicast {
        let descriptor = makeSocket()
        guard descriptor >= 0 else { return .notTried(errno) }
        defer { close(descriptor) }
        guard choose(interface, descriptor), let own = boundPort(descriptor) else { return .notTried(errno) }
        var membership = ip_mreqn()
        membership.imr_multiaddr.s_addr = group.bigEndian
        membership.imr_ifindex = Int32(bitPattern: interface)
        let size = socklen_t(MemoryLayout<ip_mreqn>.size)
        guard setsockopt(descriptor, Int32(IPPROTO_IP), IP_ADD_MEMBERSHIP, &membership, size) == 0 else {
            return .notSent(errno)
        }
        let token = (0..<16).map { _ in UInt8.random(in: 0...(.max)) }
        guard send(token, to: own, descriptor) else { return .notSent(errno) }
        let end = HostTime.now() + echoTime
        while let (bytes, _) = receive(descriptor, until: end) {
            if bytes == token { return .heard }
        }
        return .notHeard
    }

    /// Sends to the group without naming an interface, as many programs do: the routes decide.
    /// - Returns: 0, or an errno.
    static func plainSend() -> Int32 {
        let descriptor = makeSocket()
        guard descriptor >= 0 else { return 0 }
        defer { close(descriptor) }
        // Port 9 discards what it is sent (RFC 863).
        return send([0], to: 9, descriptor) ? 0 : errno
    }

    /// Asks the network for the addresses of hosts, on some interfaces, and returns all answers of some time.
    /// - Parameter hosts: at most 16 count.
    static func ask(for hosts: [String], on interfaces: [UInt32], span: TimeSpan) -> [HostAnswer] {
        var answers: [HostAnswer] = []
        let sockets = interfaces.prefix(16).compactMap { interface -> (descriptor: Int32, interface: UInt32)? in
            let descriptor = makeSocket()
            guard descriptor >= 0 else { return nil }
            guard choose(interface, descriptor) else {
                close(descriptor)
                return nil
            }
            return (descriptor, interface)
        }
        defer { for socket in sockets { close(socket.descriptor) } }
        let first = UInt16.random(in: 1...60_000)
        for (number, host) in hosts.prefix(16).enumerated() {
            guard let question = MDNSMessage.question(forAddressesOf: host, id: first + UInt16(number)) else {
                continue
            }
            for socket in sockets { _ = send(question, to: port, socket.descriptor) }
        }
        let end = HostTime.now() + span
        for socket in sockets {
            while answers.count < 256, let (bytes, sender) = receive(socket.descriptor, until: end) {
                for (number, host) in hosts.prefix(16).enumerated() {
                    guard let found = MDNSMessage.addresses(in: bytes, id: first + UInt16(number)) else { continue }
                    let own = found.filter { $0.host == host.lowercased() }.map(\.address)
                    guard !own.isEmpty else { continue }
                    let answer = HostAnswer(host: host, sender: sender, addresses: own, interface: socket.interface)
                    if !answers.contains(answer) { answers.append(answer) }
                }
            }
        }
        return answers
    }

    // MARK: Sockets

    private static func makeSocket() -> Int32 {
        let kind = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        return socket(AF_INET, kind, 0)
    }

    private static func choose(_ interface: UInt32, _ descriptor: Int32) -> Bool {
        var choice = ip_mreqn()
        choice.imr_ifindex = Int32(bitPattern: interface)
        let size = socklen_t(MemoryLayout<ip_mreqn>.size)
        return setsockopt(descriptor, Int32(IPPROTO_IP), IP_MULTICAST_IF, &choice, size) == 0
    }

    private static func address(_ host: UInt32, _ port: UInt16) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = host.bigEndian
        return address
    }

    private static func boundPort(_ descriptor: Int32) -> UInt16? {
        var any = address(0, 0)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        return withUnsafeMutablePointer(to: &any) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { generic in
                guard bind(descriptor, generic, length) == 0, getsockname(descriptor, generic, &length) == 0 else {
                    return false
                }
                return true
            }
        } ? UInt16(bigEndian: any.sin_port) : nil
    }

    private static func send(_ bytes: [UInt8], to port: UInt16, _ descriptor: Int32) -> Bool {
        var target = address(group, port)
        let count = withUnsafePointer(to: &target) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                sendto(descriptor, bytes, bytes.count, 0, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        return count == bytes.count
    }

    /// The next datagram and its sender; nil when the time is over.
    private static func receive(_ descriptor: Int32, until end: HostTime) -> (bytes: [UInt8], sender: String)? {
        var buffer = [UInt8](repeating: 0, count: 9_000)
        while true {
            var sender = sockaddr_in()
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let count = withUnsafeMutablePointer(to: &sender) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    recvfrom(descriptor, &buffer, buffer.count, 0, $0, &length)
                }
            }
            if count >= 0 {
                let bytes = withUnsafeBytes(of: sender.sin_addr.s_addr) { Array($0) }
                return (Array(buffer[..<count]), bytes.map(String.init).joined(separator: "."))
            }
            let left = end - .now()
            guard errno == EAGAIN || errno == EINTR, left > .zero else { return nil }
            var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            _ = poll(&request, 1, Int32(clamping: left.nanoseconds / 1_000_000 + 1))
        }
    }
}
