import Glibc
import SoundCardKit
import Synchronization

/// Notices when the whole machine stands still: a thread of high priority sleeps 2 ms at a time, and notes each time it
/// overslept by more than 20 ms. Virtual and busy machines freeze so now and then, and what they do to a measurement
/// is not the program's.
public final class StallLogger: Sendable {
    /// A span of true time, in nanoseconds.
    public struct Stall: Sendable {
        public var start: Int64
        public var end: Int64

        public init(start: Int64, end: Int64) {
            self.start = start
            self.end = end
        }
    }

    private final class State: Sendable {
        let stalls = Mutex<[Stall]>([])
        let isOver = Atomic(false)
    }

    private let state = State()
    private let thread: pthread_t
    static let threshold: Int64 = 20_000_000

    public init() {
        var thread = pthread_t()
        let state = Unmanaged.passRetained(state)
        let error = pthread_create(&thread, nil, { StallLogger.watch($0) }, state.toOpaque())
        precondition(error == 0, "cannot start a thread")
        self.thread = thread
        var priority = sched_param()
        priority.sched_priority = 90
        pthread_setschedparam(thread, SCHED_FIFO, &priority)
    }

    deinit {
        state.isOver.store(true, ordering: .relaxed)
        pthread_join(thread, nil)
    }

    /// The stalls so far.
    public var stalls: [Stall] { state.stalls.withLock { $0 } }

    /// How much of this span of true time, in nanoseconds, the machine stood still: in seconds.
    public func seconds(from start: Int64, to end: Int64) -> Double {
        stalls.reduce(0) { $0 + Double(max(0, min($1.end, end) - max($1.start, start))) * 1e-9 }
    }

    private static func watch(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        let state = Unmanaged<State>.fromOpaque(argument!).takeRetainedValue()
        var last = trueNow()
        while !state.isOver.load(ordering: .relaxed) {
            // Whatever this takes longer than it should is a stall.
            usleep(2_000)
            let now = trueNow()
            if now - last > threshold { state.stalls.withLock { $0.append(Stall(start: last, end: now)) } }
            last = now
        }
        return nil
    }
}
