import AudioCore
import HostSystem
import Synchronization

/// Buffers that are free to be filled; whoever has none to fill waits here.
///
/// All methods may be called from any thread but a real-time one.
public final class OutputBufferPool: Sendable {
    private let free = Mutex<[BufferStorage]>([])
    private let wake: WakeSignal?

    /// - Parameter wake: signalled when a buffer comes back.
    public init(wake: WakeSignal? = nil) { self.wake = wake }

    public func put(_ buffer: consuming OutputBuffer) {
        let storage = buffer.storage
        free.withLock { $0.append(storage) }
        wake?.signal()
    }

    /// A buffer, empty; nil where all are in use.
    public func take() -> OutputBuffer? {
        free.withLock { $0.popLast() }.map { OutputBuffer($0) }
    }

    public var count: Int { free.withLock(\.count) }
}
