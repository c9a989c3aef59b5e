import AudioCore

/// When each side of a connection last sent something. Small, so that many connections can be checked many times a
/// second.
public struct PeerLiveness: Hashable, Sendable, BitwiseCopyable {
    let opened: HostTime
    /// When the other side greeted.
    var greeted: HostTime?
    var lastReceived: HostTime
    var lastSent: HostTime
    /// How much later the greeting may come, because this process did not run.
    private var patience = TimeSpan.zero

    init(opened: HostTime) {
        self.opened = opened
        lastReceived = opened
        lastSent = opened
    }

    /// Discounts a span in which this process did not run: it is nobody's silence, and what arrived meanwhile is yet to
    /// be read.
    mutating func discount(_ span: TimeSpan, _ now: HostTime) {
        let settled = now - PeeringLimits.silenceTimeout + PeeringLimits.settlingTime
        lastReceived = min(now, max(lastReceived + span, settled))
        patience += span
    }

    /// Returns whether the other side must be taken for dead.
    public func isSilent(_ now: HostTime) -> Bool {
        if greeted == nil { return now - opened > PeeringLimits.greetingTimeout + patience }
        return now - lastReceived > PeeringLimits.silenceTimeout
    }

    /// Returns whether it is time to send a keep-alive.
    public func isKeepAliveDue(_ now: HostTime) -> Bool {
        greeted != nil && now - lastSent >= PeeringLimits.keepAliveInterval
    }
}
