import Synchronization

/// Ends the waiting of a decoder that waits for somebody else, such as a process of its own.
///
/// Given to the decoder when it is made (``DecoderCatalog/makeDecoder(for:magicCookie:interrupt:)``); it holds while the
/// decoder is being made and for as long as it lives. Decoders that wait for nobody take no notice. All methods may be
/// called from any thread but a real-time one, and return at once.
public final class DecodingInterrupt: Sendable {
    private struct State {
        var isInterrupted = false
        var action: (@Sendable () -> Void)?
    }

    private let state = Mutex(State())

    public init() {}

    /// What is being decoded or made is not wanted any more: whoever waits for it fails soon. Harmless when repeated.
    public func interrupt() {
        state.withLock { state in
            state.isInterrupted = true
            state.action?()
            state.action = nil
        }
    }

    public var isInterrupted: Bool { state.withLock(\.isInterrupted) }

    /// Says what ends the present wait, in place of what was said before; nil where nobody waits.
    /// - Parameter action: called once, by whoever interrupts, or now if somebody has. It returns at once, calls nothing
    ///   of this, and is not being called any more when another `onInterrupt` has returned.
    public func onInterrupt(_ action: (@Sendable () -> Void)?) {
        state.withLock { state in
            if state.isInterrupted { action?() } else { state.action = action }
        }
    }
}
