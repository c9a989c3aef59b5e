import AudioCore
import Glibc
import HostSystem

/// Sends a few datagrams to a port, and hears what the network says of them.
enum DatagramProbe {
    // Linux tells one sender of one error a second (icmp(7), icmp_ratelimit), and the exchanges with the clock that
    // came before have used that up.
    private static let count = 7
    private static let interval = TimeSpan.milliseconds(200)

    /// Blocks for one and a half seconds at most; what is refused is known earlier.
    /// - Parameter host: a numeric address.
    /// - Returns: nil if the address makes no sense here.
    static func send(to host: String, port: UInt16) -> ClockFacts.Datagram? {
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV
        hints.ai_socktype = Int32(SOCK_DGRAM.rawValue)
        var found: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, String(port), &hints, &found) == 0, let found else { return nil }
        defer { freeaddrinfo(found) }
        let kind = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let descriptor = socket(found.pointee.ai_family, kind, 0)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        guard connect(descriptor, found.pointee.ai_addr, found.pointee.ai_addrlen) == 0 else { return answer(errno) }
        for _ in 0..<count {
            if Glibc.send(descriptor, [0], 1, 0) < 0 { return answer(errno) }
            if let answer = hear(descriptor, until: .now() + interval) { return answer }
        }
        return .silence
    }

    /// What the kernel reports of a connected socket (udp(7), "ERRORS"): refusals that came back as ICMP.
    private static func hear(_ descriptor: Int32, until end: HostTime) -> ClockFacts.Datagram? {
        var byte: UInt8 = 0
        while HostTime.now() < end {
            var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            _ = poll(&request, 1, Int32(clamping: (end - .now()).nanoseconds / 1_000_000 + 1))
            guard recv(descriptor, &byte, 1, 0) < 0 else { return .silence }
            if errno != EAGAIN, errno != EINTR { return answer(errno) }
        }
        return nil
    }

    private static func answer(_ code: Int32) -> ClockFacts.Datagram {
        switch code {
        case ECONNREFUSED: .refused
        case EHOSTUNREACH, ENETUNREACH, ENOPROTOOPT, EACCES: .unreachable
        default: .notSent(code)
        }
    }
}
