import AudioCore

/// How often each address may ask, without a socket of its own.
struct AddressRates {
    static let perSecond = 20
    static let burst = 60
    static let addressLimit = 1_024

    private var rates: [String: RateLimit] = [:]

    mutating func take(_ address: String, now: HostTime) -> Bool {
        if rates[address] == nil {
            // Beyond so many nobody's past is known: the connections are few (WebLimits).
            if rates.count >= Self.addressLimit { rates = [:] }
            rates[address] = RateLimit(perSecond: Self.perSecond, burst: Self.burst)
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
