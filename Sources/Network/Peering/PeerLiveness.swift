import AudioCore

/// When each side of a connection sent last. Small, so that many connections can be looked at many times a
/// second.
public struct PeerLiveness: Hashable, Sendable, BitwiseCopyable {
    let opened: HostTime
    /// When the other side said who it is.
    var greeted: HostTime?
    var lastReceived: HostTime
    var lastSent: HostTime
    /// How much later a greeting may come, as this process did not run.
    private var patience = TimeSpan.zero

    init(opened: HostTime) {
        self.opened = opened
        lastReceived = opened
        lastSent = opened
    }

    /// A span in which this process did not run was nobody's silence; and what came meanwhile is still to be read.
    mutating func discount(_ span: TimeSpan, _ now: HostTime) {
        let settled = now - PeeringLimits.silenceTimeout + PeeringLimits.settlingTime
        lastReceived = min(now, max(lastReceived + span, settled))
        patience += span
    }

    /// Whether the other side must be taken for dead.
    public func isSilent(_ now: HostTime) -> Bool {
        if greeted == nil { return now - opened > PeeringLimits.greetingTimeout + patience }
        return now - lastReceived > PeeringLimits.silenceTimeout
    }

    /// Whether the other side is owed a word.
    public func isKeepAliveDue(_ now: HostTime) -> Bool {
        greeted != nil && now - lastSent >= PeeringLimits.keepAliveInterval
    }
}
