import AudioCore

/// Packets that a broadcaster dropped, as this listener's network was too slow for them: all there were, and those that
/// the user was not told of.
struct LossTally {
    /// As the broadcaster is told.
    private(set) var total: UInt32 = 0
    private var untold: UInt32 = 0
    private var told: HostTime?

    mutating func note(_ count: UInt32) {
        total &+= count
        untold &+= count
    }

    /// How many the user is to be told of now, who is then taken as told: at once, and then what there was of it every
    /// ``ListenLimits/lossInterval``.
    mutating func takeUntold(now: HostTime) -> UInt32? {
        guard untold > 0, told.map({ now - $0 >= ListenLimits.lossInterval }) ?? true else { return nil }
        defer { untold = 0 }
        told = now
        return untold
    }
}
