import AudioCore

extension DeviceClockModel {
    /// Until the rate is known, every burst is looked for; then ten a second, and five once the line moves by
    /// nanoseconds per burst.
    private static let followingInterval: Int64 = 100_000_000
    private static let settledSearchInterval: Int64 = 200_000_000
    /// Bursts that are searched for, in seconds. Shorter ones are a driver's estimate, as USB's delay goes down once
    /// a millisecond, and only its wakes are exact. Longer ones are a sound server's.
    private static let burstSeconds = 0.0015...0.0105
    /// Edges that scatter by more than this, in seconds, are none: the pointer moves when it likes.
    private static let widestScatter = 25e-6
    private static let scatterCount = 32
    /// So many readings in a row that come before their edge are no accident.
    private static let earlyCount = 8

    /// When to look for the next burst; nil if the pointer does not move in bursts, or nothing is known of them yet, or
    /// the driver itself says when they came.
    mutating func burstSearch(after now: HostTime) -> BurstSearch? {
        guard let count = uncertainty.burstFrameCount, Self.burstSeconds.contains(Double(count) / rate),
            !uncertainty.isStamped(at: now.nanoseconds), !isGuessed, impossiblePPM == nil, newestReadingFrame != .min
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

    /// Drops edges that lie on no line.
    mutating func reviewEdges(at host: Int64) {
        guard fit.scale > Self.widestScatter, (isRaw ? readingCount : points.count) >= Self.scatterCount else { return }
        searcher.distrust(at: host)
    }

    /// Drops edges whose line comes after other readings: no reading comes before the edge that it shows.
    mutating func compareEdges(with point: ClockPoint, at host: Int64) {
        guard readingCount >= Self.scatterCount, point.residual < fit.residual(at: point.time) - Self.widestScatter
        else { return contrary.end() }
        if contrary.extend(at: point.time, toCount: Self.earlyCount, seconds: 0) { searcher.distrust(at: host) }
    }
}
