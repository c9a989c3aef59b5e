import AudioCore
import CLinux
import Synchronization

/// What the thread that feeds a sound card would be granted.
public struct RealTimeTrial: Hashable, Sendable {
    /// Why there is no real-time priority; nil if there is.
    public var priority: RealtimeKitError?
    /// Whether RealtimeKit granted the priority, since the system itself did not.
    public var isByRealtimeKit = false
    public var memory: MemoryLock

    public init(priority: RealtimeKitError? = nil, memory: MemoryLock) {
        self.priority = priority
        self.memory = memory
    }
}

extension RealTimeSystem {
    /// Asks for the rights of a thread that feeds a sound card, as ``RealTimeRights`` does, and gives them back. Blocks
    /// the calling thread, for no longer than `span`.
    /// - Returns: nil if there is no answer by then, or no thread left.
    public func trial(within span: TimeSpan) -> RealTimeTrial? {
        let result = TrialResult()
        let thread = try? HostThread(name: "tutti trial") { [self] in
            let trial = tryRights()
            result.trial.withLock { $0 = trial }
        }
        guard let thread, thread.join(atMost: span) else { return nil }
        return result.trial.withLock { $0 }
    }

    /// Somewhat more than a loop works in.
    private static let trialByteCount = 256 * 1_024

    /// On a thread that ends right after this.
    private func tryRights() -> RealTimeTrial {
        let block = UnsafeMutableRawBufferPointer.allocate(byteCount: Self.trialByteCount, alignment: 4_096)
        defer { block.deallocate() }
        let memory = lockMemory([block])
        defer { memory.undo([block]) }
        var trial = RealTimeTrial(memory: memory)
        guard schedule(RealTimeRights.priority) != 0 else { return trial }
        do throws(RealtimeKitError) {
            _ = try askRealtimeKit(crealtime_thread_id(), RealTimeRights.priority)
            trial.isByRealtimeKit = true
        } catch {
            trial.priority = error
        }
        return trial
    }
}

private final class TrialResult: Sendable {
    let trial = Mutex<RealTimeTrial?>(nil)
}
