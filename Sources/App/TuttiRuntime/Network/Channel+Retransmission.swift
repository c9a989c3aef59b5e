import Glibc
import NIOCore

extension Channel {
    /// Makes TCP notice soon that a network is back, or carries more than before.
    ///
    /// Lost data is sent again after one second at most. By RFC 6298 section 5.5 the time-out would double with each
    /// further loss, and outlast the trouble by seconds. Congestion control is CUBIC (RFC 9438), whatever the system
    /// prefers: BBR keeps the pace that a weak link forced on it for more than ten seconds. Set both before the
    /// connection is established, since it inherits them from the listening socket: once BBR has begun, its pacing
    /// outlives the change.
    ///
    /// A kernel that lacks the one (Linux before 6.15) or the other keeps its default.
    func tuneSocket() -> EventLoopFuture<Void> {
        guard let options = self as? any SocketOptionProvider else { return eventLoop.makeSucceededVoidFuture() }
        let settings = [
            options.unsafeSetSocketOption(level: .tcp, name: Self.maximumTimeout, value: CInt(1_000)),
            options.unsafeSetSocketOption(level: .tcp, name: Self.congestionControl, value: Self.cubic),
        ]
        return EventLoopFuture.andAllComplete(settings, on: eventLoop)
    }

    /// TCP_RTO_MAX_MS of linux/tcp.h, in milliseconds: from 1,000.
    private static var maximumTimeout: NIOBSDSocket.Option { .init(rawValue: 44) }
    private static var congestionControl: NIOBSDSocket.Option { .init(rawValue: TCP_CONGESTION) }
    /// The name in eight bytes, padded with zeros.
    private static var cubic: UInt64 { "cubic".utf8.reversed().reduce(0) { $0 << 8 | UInt64($1) }.littleEndian }
}
