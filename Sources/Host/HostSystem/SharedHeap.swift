import CLinux

/// Where the threads of this process allocate.
public enum SharedHeap {
    /// Lets all threads share one heap (`M_ARENA_MAX`, mallopt(3)). By default glibc gives each a heap of its own, up to
    /// eight a processor, and each keeps what it once needed: every song has new threads, which meet other heaps, until
    /// all are as large as the largest. Threads of this program that allocate seldom run at the same time, and
    /// real-time threads do not allocate. Call it before there are threads.
    public static func share() { crealtime_share_heap() }
}
