import CLinux

/// The heap from which the threads of this process allocate.
public enum SharedHeap {
    /// Lets all threads share one heap (`M_ARENA_MAX`, mallopt(3)). By default glibc gives threads heaps of their own,
    /// up to eight per processor, and each keeps the most it ever needed. Every song starts new threads, which get
    /// other heaps, until all are as large as the largest. Threads of this program that allocate seldom run at the same
    /// time, and real-time threads do not allocate. Call it before any thread is started.
    public static func share() { crealtime_share_heap() }
}
