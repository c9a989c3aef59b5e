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
    /// - Parameter ask: blocks for as long as it takes, on a thread of its own; given the kernel's number of a thread and
    ///   the highest priority that makes sense. Returns the priority that the thread got.
    public func asking(
        _ ask: @escaping @Sendable (_ thread: Int32, _ priority: Int32) throws(RealtimeKitError) -> Int32
    ) -> RealTimeSystem {
        var system = self
        system.askRealtimeKit = ask
        return system
    }
}
