import AudioCore
import Glibc
import HostSystem

// Why this exists
//
// The kernel stamps datagrams with real time (CLOCK_REALTIME), which may be slewed by up to 500 ppm and stepped at any
// moment; the session counts in raw monotonic time. The two are related when a stamp is read, a few microseconds to a
// few milliseconds after it was made: real time is read between two raw reads, so that
//
//     raw(stamp) = middle of the raw reads - (real - stamp)
//
// is wrong by at most half the distance of the raw reads, plus the slew over the stamp's age (500 ppm of 1 ms: 0.5 ns
// a microsecond). Of a few such brackets the narrowest counts: a thread that is interrupted inside one shows it by its
// width. Stamps that lay in the socket while the thread waited may be much older; they lie between the bracket before
// the wait and the one behind it, and the slew is known from the two.
//
// If real time stepped between the stamp and the bracket the result is nonsense. Each bracket is therefore compared
// with the one before: the distance real - raw may have changed by the slew rate times the elapsed time and the two
// widths, not more. A stamp older than the previous bracket was converted against a relation that no step lies within
// only if that earlier bracket agreed too, so a converter refuses every stamp made before the last step that it saw.

/// Converts the kernel's real-time stamps to host time, and refuses those that a step of real time made void.
///
/// Keep one converter for each thread that reads stamps and convert soon after reading. Not thread-safe.
public struct RealTimeConverter: Sendable {
    /// A reading of real time between two of raw time.
    public struct Bracket: Sendable {
        /// Middle of the two raw readings.
        public var host: HostTime
        /// Nanoseconds of real time (since 1970) read between them.
        public var realNanoseconds: Int64
        /// Distance of the two raw readings; the relation is known to half of it.
        public var width: TimeSpan

        public init(host: HostTime, realNanoseconds: Int64, width: TimeSpan) {
            self.host = host
            self.realNanoseconds = realNanoseconds
            self.width = width
        }

        var difference: Int64 { realNanoseconds &- host.nanoseconds }
    }

    /// Wider brackets are useless: the thread lost its processor in each of them.
    static let widestBracket = TimeSpan.microseconds(20)
    /// Brackets up to this are exact enough to tell the slew between two.
    static let narrowBracket = TimeSpan.microseconds(1)
    /// Stamps older than this say nothing worth the risk.
    static let oldestStamp = TimeSpan.seconds(2)
    /// adjtimex(2) slews by at most 500 ppm, a changed tick by more; twice that is no step.
    static let slewLimit = 1e-3
    /// Change of the relation that is never called a step.
    static let stepFloor = TimeSpan.microseconds(2)

    private var last: Bracket?
    /// Before the last wait.
    private var waited: Bracket?
    private var lastStep: HostTime?
    /// How often real time was seen to step.
    public private(set) var stepCount = 0

    public init() {}

    /// Host time of a stamp of real time, or nil when no trustworthy relation exists: discard the exchange then.
    public mutating func host(ofRealNanoseconds stamp: Int64) -> HostTime? {
        host(ofRealNanoseconds: stamp, through: Self.readBracket())
    }

    /// The same with the bracket as an argument.
    public mutating func host(ofRealNanoseconds stamp: Int64, through bracket: Bracket) -> HostTime? {
        guard bracket.width <= Self.widestBracket else { return nil }
        noteStep(before: bracket)
        last = bracket
        let age = TimeSpan(nanoseconds: bracket.realNanoseconds &- stamp)
        // A stamp from the future by more than the reading's own doubt was made before a step backwards.
        guard age >= .zero - bracket.width, age <= Self.oldestStamp else { return nil }
        let host = bracket.host - unslewed(age, before: bracket)
        if let lastStep, host <= lastStep { return nil }
        return host
    }

    /// Host time that passed in so much real time before a bracket.
    private func unslewed(_ age: TimeSpan, before bracket: Bracket) -> TimeSpan {
        guard let waited, waited.width <= Self.narrowBracket else { return age }
        let (host, real) = (bracket.host - waited.host, bracket.realNanoseconds &- waited.realNanoseconds)
        guard real > 0, age.nanoseconds > 0, age.nanoseconds <= real else { return age }
        let slewed = Double(host.nanoseconds &- real) / Double(real)
        return abs(slewed) > Self.slewLimit ? age : age + age * slewed
    }

    /// Relates the clocks without a stamp; call before waiting, so that a step while waiting is noticed.
    public mutating func refresh() { refresh(through: Self.readBracket()) }

    /// The same with the bracket as an argument.
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

    /// The narrowest of a few brackets; the first good one ends the search.
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
