/// What joins a host to the Ethernet.
public enum HostLink: Sendable {
    /// A pair of virtual interfaces: microseconds, nothing lost.
    case cable
    case radio(RadioLink)
}

/// How a radio between a host and its LAN delays and loses Ethernet frames, each way by itself.
///
/// A frame takes `baseDelay`, a `jitter` of queueing, and, with `spikeProbability`, an exponential `spike` on top; at
/// most `ceiling` in all. It is lost with the probability `loss`, which is what TCP meets as lost segments, mDNS as
/// lost questions. Order is kept within a direction, as a radio's link layer keeps it: a frame that is held up holds
/// up those behind it, and they come in a burst. There is no limit of rate. All chance comes from the seed, one draw
/// after the other for each frame; which frames there are is up to the hosts.
public struct RadioLink: Sendable {
    public var baseDelayNanoseconds: Int64
    /// Mean of the part that each frame has.
    public var jitterNanoseconds: Int64
    /// That part is the sum of so many exponentials: a gamma distribution of this shape.
    public var jitterShape = 1
    public var spikeProbability: Double
    public var spikeNanoseconds: Int64
    public var ceilingNanoseconds: Int64
    public var loss: Double
    public var seed: UInt64
    /// How much longer every frame to the host takes than one from it.
    public var asymmetryNanoseconds: Int64 = 0

    /// Wi-Fi in a house with neighbours: 2 ms there and back at best, now and then 30 ms one way, 1 % lost each way.
    ///
    /// The same figures as of SimulationKit's `LinkQuality.wireless`.
    public static func wiFi(seed: UInt64) -> RadioLink {
        RadioLink(
            baseDelayNanoseconds: 1_000_000, jitterNanoseconds: 700_000, spikeProbability: 0.03,
            spikeNanoseconds: 12_000_000, ceilingNanoseconds: 30_000_000, loss: 0.01, seed: seed)
    }

    /// The same, but its delays have no sharp lower edge: few are nearly as short as the shortest.
    public static func rough(seed: UInt64) -> RadioLink {
        var link = wiFi(seed: seed)
        link.jitterShape = 2
        return link
    }

    /// As the `radio-link` program wants it.
    var arguments: [String] {
        [
            "\(baseDelayNanoseconds)", "\(jitterNanoseconds)", "\(spikeProbability)", "\(spikeNanoseconds)",
            "\(ceilingNanoseconds)", "\(loss)", "\(seed)", "\(asymmetryNanoseconds)", "\(jitterShape)",
        ]
    }
}
