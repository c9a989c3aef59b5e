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
        let processor: Int

        init(_ state: State, on processor: Int) {
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

    /// The processors on which this process may run.
    private static var processors: [Int] {
        var set = cpu_set_t()
        precondition(sched_getaffinity(0, MemoryLayout<cpu_set_t>.size, &set) == 0, "cannot ask for the processors")
        return withUnsafeBytes(of: set) { bytes in
            (0..<bytes.count * 8).filter { bytes[$0 / 8] >> ($0 % 8) & 1 == 1 }
        }
    }

    private static func pin(to processor: Int) {
        var set = cpu_set_t()
        withUnsafeMutableBytes(of: &set) { $0[processor / 8] = 1 << (processor % 8) }
        sched_setaffinity(0, MemoryLayout<cpu_set_t>.size, &set)
    }

    private static func run(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        let watch = Unmanaged<Watch>.fromOpaque(argument!).takeRetainedValue()
        // A processor that stands still holds only those who run on it.
        pin(to: watch.processor)
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
