import AudioCore
import Glibc
import HostSystem

// Why this exists
//
// The kernel stamps datagrams with real time (CLOCK_REALTIME), which may be slewed by up to 500 ppm and stepped at any
// moment; session time is raw monotonic time. The two are related when a stamp is read, a few microseconds to a few
// milliseconds after it was made: real time is read between two raw readings, so that
//
//     raw(stamp) = middle of the raw readings - (real - stamp)
//
// is wrong by at most half the distance of the raw readings, plus the slew over the stamp's age (500 ppm: 0.5 ns per
// microsecond). Of a few such brackets the narrowest is used: an interruption inside one shows in its width. Stamps
// that waited in the socket while the thread slept may be much older; they lie between the brackets before and after
// the wait, and these two give the slew.
//
// If real time steps between the stamp and the bracket, the result is nonsense. So each bracket is compared with the
// one before: the difference real - raw may change by no more than the slew rate times the elapsed time, plus both
// widths. A stamp older than the previous bracket is only safe if that bracket agreed too, so a converter rejects every
// stamp made before the last step that it saw.

/// Converts the kernel's real-time stamps to host time, and rejects those that a step of real time invalidated.
///
/// Keep one converter per thread that reads stamps, and convert soon after reading. Not thread-safe.
public struct RealTimeConverter: Sendable {
    /// A reading of real time between two of raw time.
    public struct Bracket: Sendable {
        /// Middle of the two raw readings.
        public var host: HostTime
        /// Real time read between them, in nanoseconds since 1970.
        public var realNanoseconds: Int64
        /// Distance between the two raw readings; the relation is known to half of it.
        public var width: TimeSpan

        public init(host: HostTime, realNanoseconds: Int64, width: TimeSpan) {
            self.host = host
            self.realNanoseconds = realNanoseconds
            self.width = width
        }

        var difference: Int64 { realNanoseconds &- host.nanoseconds }
    }

    /// Wider brackets are useless: the thread lost the processor inside them.
    static let widestBracket = TimeSpan.microseconds(20)
    /// Brackets up to this width are exact enough to measure the slew between two.
    static let narrowBracket = TimeSpan.microseconds(1)
    /// Older stamps are not worth the risk.
    static let oldestStamp = TimeSpan.seconds(2)
    /// adjtimex(2) slews by at most 500 ppm, a changed tick by more; twice that is not yet a step.
    static let slewLimit = 1e-3
    /// A smaller change of the relation is never called a step.
    static let stepFloor = TimeSpan.microseconds(2)

    private var last: Bracket?
    /// The bracket read before the last wait.
    private var waited: Bracket?
    private var lastStep: HostTime?
    /// The number of steps of real time seen.
    public private(set) var stepCount = 0

    public init() {}

    /// Returns the host time of a real-time stamp, or nil if no relation can be trusted: discard the exchange then.
    public mutating func host(ofRealNanoseconds stamp: Int64) -> HostTime? {
        host(ofRealNanoseconds: stamp, through: Self.readBracket())
    }

    /// Does the same with the bracket as an argument.
    public mutating func host(ofRealNanoseconds stamp: Int64, through bracket: Bracket) -> HostTime? {
        guard bracket.width <= Self.widestBracket else { return nil }
        noteStep(before: bracket)
        last = bracket
        let age = TimeSpan(nanoseconds: bracket.realNanoseconds &- stamp)
        // A stamp that is in the future by more than the reading's uncertainty was made before a backward step.
        guard age >= .zero - bracket.width, age <= Self.oldestStamp else { return nil }
        let host = bracket.host - unslewed(age, before: bracket)
        if let lastStep, host <= lastStep { return nil }
        return host
    }

    /// Returns the host time that passed during a span of real time before a bracket.
    private func unslewed(_ age: TimeSpan, before bracket: Bracket) -> TimeSpan {
        guard let waited, waited.width <= Self.narrowBracket else { return age }
        let (host, real) = (bracket.host - waited.host, bracket.realNanoseconds &- waited.realNanoseconds)
        guard real > 0, age.nanoseconds > 0, age.nanoseconds <= real else { return age }
        let slewed = Double(host.nanoseconds &- real) / Double(real)
        return abs(slewed) > Self.slewLimit ? age : age + age * slewed
    }

    /// Relates the clocks without a stamp. Call it before waiting, so that a step during the wait is noticed.
    public mutating func refresh() { refresh(through: Self.readBracket()) }

    /// Does the same with the bracket as an argument.
    mutating func refresh(through bracket: Bracket) {
        guard bracket.width <= Self.widestBracket else { return }
        noteStep(before: bracket)
        last = bracket
        waited = bracket
    }

    private mutating func noteStep(before bracket: Bracket) {
        guard let last else { return }
        let change = TimeSpan(nanoseconds: bracket.difference &- last.difference).magnitude
        let elapsed = (bracket.host - last.host).magnitude
        let allowed = elapsed * Self.slewLimit + bracket.width + last.width + Self.stepFloor
        guard change > allowed else { return }
        stepCount &+= 1
        lastStep = bracket.host
    }

    /// Returns the narrowest of a few brackets; the first good one ends the search.
    static func readBracket() -> Bracket {
        var best = readOnce()
        for _ in 0..<4 where best.width.nanoseconds > 300 {
            let next = readOnce()
            if next.width < best.width { best = next }
        }
        return best
    }

    private static func readOnce() -> Bracket {
        let before = HostTime.now().nanoseconds
        let real = readRealTime()
        let after = HostTime.now().nanoseconds
        let width = after &- before
        return Bracket(
            host: HostTime(nanoseconds: before &+ width / 2), realNanoseconds: real,
            width: TimeSpan(nanoseconds: width))
    }

    private static func readRealTime() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_REALTIME, &time)
        return Int64(time.tv_sec) &* 1_000_000_000 &+ Int64(time.tv_nsec)
    }
}
