import CLinux

// The rights, in the order in which they are taken:
//
// 1. Memory. All of the process where no limit prevents it, else only what the loop works in: reading a page back from
// a disk takes longer than a whole buffer lasts.
// 2. SCHED_FIFO: a few system calls. Root, CAP_SYS_NICE and RLIMIT_RTPRIO allow it.
// 3. RealtimeKit, if that was refused. A separate thread asks while the loop already runs: an answer may take a second,
// and the sound is due sooner.
//
// A real-time thread that runs away, by a fault of ours or of a driver, would block a processor, and with it a
// single-processor machine. So the kernel takes the priority from a thread that has not waited for 100 ms, whoever
// granted it, and ends the process if that fails (crealtime_limit_run_time).
//
// Real-time priority is for sound cards only. A sound server or another plugin plays in a different process, which a
// real-time thread could keep from running.

/// The rights of the thread that feeds a sound card. The working memory must stay valid as long as this exists.
public struct RealTimeRights: ~Copyable {
    private let workingMemory: [UnsafeMutableRawBufferPointer]
    private let memory: MemoryLock
    private let request: RealtimeKitRequest?

    /// Takes the rights that the system grants the calling thread. Not real-time safe, but quick.
    /// - Parameters:
    ///   - device: its name, for display.
    ///   - isHardware: whether a sound card's own interrupts pace the thread.
    ///   - workingMemory: the memory that the thread works in.
    ///   - system: the system to ask.
    ///   - notice: called at most once, with one line that says what was refused and what can be done; on this thread
    ///     before this returns, or later on another.
    public init(
        device: String, isHardware: Bool, workingMemory: [UnsafeMutableRawBufferPointer],
        system: RealTimeSystem = .host, notice: @escaping @Sendable (String) -> Void
    ) {
        crealtime_touch_stack(Self.stackByteCount)
        guard isHardware else {
            self.workingMemory = []
            memory = .none
            request = nil
            notice("'\(device)' is no sound card but a plugin: its thread runs at normal priority")
            return
        }
        self.workingMemory = workingMemory
        let memory = system.lockMemory(workingMemory)
        self.memory = memory
        guard system.schedule(Self.priority) != 0 else {
            request = nil
            if let line = RealTimeRefusal(priority: nil, memory: memory).line { notice(line) }
            return
        }
        let ask = system.askRealtimeKit
        request = RealtimeKitRequest(ask: { (thread) throws(RealtimeKitError) in try ask(thread, Self.priority) }) {
            error in
            if let line = RealTimeRefusal(priority: error, memory: memory).line { notice(line) }
        }
    }

    /// Unlocks the memory. The thread keeps its priority, and should end soon.
    public consuming func giveBack() {}

    deinit {
        request?.cancel()
        memory.undo(workingMemory)
    }

    /// Above ordinary work, below the kernel and sound servers.
    static let priority: Int32 = 60
    private static let stackByteCount = 64 * 1024
}

/// What was refused, in one line.
struct RealTimeRefusal {
    /// Why there is no real-time priority; nil if there is.
    var priority: RealtimeKitError?
    var memory: MemoryLock

    /// Nil if nothing was refused.
    var line: String? {
        switch (priority, memory == .none) {
        case (nil, false): nil
        case (nil, true): "memory could not be locked: swapping may interrupt the sound (see memlock in limits.conf)"
        case (let error?, false):
            "no real-time priority: a busy machine may interrupt the sound (RealtimeKit \(error); see rtprio in "
                + "limits.conf)"
        case (let error?, true):
            "neither real-time priority nor locked memory: a busy machine may interrupt the sound (RealtimeKit "
                + "\(error); see rtprio and memlock in limits.conf)"
        }
    }
}

/// How much memory is kept from being swapped out.
public enum MemoryLock: Hashable, Sendable {
    case none, working, all

    func undo(_ workingMemory: [UnsafeMutableRawBufferPointer]) {
        switch self {
        case .none: break
        case .working: for block in workingMemory { crealtime_unlock_memory(block.baseAddress, block.count) }
        case .all: crealtime_unlock_all_memory()
        }
    }
}
