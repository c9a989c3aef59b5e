import Glibc
import NIOCore
import PeerSocketKit
import SecureChannel
import StreamTestKit

/// A TCP connection to this machine, for saying what no Tutti would say: bare bytes; with keys, encrypted messages.
final class RawPeer {
    private let descriptor: Int32
    private var socket: PeerSocket?

    /// Connects to a port on the loopback interface; waits for up to so many seconds until something listens there.
    /// - Parameters:
    ///   - host: the last part of its own address, 127.0.0.x.
    ///   - keys: if there are any, it shakes hands, and fails if the other side does not.
    init?(port: UInt16, from host: UInt8 = 1, patience: Int = 5, keys: PeerKeyPair? = nil) {
        var connected: Int32?
        _ = waitUntil(within: .seconds(Int64(patience))) {
            connected = Self.connected(to: port, from: host)
            return connected != nil
        }
        guard let connected else { return nil }
        descriptor = connected
        guard let keys else { return }
        socket = PeerSocket(connected, keys: keys)
        if socket == nil { return nil }
    }

    /// A new socket; nil where nothing listens.
    private static func connected(to port: UInt16, from host: UInt8) -> Int32? {
        let candidate = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        let isBound = withAddress(host, 0) { bind(candidate, $0, $1) } == 0
        if isBound, withAddress(1, port, { connect(candidate, $0, $1) }) == 0 { return candidate }
        close(candidate)
        return nil
    }

    deinit { close(descriptor) }

    private static func withAddress<Result>(
        _ host: UInt8, _ port: UInt16, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
    ) -> Result {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = (0x7F00_0000 | UInt32(host)).bigEndian
        return withUnsafePointer(to: address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }

    /// Makes its end a reset.
    func resetAtEnd() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }

    func say(_ bytes: [UInt8]) {
        if socket?.send(ByteBuffer(bytes: bytes)) == nil {
            _ = send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL))
        }
    }

    /// Everything that the other side says until it closes; nil if it has not closed after ten seconds.
    func hearToEnd() -> [UInt8]? {
        var heard: [UInt8] = []
        while let piece = hear(within: 10_000) {
            guard !piece.isEmpty else { return nil }
            heard += piece
        }
        return heard
    }

    /// What came within so many milliseconds, possibly nothing; nil when the other side has closed.
    func hear(within milliseconds: Int32) -> [UInt8]? {
        if socket != nil { return socket?.receive(within: milliseconds).map { Array($0.readableBytesView) } }
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&request, 1, milliseconds) > 0 else { return [] }
        var piece = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &piece, piece.count, 0)
        return count > 0 ? Array(piece[..<count]) : nil
    }
}
