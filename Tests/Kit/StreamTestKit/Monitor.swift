import AudioCore
import HostSystem
import Synchronization

/// A value that some threads change, and one waits for.
public final class Monitor<Value: Sendable>: Sendable {
    private let held: Mutex<Value>
    private let changed: WakeSignal

    /// - Throws: if the process has no file descriptor left.
    public init(_ value: Value) throws(DescriptorError) {
        held = Mutex(value)
        changed = try WakeSignal()
    }

    public var value: Value { held.withLock { $0 } }

    /// From any thread.
    public func change(_ body: (inout Value) -> Void) {
        held.withLock { body(&$0) }
        changed.signal()
    }

    /// Waits until a change makes something so, for a time at most. One thread at a time.
    /// - Returns: whether it is so.
    public func wait(atMost span: TimeSpan, until isSo: (Value) -> Bool) -> Bool {
        let deadline = HostTime.now() + span
        while !held.withLock({ isSo($0) }) {
            let left = deadline - .now()
            guard left > .zero else { return false }
            changed.wait(atMost: left)
        }
        return true
    }
}
