import Glibc
import SoundCardKit
import Synchronization

/// Takes every processor away for moments at a time, as a hypervisor does that has more to do than this machine's work:
/// wherever a thread happens to be, it stands still there.
///
/// For each processor there is a thread of high priority that sleeps and spins by turns, for times that are
/// exponentially distributed. A program that reads a clock before or after what belongs to it, and trusts the two to be
/// one instant, is off by some of these.
public final class ProcessorHog: Sendable {
    /// The mean lengths of what it takes and what it leaves, in nanoseconds.
    public struct Load: Sendable {
        public var taken: Double
        public var left: Double

        /// Every millisecond a tenth of one: 9 % of all time, one interruption in a hundred longer than 0.5 ms.
        public static let busyHost = Load(taken: 100_000, left: 1_000_000)
    }

    private final class State: Sendable {
        let load: Load
        let isOver = Atomic(false)

        init(_ load: Load) { self.load = load }
    }

    private let state: State
    private let threads: [pthread_t]

    /// Needs root.
    public init(_ load: Load = .busyHost) throws {
        let state = State(load)
        self.state = state
        threads = (0..<sysconf(Int32(_SC_NPROCESSORS_ONLN))).map { _ in
            var thread = pthread_t()
            let retained = Unmanaged.passRetained(state)
            let error = pthread_create(&thread, nil, { ProcessorHog.takeTurns($0) }, retained.toOpaque())
            precondition(error == 0, "cannot start a thread")
            return thread
        }
        for thread in threads {
            var priority = sched_param()
            priority.sched_priority = 95
            let error = pthread_setschedparam(thread, SCHED_FIFO, &priority)
            guard error == 0 else { throw LANError.system("take the processors away", error) }
        }
    }

    deinit {
        state.isOver.store(true, ordering: .relaxed)
        for thread in threads { pthread_join(thread, nil) }
    }

    private static func takeTurns(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        let state = Unmanaged<State>.fromOpaque(argument!).takeRetainedValue()
        while !state.isOver.load(ordering: .relaxed) {
            var rest = timespec(tv_sec: 0, tv_nsec: min(999_999_999, Int(Self.span(mean: state.load.left))))
            nanosleep(&rest, nil)
            let end = trueNow() + Int64(Self.span(mean: state.load.taken))
            while trueNow() < end {}
        }
        return nil
    }

    /// Exponentially distributed.
    private static func span(mean: Double) -> Double { -mean * log(.random(in: .leastNonzeroMagnitude...1)) }
}
