import AudioCore

// A pointer that moves in bursts shows the device's clock at one moment of each: when it moves. The wake that follows
// comes later, by what it takes to get a thread to run: some 10 us here, 100 there, and more where another thread goes
// first; and that wanders by tens of microseconds. But when the next burst is due is known to some 100 us after a few
// of them. So the loop sleeps until shortly before it, and then reads the pointer again and again. The last reading
// without the burst and the first one with it are a few microseconds apart, and the burst came between them: such an
// edge is as good as the reading of a fine pointer. If the thread came too late, or lost its processor while it looked,
// the two readings say so, and the search does not count.

/// When to look for a device's next burst.
public struct BurstSearch: Hashable, Sendable, BitwiseCopyable {
    /// The loop sleeps until then, and reads the device again and again, until it sees the burst.
    public let begin: HostTime
    /// It gives up at this time.
    public let end: HostTime
}

/// Plans searches for bursts, and recognises the edges that they find.
///
/// Real-time safe; owns no memory.
struct BurstSearcher: BitwiseCopyable {
    /// What is known of the bursts: a frame that one of them begins with, when that was read, and how long they are.
    struct Bursts: BitwiseCopyable {
        var frame: Int64
        /// Nanoseconds.
        var host: Int64
        var frameCount: Int64
        /// Nanoseconds.
        var duration: Double
    }

    private enum State: BitwiseCopyable {
        case resting
        /// The burst with this frame is to be looked for.
        case planned(frame: Int64)
        /// It was not there yet when the first reading began, nor when the newest did: host times in nanoseconds.
        case looking(frame: Int64, first: Int64, newest: Int64)
    }

    /// Nanoseconds: how long before a burst a search begins, at first, at least and at most; and how long it should
    /// take, so that a thread that comes late still comes before the burst.
    private static let firstLead = 400_000.0
    private static let shortestLead = 20_000.0
    private static let longestLead = 1_000_000.0
    private static let aim = 80_000.0
    /// How long after its time a burst is looked for.
    private static let patience = 300_000.0
    /// If the last reading without the burst began longer than this before the end of the first one with it, they show
    /// no edge.
    private static let widest: Int64 = 40_000
    /// What finds this many edges in a row can be relied on; until no edge was found for so long.
    private static let leastEdgeCount = 3
    private static let trust: Int64 = 5_000_000_000
    /// Bursts that did not come when they were due, this often in a row, are not searched for a while.
    private static let vainLimit = 8
    private static let vainPause: Int64 = 5_000_000_000
    private static let distrustPause: Int64 = 60_000_000_000

    private var state = State.resting
    private var lead = Self.firstLead
    private var interval: Int64 = 0
    private var notBefore = Int64.min
    private var vainCount = 0
    private var edgeCount = 0
    private var newestEdge = Int64.min
    /// The least recent time between the two readings of an edge, in seconds: how late all edges may be.
    private(set) var width = 0.0

    /// Whether edges are found one after the other, as of a host time in nanoseconds.
    func isReliable(at host: Int64) -> Bool {
        edgeCount >= Self.leastEdgeCount && host &- newestEdge < Self.trust
    }

    /// Whether a search goes on.
    var isLooking: Bool {
        if case .looking = state { true } else { false }
    }

    /// - Parameters:
    ///   - now: host time in nanoseconds.
    ///   - interval: the least time between two searches, in nanoseconds.
    mutating func plan(after now: Int64, _ bursts: Bursts, every interval: Int64) -> BurstSearch? {
        if case .looking = state { noteVain(at: now) }
        state = .resting
        self.interval = interval
        guard now >= notBefore else { return nil }
        let lead = min(lead, bursts.duration / 3)
        let passed = (Double(now &- bursts.host) + lead) / bursts.duration
        guard passed < 1e6 else { return nil }
        let number = max(1, passed.rounded(.up))
        let due = bursts.host &+ Int64(number * bursts.duration)
        state = .planned(frame: bursts.frame &+ Int64(number) &* bursts.frameCount)
        return BurstSearch(
            begin: HostTime(nanoseconds: due &- Int64(lead)),
            end: HostTime(nanoseconds: due &+ Int64(min(Self.patience, bursts.duration / 3))))
    }

    /// Takes a reading of a search.
    /// - Parameters:
    ///   - begin: when the reading began; host time in nanoseconds.
    ///   - host: the time of the reading: its end.
    /// - Returns: whether it shows a burst at its edge.
    mutating func note(frame: Int64, from begin: Int64, at host: Int64) -> Bool {
        switch state {
        case .resting:
            return false
        case .planned(let expected):
            guard frame >= expected else {
                state = .looking(frame: expected, first: begin, newest: begin)
                return false
            }
            // It was there before the first look.
            end(at: host)
            lead = min(2 * lead, Self.longestLead)
            return false
        case .looking(let expected, let first, let newest):
            guard frame >= expected else {
                state = .looking(frame: expected, first: first, newest: begin)
                return false
            }
            end(at: host)
            let excess = Double(host &- first) - Self.aim
            lead = max(Self.shortestLead, lead - min(excess, Self.aim) / 8)
            vainCount = 0
            let width = host &- newest
            guard width <= Self.widest else { return false }
            let seconds = Double(width) * 1e-9
            self.width = edgeCount == 0 ? seconds : min(seconds, self.width + (seconds - self.width) / 64)
            edgeCount = min(edgeCount + 1, Self.leastEdgeCount)
            newestEdge = host
            return true
        }
    }

    private mutating func end(at host: Int64) {
        state = .resting
        notBefore = host &+ interval
    }

    private mutating func noteVain(at host: Int64) {
        end(at: host)
        vainCount += 1
        guard vainCount >= Self.vainLimit else { return }
        (vainCount, edgeCount) = (0, 0)
        notBefore = host &+ Self.vainPause
    }

    /// Stops searching for a while: the edges did not show the clock.
    mutating func distrust(at host: Int64) {
        edgeCount = 0
        state = .resting
        notBefore = host &+ Self.distrustPause
    }

    /// Forgets the edges so far: the device was restarted.
    mutating func restart() {
        edgeCount = 0
        state = .resting
        notBefore = .min
    }
}
