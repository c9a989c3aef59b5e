import AudioCore

// A live source: what a microphone hears goes to all loudspeakers one latency later.
//
// The timeline is the source's own. Its frame n was in the air at some instant of session time and is due one latency
// after that, so the anchor follows from the source's clock and nothing is decided. That clock is a crystal, a few ppm off
// ours and never quite steady: whatever the source says anew moves the anchor, by less than anybody hears, and the listeners
// follow it as they follow any estimate, by resampling. So nothing runs full or dry, however long it lasts.
//
// Nobody is waited for: who joins, joins in the middle.

/// What a live source says of its clock.
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

    /// Every frame is due `latency` after it was in the air. Nil for a rate that no sound can have.
    func anchor(_ epoch: Epoch, latency: TimeSpan) -> Anchor? {
        let anchor = Anchor(epoch: epoch, frame: frame, session: session + latency, framesPerSecond: framesPerSecond)
        return anchor.isValid ? anchor : nil
    }
}
