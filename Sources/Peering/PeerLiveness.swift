import AudioCore

/// When the sides of a connection were heard of last. Small, so that many connections can be looked at many times a
/// second.
public struct PeerLiveness: Hashable, Sendable, BitwiseCopyable {
    let opened: HostTime
    /// When the other side said who it is.
    var greeted: HostTime?
    var lastHeard: HostTime
    var lastSaid: HostTime

    init(opened: HostTime) {
        self.opened = opened
        lastHeard = opened
        lastSaid = opened
    }

    /// Whether the other side must be taken for dead.
    public func isSilent(_ now: HostTime) -> Bool {
        if greeted == nil { return now - opened > PeeringLimits.greetingTimeout }
        return now - lastHeard > PeeringLimits.silenceTimeout
    }

    /// Whether the other side is owed a word.
    public func isKeepAliveDue(_ now: HostTime) -> Bool {
        greeted != nil && now - lastSaid >= PeeringLimits.keepAliveInterval
    }
}
