import AudioCore

/// Packets that the broadcaster dropped because this listener's network was too slow: the total, and those the user
/// was not told of.
struct LossTally {
    /// The total, as reported to the broadcaster.
    private(set) var total: UInt32 = 0
    private var untold: UInt32 = 0
    private var told: HostTime?

    mutating func note(_ count: UInt32) {
        total &+= count
        untold &+= count
    }

    /// Takes the number of packets to tell the user of now: the first at once, later ones every
    /// ``ListenLimits/lossInterval``.
    mutating func takeUntold(now: HostTime) -> UInt32? {
        guard untold > 0, told.map({ now - $0 >= ListenLimits.lossInterval }) ?? true else { return nil }
        defer { untold = 0 }
        told = now
        return untold
    }
}
