import AudioCore
import Glibc
import HostSystem

/// Many listeners of one broadcast in one thread: real TCP connections and UDP sockets, a clock exchange and reports
/// each, and nothing that sounds. Everything that they are sent is compared with the song.
public final class ListenerLoad {
    /// Why it could not be tried.
    public struct Failure: Error, CustomStringConvertible {
        public let description: String
    }

    /// After the last one dialled, all are expected to have joined.
    private static let joiningTime = TimeSpan.seconds(30)
    /// At the end: so many messages of leave a second do not drown the broadcaster.
    private static let farewellTime: UInt32 = 500_000
    private static let batchCount = 256

    private let options: LoadOptions
    private let environment: LoadEnvironment
    private var listeners: [LoadListener] = []
    private var queue = DeadlineQueue()
    /// The deadline in the queue that counts; others of the same listener are old.
    private var scheduled: [HostTime] = []
    private var longestLag = TimeSpan.zero
    private var joinedCount = 0
    private let say: (String) -> Void

    /// - Parameter say: is told how far it has come.
    public init(_ options: LoadOptions, song: LoadSong, say: @escaping (String) -> Void = { _ in }) throws(Failure) {
        self.options = options
        self.say = say
        try Self.raiseDescriptorLimit(to: 2 * options.listenerCount + 64)
        do throws(LoadSocket.Failure) {
            environment = try LoadEnvironment(song: song, broadcaster: options.broadcaster, sources: options.sources)
        } catch {
            throw Failure(description: "\(error.call): \(String(cString: strerror(error.code)))")
        }
    }

    /// Two sockets a listener.
    private static func raiseDescriptorLimit(to count: Int) throws(Failure) {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        guard limit.rlim_cur < rlim_t(count) else { return }
        limit.rlim_cur = rlim_t(count)
        limit.rlim_max = max(limit.rlim_max, limit.rlim_cur)
        guard setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else {
            throw Failure(
                description: "\(count) open files are needed, and this process may not have them: "
                    + "run 'ulimit -n \(count)' as root, or take fewer listeners")
        }
    }

    /// Connects all, plays them until the time is over or the broadcast is, and takes leave.
    public func run() -> LoadResult {
        let start = HostTime.now()
        enlist(from: start)
        let lastDial = start + TimeSpan(seconds: Double(options.listenerCount) / options.joinsPerSecond)
        var end = lastDial + Self.joiningTime
        var hasAll = false
        var now = start
        while now < end, !listeners.allSatisfy(\.isOver) {
            now = step(until: end)
            if !hasAll, joinedCount == listeners.count {
                hasAll = true
                end = now + TimeSpan(seconds: options.seconds)
                say("all \(joinedCount) listeners joined")
            } else if !hasAll, now >= end {
                hasAll = true
                end = now + TimeSpan(seconds: options.seconds)
                say("\(joinedCount) of \(listeners.count) listeners joined")
            }
        }
        let leaving = HostTime.now()
        let result = result(from: start, to: leaving)
        for listener in listeners { listener.leave(leaving) }
        usleep(Self.farewellTime)
        return result
    }

    private func enlist(from start: HostTime) {
        var kinds: [LoadBehaviour] = []
        for behaviour in LoadBehaviour.allCases {
            kinds += Array(repeating: behaviour, count: options.disturbed[behaviour] ?? 0)
        }
        let disturbedCount = kinds.count
        for number in 0..<options.listenerCount {
            let disturbed = place(of: number, among: disturbedCount)
            let instant = start + TimeSpan(seconds: Double(number) / options.joinsPerSecond)
            let fitted = place(of: number, among: options.fittingCount ?? options.listenerCount)
            let listener = LoadListener(
                number: number, behaviour: disturbed.map { kinds[$0] } ?? .steady, fitsClock: fitted != nil,
                environment: environment, from: instant)
            listeners.append(listener)
            scheduled.append(instant)
            queue.insert(number, at: instant)
        }
    }

    /// Returns which of so many a listener is that are spread evenly among all; nil if it is none of them.
    private func place(of number: Int, among count: Int) -> Int? {
        let place = number * count / options.listenerCount
        return (number + 1) * count / options.listenerCount > place ? place : nil
    }

    /// Does what is due and what has come, and waits for it.
    private func step(until end: HostTime) -> HostTime {
        var now = HostTime.now()
        // What has come must not wait for long.
        var left = Self.batchCount
        while left > 0, let (deadline, number) = queue.first, deadline <= now {
            left -= 1
            queue.removeFirst()
            guard scheduled[number] == deadline else { continue }
            longestLag = max(longestLag, now - deadline)
            change(number, isScheduled: false) { $0.attend(now) }
            now = .now()
        }
        let next = min(queue.first?.deadline ?? end, end)
        let milliseconds = max(0, (next - now).milliseconds.rounded(.up))
        environment.poll.wait(milliseconds: Int32(min(milliseconds, 100))) { tag, what in
            let isStream = tag & 1 == 0
            change(Int(tag >> 1), isScheduled: true) { listener in
                let now = HostTime.now()
                if isStream { listener.streamIsReady(what, now) } else { listener.datagramIsReady(now) }
            }
        }
        return .now()
    }

    private func change(_ number: Int, isScheduled: Bool, _ body: (LoadListener) -> Void) {
        let listener = listeners[number]
        let hadJoined = listener.joined != nil
        body(listener)
        if !hadJoined, listener.joined != nil { joinedCount += 1 }
        let deadline = listener.nextDeadline
        guard deadline.nanoseconds != .max, !isScheduled || deadline < scheduled[number] else {
            if !isScheduled { scheduled[number] = deadline }
            return
        }
        scheduled[number] = deadline
        queue.insert(number, at: deadline)
    }

    // MARK: Results

    private func result(from start: HostTime, to end: HostTime) -> LoadResult {
        var result = LoadResult()
        result.steady.margins = environment.margins.steady
        result.disturbed.margins = environment.margins.disturbed
        result.steady.clockErrors = environment.clockErrors.steady
        result.disturbed.clockErrors = environment.clockErrors.disturbed
        var lastJoin = start
        for listener in listeners {
            if listener.behaviour == .steady { result.steady.add(listener) } else { result.disturbed.add(listener) }
            guard let dialed = listener.dialed, let joined = listener.joined else { continue }
            lastJoin = max(lastJoin, joined)
            result.longestJoin = max(result.longestJoin, joined - dialed)
        }
        result.joiningSpan = lastJoin - start
        result.span = end - start
        result.longestLag = longestLag
        result.processorTime = Self.processorTime
        result.complaints = environment.complaints
        return result
    }

    private static var processorTime: TimeSpan {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return TimeSpan(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    }
}

extension LoadResult.Group {
    fileprivate mutating func add(_ listener: LoadListener) {
        listeners += 1
        joined += listener.joined == nil ? 0 : 1
        figures += listener.figures
        byteCount += listener.byteCount
        let range = byteCountRange ?? listener.byteCount...listener.byteCount
        byteCountRange = min(range.lowerBound, listener.byteCount)...max(range.upperBound, listener.byteCount)
        exchanges += listener.exchanges
    }
}
