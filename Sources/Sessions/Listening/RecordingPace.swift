import AudioCore

// A recorder asks no clock, so whatever comes goes into its file at once. Packets of silence are a few bytes and decode to
// megabytes, and a gap may be minutes long: a peer could fill a disk in seconds.
//
// No broadcaster sends a song faster than it plays, but for its horizon. So no more of an epoch is taken than this
// machine's clock says can have been played since it began, and a lead: a horizon, and what a slow network may have held
// up of what came first. Who joins late, or comes back, counts from the first frame that came. What lies farther ahead
// is left out. It could wait until its time, but then a peer would say how much does, and how much is to be written when
// the broadcast ends.
//
// Where an epoch is broken off, the lead that was recorded of it was never played, and the next has one of its own. That
// is no way around the limit either: over all epochs no more is taken than twice what can have been played, and a minute.

/// How much of what is sent a recorder takes by now.
struct RecordingPace {
    /// Crystals, and live sources whose rate is revised, differ by less.
    private static let tolerance = 0.01
    private static let overallFactor = 2.0
    private static let overallLead = TimeSpan.seconds(60)

    private struct Stretch {
        let entry: FramePosition
        /// Frames a second.
        let rate: Double
        var began: HostTime
        /// The frame up to which it was taken.
        var taken: FramePosition

        func span(upTo end: FramePosition) -> TimeSpan {
            TimeSpan(seconds: (Double(end.index) - Double(entry.index)) / rate)
        }
    }

    private var stretch: Stretch?
    /// When the first epoch began.
    private var began: HostTime?
    /// What was taken of the epochs before.
    private var earlier = TimeSpan.zero

    /// An epoch of so many frames a second begins with this frame.
    mutating func begin(at entry: FramePosition, rate: Double, now: HostTime) {
        if let stretch { earlier += stretch.span(upTo: stretch.taken) }
        stretch = Stretch(entry: entry, rate: rate, began: now, taken: entry)
        began = began ?? now
    }

    /// This machine slept for so long, and its clock stood still: the broadcast went on.
    mutating func noteSleep(for span: TimeSpan) {
        stretch?.began -= span
        began? -= span
    }

    /// Whether the epoch may be recorded up to this frame by now; it is then taken to be.
    mutating func takes(upTo end: FramePosition, now: HostTime) -> Bool {
        guard let began, let stretch else { return false }
        let span = stretch.span(upTo: end)
        guard span <= (now - stretch.began) * (1 + Self.tolerance) + ListenLimits.recordingLead,
            earlier + span <= (now - began) * Self.overallFactor + Self.overallLead
        else { return false }
        self.stretch?.taken = max(stretch.taken, end)
        return true
    }
}
