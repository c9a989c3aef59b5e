import CLinux

/// Whom ``RealTimeRights`` asks: this machine, or what a test puts in its place.
public struct RealTimeSystem: Sendable {
    /// Locks memory, as much as allowed; touches the given blocks in any case.
    var lockMemory: @Sendable ([UnsafeMutableRawBufferPointer]) -> MemoryLock
    /// Puts the calling thread under SCHED_FIFO with at most this priority. Returns 0 or an errno.
    var schedule: @Sendable (_ priority: Int32) -> Int32
    /// Asks for a thread, by the kernel's number, from another one. Returns the priority that it got.
    var askRealtimeKit: @Sendable (_ thread: Int32, _ priority: Int32) throws(RealtimeKitError) -> Int32

    /// A thread that feeds a sound card runs for well under a millisecond at a time. This is what RealtimeKit allows.
    private static let runTimeMicroseconds: UInt64 = 200_000

    public static let host = RealTimeSystem(
        lockMemory: { blocks in
            let isLocked = blocks.map { crealtime_lock_memory($0.baseAddress, $0.count) }.allSatisfy { $0 == 0 }
            if crealtime_lock_all_memory() == 0 { return .all }
            return isLocked ? .working : .none
        },
        schedule: { priority in
            let code = crealtime_limit_run_time(runTimeMicroseconds)
            return code == 0 ? crealtime_schedule_fifo(priority) : code
        },
        askRealtimeKit: { (thread, priority) throws(RealtimeKitError) in
            try RealtimeKit().makeRealTime(thread: thread, atMost: priority)
        })
}
