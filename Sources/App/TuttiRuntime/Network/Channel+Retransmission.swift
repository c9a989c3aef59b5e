import Glibc
import NIOCore

extension Channel {
    /// Has TCP find out soon that a network is back, or carries more than it did.
    ///
    /// What was lost is sent again after a second at most: by RFC 6298 section 5.5 the pause would double each time that
    /// it is lost again, and last for seconds longer than the trouble. And congestion control is CUBIC (RFC 9438),
    /// whatever the system prefers: BBR goes on for more than ten seconds at the pace to which a weak link had forced it.
    /// To be set before a connection stands, which takes them over from the socket that accepted it: once BBR has begun,
    /// its pacing outlives it.
    ///
    /// A kernel that lacks the one (Linux before 6.15) or the other keeps to what it does by itself.
    func tuneSocket() -> EventLoopFuture<Void> {
        guard let options = self as? any SocketOptionProvider else { return eventLoop.makeSucceededVoidFuture() }
        let settings = [
            options.unsafeSetSocketOption(level: .tcp, name: Self.longestPause, value: CInt(1_000)),
            options.unsafeSetSocketOption(level: .tcp, name: Self.congestionControl, value: Self.cubic),
        ]
        return EventLoopFuture.andAllComplete(settings, on: eventLoop)
    }

    /// TCP_RTO_MAX_MS of linux/tcp.h, in milliseconds: from 1,000.
    private static var longestPause: NIOBSDSocket.Option { .init(rawValue: 44) }
    private static var congestionControl: NIOBSDSocket.Option { .init(rawValue: TCP_CONGESTION) }
    /// A name in eight bytes, padded with zeros.
    private static var cubic: UInt64 { "cubic".utf8.reversed().reduce(0) { $0 << 8 | UInt64($1) }.littleEndian }
}
