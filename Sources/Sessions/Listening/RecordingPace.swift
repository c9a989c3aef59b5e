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
// What a command cut off is not in the file, and counts no more. When an epoch is broken off without a cut, its
// recorded lead was never played, and the next epoch gets a lead of its own. New epochs are no way around the limit
// either: over all epochs no more is taken than twice what can have been played, and a minute. What was cut had to be
// decoded all the same, as pre-roll is, which takes no place on a disk, but work: twenty times what can have been
// played, and ten minutes, which is above what a person's commands ask for.

/// A limit on how much of a broadcast a recorder takes by now.
///
/// Epochs are named by their number in the queue.
struct RecordingPace {
    /// Crystals, and live sources whose rate is revised, differ by less than this.
    private static let tolerance = 0.01
    private static let overallFactor = 2.0
    private static let overallLead = TimeSpan.seconds(60)
    /// Bounds on what is decoded, whether it stays in the file or not.
    private static let decodedFactor = 20.0
    private static let decodedLead = TimeSpan.seconds(600)

    private struct Stretch {
        let epoch: Epoch
        let entry: FramePosition
        /// Frames per second.
        let rate: Double
        var began: HostTime
        /// The frame after the last one taken.
        var taken: FramePosition
        /// The frame before which its sound ends for now.
        var cut: FramePosition?

        func span(upTo end: FramePosition) -> TimeSpan {
            TimeSpan(seconds: (Double(end.index) - Double(entry.index)) / rate)
        }

        var recorded: TimeSpan { span(upTo: min(taken, max(entry, cut ?? taken))) }
    }

    /// Of the newest epochs, which a command may cut or resume; the newest last.
    private var stretches: [Stretch] = []
    /// When the first epoch began.
    private var began: HostTime?
    /// What was recorded of epochs before these.
    private var earlier = TimeSpan.zero
    /// Of all packets of all epochs, pre-roll included.
    private var decoded = TimeSpan.zero

    /// Begins an epoch with this frame.
    mutating func begin(_ epoch: Epoch, at entry: FramePosition, rate: Double, now: HostTime) {
        if stretches.count > ListenLimits.heldEpochCount { earlier += stretches.removeFirst().recorded }
        stretches.append(Stretch(epoch: epoch, entry: entry, rate: rate, began: now, taken: entry))
        began = began ?? now
    }

    /// Notes that an epoch's sound ends before this frame, for now.
    mutating func cut(_ epoch: Epoch, at frame: FramePosition) { change(epoch) { $0.cut = frame } }

    /// Notes that an epoch that was cut goes on.
    mutating func resume(_ epoch: Epoch) { change(epoch) { $0.cut = nil } }

    /// Notes that nothing of an epoch stays in the file.
    mutating func drop(_ epoch: Epoch) { change(epoch) { $0.cut = $0.entry } }

    private mutating func change(_ epoch: Epoch, _ body: (inout Stretch) -> Void) {
        guard let index = stretches.lastIndex(where: { $0.epoch == epoch }) else { return }
        body(&stretches[index])
    }

    /// Notes a sleep of this machine: its clock stopped while the broadcast went on.
    mutating func noteSleep(for span: TimeSpan) {
        if let index = stretches.indices.last { stretches[index].began -= span }
        began? -= span
    }

    /// Returns whether these frames of an epoch may be recorded by now, and takes them as recorded. Where no packets
    /// come with them, the range is empty.
    mutating func takes(_ frames: Range<FramePosition>, of epoch: Epoch, now: HostTime) -> Bool {
        guard let began, let index = stretches.lastIndex(where: { $0.epoch == epoch }) else { return false }
        let stretch = stretches[index]
        let span = stretch.span(upTo: frames.upperBound)
        let others = stretches.indices.reduce(earlier) { $1 == index ? $0 : $0 + stretches[$1].recorded }
        let decoded = decoded + TimeSpan(seconds: Double(frames.upperBound - frames.lowerBound) / stretch.rate)
        guard span <= (now - stretch.began) * (1 + Self.tolerance) + ListenLimits.recordingLead,
            others + span <= (now - began) * Self.overallFactor + Self.overallLead,
            decoded <= (now - began) * Self.decodedFactor + Self.decodedLead
        else { return false }
        stretches[index].taken = max(stretch.taken, frames.upperBound)
        self.decoded = decoded
        return true
    }
}
