import CLinux

// Which rights, and in which order:
//
// 1. Memory. All of the process where no limit stands against it, else what the loop works in: a page that has to be
//    read back from a disk costs more than a whole buffer lasts.
// 2. SCHED_FIFO: some system calls. Root, CAP_SYS_NICE and RLIMIT_RTPRIO allow it.
// 3. RealtimeKit, where that was refused. It is asked from a thread of its own, while the loop already runs: an answer
//    may take a second, and the sound is due before.
//
// A thread that ran away with it, by a fault of ours or of a driver, would hold a processor, and on a machine with one the
// machine: so the kernel takes the priority from a thread that has not waited for 100 ms, whoever gave it, and ends the
// process where that fails (crealtime_limit_run_time).
//
// Real-time priority is for sound cards only. What a sound server or another plugin plays depends on another process,
// which a real-time thread could keep from running.

/// What the thread that feeds a sound card is allowed. Its memory must stay for as long as this.
public struct RealTimeRights: ~Copyable {
    private let workingMemory: [UnsafeMutableRawBufferPointer]
    private let memory: MemoryLock
    private let request: RealtimeKitRequest?

    /// Takes for the calling thread what the system gives. Not real-time safe; quick.
    /// - Parameters:
    ///   - device: its name, for people.
    ///   - isHardware: whether a sound card's own interrupts pace the thread.
    ///   - workingMemory: what the thread works in.
    ///   - system: whom to ask.
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

    /// Unlocks the memory. The priority goes with the thread, which is to end soon.
    public consuming func giveBack() {}

    deinit {
        request?.cancel()
        memory.undo(workingMemory)
    }

    /// Above ordinary work, below what the kernel and sound servers use.
    private static let priority: Int32 = 60
    private static let stackByteCount = 64 * 1024
}

/// What was refused, in one line.
struct RealTimeRefusal {
    /// Why there is no real-time priority; nil where there is.
    var priority: RealtimeKitError?
    var memory: MemoryLock

    /// Nil where nothing was refused.
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
