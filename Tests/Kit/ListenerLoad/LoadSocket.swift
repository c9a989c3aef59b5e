import CLoadPolling
import Glibc

/// An IPv4 address and port, as the kernel takes them.
public struct LoadAddress: Hashable, Sendable {
    /// In host order.
    public var host: UInt32
    public var port: UInt16

    public init(host: UInt32, port: UInt16) {
        self.host = host
        self.port = port
    }

    /// Four numbers with points between; nil for anything else.
    public static func host(_ text: some StringProtocol) -> UInt32? {
        var address = in_addr()
        guard inet_pton(AF_INET, String(text), &address) == 1 else { return nil }
        return UInt32(bigEndian: address.s_addr)
    }

    fileprivate var raw: sockaddr_in {
        var raw = sockaddr_in()
        raw.sin_family = sa_family_t(AF_INET)
        raw.sin_port = port.bigEndian
        raw.sin_addr.s_addr = host.bigEndian
        return raw
    }
}

/// A socket that never waits, connected to one address from one of our own.
struct LoadSocket: ~Copyable {
    enum Kind {
        case stream
        case datagram
    }

    /// Why a socket cannot be had.
    struct Failure: Error {
        var call: String
        var code: Int32
    }

    let descriptor: Int32

    /// A stream's connection stands when the socket can be written to; see ``connectionError``.
    /// - Parameter receiveBuffer: bytes that the kernel holds unread at most; nil lets it choose.
    init(_ kind: Kind, from source: UInt32?, to address: LoadAddress, receiveBuffer: Int32? = nil) throws(Failure) {
        let type = kind == .stream ? SOCK_STREAM : SOCK_DGRAM
        let flags = Int32(type.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        let descriptor = socket(AF_INET, flags, 0)
        self.descriptor = descriptor
        guard descriptor >= 0 else { throw Failure(call: "socket", code: errno) }
        // The port is chosen with the connection: thousands of sockets of one address would run out of them otherwise.
        Self.set(descriptor, Int32(IPPROTO_IP), IP_BIND_ADDRESS_NO_PORT, 1)
        if kind == .stream { Self.set(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1) }
        if let receiveBuffer { Self.set(descriptor, SOL_SOCKET, SO_RCVBUF, receiveBuffer) }
        if let source {
            let result = Self.withAddress(LoadAddress(host: source, port: 0)) { bind(descriptor, $0, $1) }
            guard result == 0 else { throw Failure(call: "bind", code: errno) }
        }
        let result = Self.withAddress(address) { connect(descriptor, $0, $1) }
        guard result == 0 || errno == EINPROGRESS else { throw Failure(call: "connect", code: errno) }
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// 0 once the connection stands.
    var connectionError: Int32 {
        var error: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &length) == 0 ? error : errno
    }

    /// Bytes read; 0 at the end, negative errno on failure.
    func receive(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
        return count < 0 ? -Int(errno) : count
    }

    /// Whether all of it was taken.
    func send(_ bytes: UnsafeRawBufferPointer) -> Bool {
        Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
    }

    func send(_ bytes: [UInt8]) -> Bool { bytes.withUnsafeBytes { send($0) } }

    private static func set(_ descriptor: Int32, _ level: Int32, _ option: Int32, _ value: Int32) {
        var value = value
        setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    private static func withAddress<Result>(
        _ address: LoadAddress, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        withUnsafePointer(to: address.raw) { raw in
            raw.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                body(address, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
