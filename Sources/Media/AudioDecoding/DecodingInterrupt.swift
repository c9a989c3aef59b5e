import Synchronization

/// Ends the waits of a decoder that depends on something else, such as its own process.
///
/// Passed when the decoder is made (``DecoderCatalog/makeDecoder(for:magicCookie:interrupt:)``); it applies while the
/// decoder is made and as long as it lives. Decoders that never wait ignore it. All methods may be called from any
/// thread except a real-time one, and return at once.
public final class DecodingInterrupt: Sendable {
    private struct State {
        var isInterrupted = false
        var action: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    public init() {}

    /// Interrupts decoding, or making the decoder: waits for it fail soon. Repeated calls are harmless.
    public func interrupt() {
        state.withLock { state in
            state.isInterrupted = true
            state.action?()
            state.action = nil
        }
    }

    public var isInterrupted: Bool { state.withLock(\.isInterrupted) }

    /// Sets the action that ends the current wait, replacing the previous one; nil if nothing waits.
    /// - Parameter action: called once, by the thread that interrupts, or at once if that has happened. It must return
    ///   at once and call nothing of this type. It is no longer running when another `onInterrupt` has returned.
    public func onInterrupt(_ action: (@Sendable () -> Void)?) {
        state.withLock { state in
            if state.isInterrupted { action?() } else { state.action = action }
        }
    }
}
