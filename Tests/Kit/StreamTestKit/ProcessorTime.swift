import Glibc

/// Seconds of this thread's processor time that the work takes, the least of a few runs: what others do at the same
/// time counts little.
public func processorSeconds(runs: Int = 3, _ work: () -> Void) -> Double {
    func now() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
    return (0..<runs).map { _ in
        let start = now()
        work()
        return now() - start
    }.min() ?? 0
}
