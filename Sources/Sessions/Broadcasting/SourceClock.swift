import AudioCore

// A live source: what a microphone hears leaves all loudspeakers one latency later.
//
// The timeline is the source's own. Its frame n was in the air at some instant of session time and is due one latency
// later, so the anchor follows from the source's clock, and there is no start to decide. That clock is a crystal, a few
// ppm off ours and never quite steady. Each new estimate moves the anchor inaudibly, and listeners follow it by
// resampling, as they follow any estimate. So nothing runs full or dry, however long it lasts.
//
// The source waits for nobody: every listener joins in the middle.

/// A live source's estimate of its clock.
public struct SourceClock: Hashable, Sendable {
    /// A frame of the source, and when it was in the air.
    public var frame: FramePosition
    public var session: SessionTime
    /// Frames per second of session time, as measured.
    public var framesPerSecond: Double

    public init(frame: FramePosition, session: SessionTime, framesPerSecond: Double) {
        self.frame = frame
        self.session = session
        self.framesPerSecond = framesPerSecond
    }

    /// Returns the anchor by which every frame is due `latency` after it was in the air. Nil for an impossible rate.
    func anchor(_ epoch: Epoch, latency: TimeSpan) -> Anchor? {
        let anchor = Anchor(epoch: epoch, frame: frame, session: session + latency, framesPerSecond: framesPerSecond)
        return anchor.isValid ? anchor : nil
    }
}
