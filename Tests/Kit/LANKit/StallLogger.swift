import CProcessors
import Glibc
import SoundCardKit
import Synchronization

/// Notices when the machine, or one of its processors, stands still: on each processor a thread of high priority sleeps
/// 2 ms at a time, and notes each time it overslept by more than 20 ms. Virtual and busy machines freeze so now and
/// then, and what they do to a measurement is not the program's.
public final class StallLogger: Sendable {
    /// A span of true time, in nanoseconds.
    public struct Stall: Equatable, Sendable {
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

    /// What a thread is given.
    private final class Watch: Sendable {
        let state: State
        let processor: Int32

        init(_ state: State, on processor: Int32) {
            self.state = state
            self.processor = processor
        }
    }

    private let state = State()
    private let threads: [pthread_t]
    static let threshold: Int64 = 20_000_000

    public init() {
        threads = Self.processors.map { [state] processor in
            var thread = pthread_t()
            let watch = Unmanaged.passRetained(Watch(state, on: processor))
            let error = pthread_create(&thread, nil, { StallLogger.run($0) }, watch.toOpaque())
            precondition(error == 0, "cannot start a thread")
            var priority = sched_param()
            priority.sched_priority = 90
            pthread_setschedparam(thread, SCHED_FIFO, &priority)
            return thread
        }
    }

    deinit {
        state.isOver.store(true, ordering: .relaxed)
        for thread in threads { pthread_join(thread, nil) }
    }

    /// The stalls so far, in order of time. What processors stood still together is one.
    public var stalls: [Stall] { Self.merged(state.stalls.withLock { $0 }) }

    /// How much of this span of true time, in nanoseconds, the machine stood still: in seconds.
    public func seconds(from start: Int64, to end: Int64) -> Double {
        stalls.reduce(0) { $0 + Double(max(0, min($1.end, end) - max($1.start, start))) * 1e-9 }
    }

    /// The same stalls in order of time, those that overlap as one.
    static func merged(_ stalls: [Stall]) -> [Stall] {
        var merged: [Stall] = []
        for stall in stalls.sorted(by: { $0.start < $1.start }) {
            if let last = merged.last, stall.start <= last.end {
                merged[merged.count - 1].end = max(last.end, stall.end)
            } else {
                merged.append(stall)
            }
        }
        return merged
    }

    /// The processors on which this thread may run.
    private static var processors: [Int32] { (0..<cprocessors_end()).filter { cprocessors_may_use($0) != 0 } }

    private static func run(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        let watch = Unmanaged<Watch>.fromOpaque(argument!).takeRetainedValue()
        // A processor that stands still holds only those who run on it.
        let error = cprocessors_pin(watch.processor)
        precondition(error == 0, "cannot stay on a processor")
        let state = watch.state
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
