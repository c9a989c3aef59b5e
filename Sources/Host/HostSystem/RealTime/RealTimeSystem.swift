import CLinux

/// The system that ``RealTimeRights`` asks: this machine, or a test's replacement.
public struct RealTimeSystem: Sendable {
    /// Locks as much memory as allowed; touches the given blocks in any case.
    var lockMemory: @Sendable ([UnsafeMutableRawBufferPointer]) -> MemoryLock
    /// Puts the calling thread under SCHED_FIFO with at most this priority. Returns 0 or an errno.
    var schedule: @Sendable (_ priority: Int32) -> Int32
    /// Asks RealtimeKit for priority for another thread, by its kernel thread ID. Returns the priority granted.
    var askRealtimeKit: @Sendable (_ thread: Int32, _ priority: Int32) throws(RealtimeKitError) -> Int32

    /// The limit that RealtimeKit allows; a thread that feeds a sound card runs for well under a millisecond at a time.
    private static let runTimeMicroseconds: UInt64 = 200_000

    /// This machine, without RealtimeKit: that takes D-Bus, which the module `RealtimeKitClient` brings.
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
        askRealtimeKit: { (_, _) throws(RealtimeKitError) in throw .notAsked })

    /// The same, but for whom to ask where SCHED_FIFO was refused.
    /// - Parameter ask: blocks for as long as it takes, on a thread of its own; given the kernel's number of a thread
    ///   and the highest priority that makes sense. Returns the priority that the thread got.
    public func asking(
        _ ask: @escaping @Sendable (_ thread: Int32, _ priority: Int32) throws(RealtimeKitError) -> Int32
    ) -> RealTimeSystem {
        var system = self
        system.askRealtimeKit = ask
        return system
    }
}
