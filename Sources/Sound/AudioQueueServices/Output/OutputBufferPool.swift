import AudioCore
import HostSystem
import Synchronization

/// Free buffers, ready to be filled.
///
/// All methods may be called from any thread but a real-time one.
public final class OutputBufferPool: Sendable {
    private let free = Mutex<[BufferStorage]>([])
    private let wake: WakeSignal?

    /// - Parameter wake: signalled when a buffer is returned.
    public init(wake: WakeSignal? = nil) { self.wake = wake }

    public func put(_ buffer: consuming OutputBuffer) {
        let storage = buffer.storage
        free.withLock { $0.append(storage) }
        wake?.signal()
    }

    /// Takes an empty buffer; nil if all are in use.
    public func take() -> OutputBuffer? {
        free.withLock { $0.popLast() }.map { OutputBuffer($0) }
    }

    public var count: Int { free.withLock(\.count) }
}
