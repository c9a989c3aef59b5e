/// How often a PCM wakes its loop.
package enum PCMPace: Sendable {
    /// While there is something to learn of the device's clock.
    case frequent
    /// Once it is known.
    case seldom
    /// The same of a device that gives written frames back, while the renderer may render far ahead: its whole buffer
    /// is filled, since no command waits for that. As much is left at a wake as with ``seldom``.
    case deep
}

/// What each pace means for one playback PCM. Of one that captures, only when it wakes its loop is of use.
package struct PCMPaces: Sendable {
    /// In frames: how far the buffer is filled, and what must be writable, or readable, at a wake (`avail_min`).
    package struct Marks: Hashable, Sendable {
        package let filled: Int
        package let wakeAt: Int
    }

    private let frequent, seldom, deep: Marks

    /// - Parameters:
    ///   - buffer: the PCM's buffer, in frames, as all of them.
    ///   - filled: how much of it is kept filled, if it is not all.
    ///   - wake: how much of that must be writable at a frequent wake.
    ///   - seldomWake: the same at a seldom wake.
    package init(buffer: Int, period: Int, filled: Int, wake: Int, seldomWake: Int) {
        let filled = min(filled, buffer)
        // At most half of it, so that the rest lasts until the loop runs.
        func marks(_ wake: Int) -> Marks {
            Marks(filled: filled, wakeAt: buffer - filled + max(min(wake, filled / 2), period))
        }
        frequent = marks(wake)
        seldom = marks(max(wake, seldomWake))
        // A wake finds as much left as before.
        deep = Marks(filled: buffer, wakeAt: seldom.wakeAt)
    }

    package subscript(pace: PCMPace) -> Marks {
        switch pace {
        case .frequent: frequent
        case .seldom: seldom
        case .deep: deep
        }
    }
}
