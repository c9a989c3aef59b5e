import AudioCore

/// Which of the lines are told that peers can bring about at will.
///
/// A line that would come again with every try is told the first time only: ``isNew(_:_:from:)``. One that tells of what
/// happened, for example that a peer came, is told each time, but so often only: ``isDue(_:from:now:)``. Both are bounded
/// for each kind of line, and within a kind for each address from which it was brought about. So whoever invents names or
/// causes fills neither the terminal nor our memory, and silences nothing but lines of the same kind, of others only if
/// it has many addresses.
public struct SaidLines<Kind: Hashable & Sendable, Line: Hashable & Sendable>: Sendable {
    /// What was told of one kind for good.
    private struct Once {
        var lines: Set<Line> = []
        var countsByAddress: [String: Int] = [:]
    }

    /// What was told of one kind in the present while.
    private struct While {
        var end: HostTime
        var count = 0
        var countsByAddress: [String: Int] = [:]
    }

    private var told: [Kind: Once] = [:]
    private var whiles: [Kind: While] = [:]

    public init() {}

    /// Whether a line is to be told that is told once; it is then taken as told. Of each kind
    /// ``PeeringLimits/saidCount``, of these ``PeeringLimits/saidCountPerAddress`` from one address.
    /// - Parameter address: of the peer; empty for a line that no peer brings about.
    public mutating func isNew(_ line: Line, _ kind: Kind, from address: String) -> Bool {
        let record = told[kind]
        guard record?.lines.contains(line) != true, record?.lines.count ?? 0 < PeeringLimits.saidCount,
            record?.countsByAddress[address] ?? 0 < PeeringLimits.saidCountPerAddress
        else { return false }
        told[kind, default: Once()].lines.insert(line)
        told[kind, default: Once()].countsByAddress[address, default: 0] += 1
        return true
    }

    /// Whether a line is to be told that is told each time; it is then taken as told. In
    /// ``PeeringLimits/repeatedTime`` of each kind ``PeeringLimits/repeatedCount``, of these
    /// ``PeeringLimits/repeatedCountPerAddress`` from one address.
    public mutating func isDue(_ kind: Kind, from address: String, now: HostTime) -> Bool {
        if whiles[kind].map({ now >= $0.end }) ?? true {
            whiles[kind] = While(end: now + PeeringLimits.repeatedTime)
        }
        guard let record = whiles[kind], record.count < PeeringLimits.repeatedCount,
            record.countsByAddress[address] ?? 0 < PeeringLimits.repeatedCountPerAddress
        else { return false }
        whiles[kind]?.count += 1
        whiles[kind]?.countsByAddress[address, default: 0] += 1
        return true
    }
}
