import AudioCore

/// When the sides of a connection were heard of last. Small, so that many connections can be looked at many times a
/// second.
public struct PeerLiveness: Hashable, Sendable, BitwiseCopyable {
    let opened: HostTime
    /// When the other side said who it is.
    var greeted: HostTime?
    var lastHeard: HostTime
    var lastSaid: HostTime
    /// How much later a greeting may come, as this process did not run.
    private var patience = TimeSpan.zero

    init(opened: HostTime) {
        self.opened = opened
        lastHeard = opened
        lastSaid = opened
    }

    /// A span in which this process did not run was nobody's silence; and what came meanwhile is still to be read.
    mutating func excuse(_ span: TimeSpan, _ now: HostTime) {
        let settled = now - PeeringLimits.silenceTimeout + PeeringLimits.settlingTime
        lastHeard = min(now, max(lastHeard + span, settled))
        patience += span
    }

    /// Whether the other side must be taken for dead.
    public func isSilent(_ now: HostTime) -> Bool {
        if greeted == nil { return now - opened > PeeringLimits.greetingTimeout + patience }
        return now - lastHeard > PeeringLimits.silenceTimeout
    }

    /// Whether the other side is owed a word.
    public func isKeepAliveDue(_ now: HostTime) -> Bool {
        greeted != nil && now - lastSaid >= PeeringLimits.keepAliveInterval
    }
}
