/// A small seeded generator: the same seed gives the same numbers (Steele, Lea and Flood, "Fast splittable pseudorandom
/// number generators", 2014). Real-time safe.
///
/// For shuffled orders, cookies and jitter of timing; whoever sees some of its numbers knows the rest, so that secrets
/// are none of its business.
public struct SplitMix64: RandomNumberGenerator, BitwiseCopyable, Sendable {
    private var state: UInt64

    public init(seed: UInt64) { state = seed }

    public mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var word = state
        word = (word ^ (word &>> 30)) &* 0xbf58_476d_1ce4_e5b9
        word = (word ^ (word &>> 27)) &* 0x94d0_49bb_1331_11eb
        return word ^ (word &>> 31)
    }
}
