import AudioCore

/// Limits how many notices are told that peers can bring about at will.
///
/// A line that would come again with every try is told the first time only: ``isNew(_:_:from:)``. One that tells of what
/// happened, for example that a peer came, is told each time, but so often only: ``isDue(_:from:now:)``. Both are bounded
/// for each kind of line, and within a kind for each address from which it was brought about, or IPv6 network of 64 bits.
/// So whoever invents names or causes fills neither the terminal nor our memory, and silences nothing but lines of the
/// same kind, of others only if it has many addresses.
public struct NoticeLimiter<Kind: Hashable & Sendable, Line: Hashable & Sendable>: Sendable {
    /// What was told of one kind for good.
    private struct Once {
        var lines: Set<Line> = []
        var counts: [AddressGroup: Int] = [:]
    }

    /// What was told of one kind in the present while.
    private struct While {
        var end: HostTime
        var count = 0
        var counts: [AddressGroup: Int] = [:]
    }

    private var told: [Kind: Once] = [:]
    private var whiles: [Kind: While] = [:]

    public init() {}

    /// Whether a line is to be told that is told once; it is then taken as told. Of each kind
    /// ``PeeringLimits/rememberedNoticeCount``, of these ``PeeringLimits/rememberedNoticeCountPerAddress`` from one
    /// address.
    /// - Parameter address: of the peer; empty for a line that no peer brings about.
    public mutating func isNew(_ line: Line, _ kind: Kind, from address: String) -> Bool {
        let (record, group) = (told[kind], AddressGroup(address))
        guard record?.lines.contains(line) != true, record?.lines.count ?? 0 < PeeringLimits.rememberedNoticeCount,
            record?.counts[group] ?? 0 < PeeringLimits.rememberedNoticeCountPerAddress
        else { return false }
        told[kind, default: Once()].lines.insert(line)
        told[kind, default: Once()].counts[group, default: 0] += 1
        return true
    }

    /// Whether a line is to be told that is told each time; it is then taken as told. In
    /// ``PeeringLimits/repeatedTime`` of each kind ``PeeringLimits/repeatedCount``, of these
    /// ``PeeringLimits/repeatedCountPerAddress`` from one address.
    public mutating func isDue(_ kind: Kind, from address: String, now: HostTime) -> Bool {
        let group = AddressGroup(address)
        if whiles[kind].map({ now >= $0.end }) ?? true {
            whiles[kind] = While(end: now + PeeringLimits.repeatedTime)
        }
        guard let record = whiles[kind], record.count < PeeringLimits.repeatedCount,
            record.counts[group] ?? 0 < PeeringLimits.repeatedCountPerAddress
        else { return false }
        whiles[kind]?.count += 1
        whiles[kind]?.counts[group, default: 0] += 1
        return true
    }
}
