import AudioCore

// A recorder has no clock to wait for, so it writes whatever comes at once. Packets of silence are a few bytes each and
// decode to megabytes, and a gap may be minutes long: a peer could fill a disk in seconds.
//
// No broadcaster sends a song faster than it plays, apart from its horizon. So a recorder takes no more of an epoch
// than can have been played since it began by this machine's clock, plus a lead: a horizon, and what a slow network may
// have delayed of the first packets. A late joiner, or one that comes back, counts from the first frame that came.
// Whatever lies farther ahead is left out. It could be held until its time, but then a peer would decide how much is
// held, and how much is to be written when the broadcast ends.
//
// When an epoch is broken off, its recorded lead was never played, and the next epoch gets a lead of its own. New
// epochs are no way around the limit either: over all epochs no more is taken than twice what can have been played, and
// a minute.

/// A limit on how much of a broadcast a recorder takes by now.
struct RecordingPace {
    /// Crystals, and live sources whose rate is revised, differ by less than this.
    private static let tolerance = 0.01
    private static let overallFactor = 2.0
    private static let overallLead = TimeSpan.seconds(60)

    private struct Stretch {
        let entry: FramePosition
        /// Frames per second.
        let rate: Double
        var began: HostTime
        /// The frame after the last one taken.
        var taken: FramePosition

        func span(upTo end: FramePosition) -> TimeSpan {
            TimeSpan(seconds: (Double(end.index) - Double(entry.index)) / rate)
        }
    }

    private var stretch: Stretch?
    /// When the first epoch began.
    private var began: HostTime?
    /// What was taken of earlier epochs.
    private var earlier = TimeSpan.zero

    /// Begins an epoch with this frame.
    mutating func begin(at entry: FramePosition, rate: Double, now: HostTime) {
        if let stretch { earlier += stretch.span(upTo: stretch.taken) }
        stretch = Stretch(entry: entry, rate: rate, began: now, taken: entry)
        began = began ?? now
    }

    /// Notes a sleep of this machine: its clock stopped while the broadcast went on.
    mutating func noteSleep(for span: TimeSpan) {
        stretch?.began -= span
        began? -= span
    }

    /// Returns whether the epoch may be recorded up to `end` by now, and takes it as recorded.
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
