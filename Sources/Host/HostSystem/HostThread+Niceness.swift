import Glibc

extension HostThread {
    /// Gives the calling thread less of the processor than others from now on, where both want it; others of the
    /// process keep theirs. Linux has a nice value for each thread (setpriority(2), "C library/kernel differences").
    /// - Parameter niceness: 1 to 19. Without the right to do so no thread takes back what it gave: see getpriority(2).
    public static func standBack(_ niceness: Int32) {
        _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, min(max(1, niceness), 19))
    }
}
