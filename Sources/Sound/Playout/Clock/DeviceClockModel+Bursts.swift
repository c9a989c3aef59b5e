import AudioCore

extension DeviceClockModel {
    /// Until the rate is known, every burst is looked for; then ten a second, and five once the line moves by
    /// nanoseconds per burst.
    private static let followingInterval: Int64 = 100_000_000
    private static let settledSearchInterval: Int64 = 200_000_000

    /// When to look for the next burst; nil if the pointer does not move in bursts, or nothing is known of them yet, or
    /// the driver itself says when they came.
    mutating func burstSearch(after now: HostTime) -> BurstSearch? {
        guard let count = uncertainty.burstFrameCount, !uncertainty.isStamped, !isGuessed, impossiblePPM == nil,
            newestReadingFrame != .min
        else { return nil }
        let host = line?.hostNanoseconds(of: newestReadingFrame) ?? newestReadingHost
        let interval = isRaw ? 0 : isSettled ? Self.settledSearchInterval : Self.followingInterval
        return searcher.plan(
            after: now.nanoseconds,
            BurstSearcher.Bursts(
                frame: newestReadingFrame, host: host, frameCount: count,
                duration: Double(count) / rate * 1e9 * (1 + (line == nil ? 0 : fit.slope))),
            every: interval)
    }
}
