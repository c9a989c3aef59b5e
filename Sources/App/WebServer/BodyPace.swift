import NIOCore

/// How fast a request's body must come: a client has some time in hand, which goes by while it is waited for, and which
/// each byte makes longer again. What this side does with a piece is not the client's time. Owns no clock.
struct BodyPace {
    private let bytesPerSecond: Int
    private let most: TimeAmount
    private var inHand: TimeAmount
    /// From when on the client is waited for.
    private var since: NIODeadline

    init(_ limits: WebLimits, now: NIODeadline) {
        bytesPerSecond = max(1, limits.bodyBytesPerSecond)
        most = limits.bodyTime
        inHand = most
        since = now
    }

    /// How long the client may still say nothing.
    func left(_ now: NIODeadline) -> TimeAmount { max(.zero, inHand - (now - since)) }

    /// Takes note of bytes that came.
    mutating func take(_ byteCount: Int, _ now: NIODeadline) {
        let earned = Int64(byteCount) * 1_000_000_000 / Int64(bytesPerSecond)
        inHand = min(most, left(now) + .nanoseconds(earned))
        since = now
    }

    /// Takes note that this side is ready for more.
    mutating func goOn(_ now: NIODeadline) { since = now }
}
