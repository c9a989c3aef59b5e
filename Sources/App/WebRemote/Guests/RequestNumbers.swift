/// The numbers of one guest's HTTP requests, each of which is good once. They are times of day: so several browsers
/// with one code need not know of each other, and what was taken can be forgotten once it would be too old anyway.
/// Owns no clock.
struct RequestNumbers {
    /// How far from this machine's clock a number may be, in milliseconds: clocks of phones are seconds apart at most.
    static let window: UInt64 = 120_000
    /// Numbers that are remembered; with more the guest must wait.
    static let limit = 4_096

    private var taken: Set<UInt64> = []
    /// The highest that was forgotten: this one and lower ones are not good any more, even if the clock is set back.
    private var forgotten: UInt64

    /// - Parameter start: this number and lower ones are not good.
    init(after start: Int64 = 0) { forgotten = UInt64(max(0, start)) }

    /// - Parameter now: in milliseconds since 1970.
    /// - Returns: whether the number is good.
    mutating func accept(_ number: UInt64, at now: Int64) -> Bool {
        let now = UInt64(max(0, now))
        let distance = number > now ? number - now : now - number
        guard distance <= Self.window, number > forgotten else { return false }
        if taken.count >= Self.limit { forget(before: now < Self.window ? 0 : now - Self.window) }
        return taken.count < Self.limit && taken.insert(number).inserted
    }

    private mutating func forget(before time: UInt64) {
        let old = taken.filter { $0 < time }
        taken.subtract(old)
        forgotten = max(forgotten, old.max() ?? 0)
    }
}
