import AudioCore

/// How a machine is connected. The path between two machines is one's access and then the other's.
public struct LinkQuality: Sendable {
    /// What every packet takes, one way.
    public var delay: TimeSpan
    /// Mean of the exponential queueing on top.
    public var jitter: TimeSpan
    /// How often a packet is held up much longer, and by how much on average.
    public var spikeProbability: Double
    public var spike: TimeSpan
    /// No packet takes longer.
    public var ceiling: TimeSpan
    public var datagramLoss: Double
    public var datagramDuplication: Double
    /// How often a datagram is held back, to arrive after later ones, and for how long at most.
    public var datagramHoldProbability = 0.0
    public var datagramHold = TimeSpan.zero
    /// What whatever this machine sends takes on top: the path is longer one way than the other.
    public var outboundDelay = TimeSpan.zero
    /// How often a segment of a stream is lost, and comes a retransmission later.
    public var segmentLoss: Double
    public var bytesPerSecond: Double

    public init(
        delay: TimeSpan, jitter: TimeSpan, spikeProbability: Double = 0, spike: TimeSpan = .zero,
        ceiling: TimeSpan = .seconds(10), datagramLoss: Double = 0, datagramDuplication: Double = 0,
        segmentLoss: Double = 0, bytesPerSecond: Double
    ) {
        self.delay = delay
        self.jitter = jitter
        self.spikeProbability = spikeProbability
        self.spike = spike
        self.ceiling = ceiling
        self.datagramLoss = datagramLoss
        self.datagramDuplication = datagramDuplication
        self.segmentLoss = segmentLoss
        self.bytesPerSecond = bytesPerSecond
    }

    /// Cable and an idle switch: tens of microseconds, and now and then a machine that wakes late.
    public static let quietLAN = LinkQuality(
        delay: .microseconds(20), jitter: .microseconds(8), spikeProbability: 0.01, spike: .microseconds(300),
        bytesPerSecond: 12e6)

    /// Radio: milliseconds, bursts of tens of them, and losses.
    ///
    /// The same figures as of LANKit's `RadioLink.wiFi`, which carries real frames. That one keeps their order and
    /// doubles none, as a radio does; here datagrams overtake each other and come twice, as they may further away.
    public static let wireless = LinkQuality(
        delay: .milliseconds(1), jitter: .microseconds(700), spikeProbability: 0.03, spike: .milliseconds(12),
        ceiling: .milliseconds(30), datagramLoss: 0.01, datagramDuplication: 0.002, segmentLoss: 0.01,
        bytesPerSecond: 1.5e6)

    /// How long one packet takes through this link.
    func delay(using random: inout SimulationRandom) -> TimeSpan {
        var total = delay + random.exponential(jitter)
        if random.chance(spikeProbability) { total += random.exponential(spike) }
        return min(total, ceiling)
    }
}
