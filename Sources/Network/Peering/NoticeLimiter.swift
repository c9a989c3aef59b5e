import AudioCore

/// Limits notices that peers can cause at will.
///
/// A line that would repeat with every attempt is shown the first time only: ``isNew(_:_:from:)``. A line about an
/// event, such as the arrival of a peer, is shown each time, but only so often: ``isDue(_:from:now:)``. Both are
/// limited for each kind of line, and within a kind for each source address, or 64-bit IPv6 network. So whoever invents
/// names or causes fills neither the terminal nor our memory, and suppresses only lines of the same kind; those that
/// others cause only if it has many addresses.
public struct NoticeLimiter<Kind: Hashable & Sendable, Line: Hashable & Sendable>: Sendable {
    /// Lines of one kind that were shown once and for all.
    private struct ShownLines {
        var lines: Set<Line> = []
        var counts: [AddressGroup: Int] = [:]
    }

    /// Number of lines of one kind shown in the current period.
    private struct Period {
        var end: HostTime
        var count = 0
        var counts: [AddressGroup: Int] = [:]
    }

    private var shown: [Kind: ShownLines] = [:]
    private var periods: [Kind: Period] = [:]

    public init() {}

    /// Returns whether to show a line that is shown once, and counts it as shown. Allows
    /// ``PeeringLimits/rememberedNoticeCount`` per kind, and ``PeeringLimits/rememberedNoticeCountPerAddress`` of these
    /// per address.
    /// - Parameter address: the peer's; empty for a line that no peer causes.
    public mutating func isNew(_ line: Line, _ kind: Kind, from address: String) -> Bool {
        let (record, group) = (shown[kind], AddressGroup(address))
        guard record?.lines.contains(line) != true, record?.lines.count ?? 0 < PeeringLimits.rememberedNoticeCount,
            record?.counts[group] ?? 0 < PeeringLimits.rememberedNoticeCountPerAddress
        else { return false }
        shown[kind, default: ShownLines()].lines.insert(line)
        shown[kind, default: ShownLines()].counts[group, default: 0] += 1
        return true
    }

    /// Returns whether to show a line that is shown each time, and counts it as shown. Allows
    /// ``PeeringLimits/repeatedCount`` per kind within ``PeeringLimits/repeatedTime``, and
    /// ``PeeringLimits/repeatedCountPerAddress`` of these per address.
    public mutating func isDue(_ kind: Kind, from address: String, now: HostTime) -> Bool {
        let group = AddressGroup(address)
        if periods[kind].map({ now >= $0.end }) ?? true {
            periods[kind] = Period(end: now + PeeringLimits.repeatedTime)
        }
        guard let record = periods[kind], record.count < PeeringLimits.repeatedCount,
            record.counts[group] ?? 0 < PeeringLimits.repeatedCountPerAddress
        else { return false }
        periods[kind]?.count += 1
        periods[kind]?.counts[group, default: 0] += 1
        return true
    }
}
