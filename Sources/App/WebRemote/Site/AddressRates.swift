import AudioCore

/// How often each address may ask.
struct AddressRates {
    /// Of requests without a socket of their own.
    static let perSecond = 20
    static let burst = 60
    /// Of what all pages at one address say: twice as much as one page may (``RemoteSession/requestsPerSecond``), and
    /// more at once, as when they come back together.
    static let textsPerSecond = 40
    static let textBurst = 160
    static let addressLimit = 1_024

    private let perSecond: Int
    private let burst: Int
    private var rates: [String: RateLimit] = [:]

    init(perSecond: Int, burst: Int) {
        self.perSecond = perSecond
        self.burst = burst
    }

    mutating func take(_ address: String, now: HostTime) -> Bool {
        if rates[address] == nil {
            // Beyond so many nobody's past is known: the connections are few (WebLimits).
            if rates.count >= Self.addressLimit { rates = [:] }
            rates[address] = RateLimit(perSecond: perSecond, burst: burst)
        }
        return rates[address]?.take(now) ?? false
    }
}

/// From which addresses wrong proofs come, to tell of those from which many do.
struct Suspicions {
    static let limit = 10
    static let interval = TimeSpan.seconds(60)
    static let addressLimit = 1_024

    private var counts: [String: Int] = [:]
    private var began = HostTime(nanoseconds: 0)

    init() {}

    /// - Returns: whether this is the one too many of a minute.
    mutating func note(_ address: String, now: HostTime) -> Bool {
        if now - began >= Self.interval || counts.count >= Self.addressLimit { (counts, began) = ([:], now) }
        counts[address, default: 0] += 1
        return counts[address] == Self.limit
    }
}
