import AudioCore

// When was the delay right that a status tells? The model of a device's clock counts on readings that may be late and
// are never early; so in doubt it is the end of the reading.
//
// A driver's stamp is taken right after its look at the hardware. A stamp that was made during this very reading tells
// no more than the reading's end does, and may be too early: libasound's external I/O plugins are asked for the delay
// *after* the stamp (alsa-lib, pcm_ioplug.c, `snd_pcm_ioplug_status`), and the thread may lose its processor in
// between. So such a stamp is not used; and where there is none, it is the end that serves and not the middle.
//
// A stamp from before the reading says that the pointer was looked at earlier, at a period's interrupt (dmix does
// that). It is believed if it is one that such a driver can have made:
// - not older than a period, and the time in which an interrupt is served: by then there would have been a newer one;
// - not the stamp of the reading before: a pointer that has moved on under it makes frames early, one that has not
//   tells nothing new;
// - not from a device whose stamps are made during the reading as a rule: there it is a slip of the clock.

/// The clock on which a driver stamps its status.
package enum TimestampClock: Sendable, BitwiseCopyable {
    case monotonicRaw
    /// Disciplined by NTP: converted with a pair of readings made at the same moment.
    case monotonic
    /// No stamps that we can use; the end of the reading serves instead.
    case none
}

/// What a driver stamped its status with.
package struct DriverStamp: BitwiseCopyable {
    /// On the driver's clock.
    package var nanoseconds: Int64
    /// Host time less the driver's clock.
    package var lead = TimeSpan.zero
}

/// When a delay was right, or somewhat later.
package struct ReadingInstant: Hashable, BitwiseCopyable {
    package var host: HostTime
    /// Whether host time and delay belong together: the reading took no longer than a thread that kept running needs.
    package var isTimely: Bool
    /// How much sooner the delay may have been right.
    package var slack: TimeSpan
}

/// Chooses the instant of a reading; remembers what this device's stamps are like. Pure, and real-time safe.
package struct StampJudge: BitwiseCopyable {
    package let clock: TimestampClock
    /// The greatest age of a stamp that is believed.
    private let oldest: TimeSpan
    /// Stamps that were made during their reading, less those that were made before; 0 ... 64.
    private var liveCount = 0
    private var previous: Int64 = .min

    /// A thread that was taken off its processor in between makes a reading worthless.
    private static let longest = TimeSpan.milliseconds(1)
    private static let service = TimeSpan.milliseconds(1)
    private static let liveLimit = 8

    package init(clock: TimestampClock, period: TimeSpan) {
        self.clock = clock
        oldest = period + Self.service
    }

    /// - Parameters:
    ///   - begin: read right before the status.
    ///   - end: read right after it.
    ///   - stamp: nil where the driver gives none.
    @inline(__always)
    package mutating func instant(begin: HostTime, end: HostTime, stamp: DriverStamp?) -> ReadingInstant {
        let taken = end - begin
        let isTimely = taken >= .zero && taken < Self.longest
        let ending = ReadingInstant(host: end, isTimely: isTimely, slack: taken)
        guard clock != .none, let stamp, stamp.nanoseconds > 0 else { return ending }
        let isRepeated = stamp.nanoseconds == previous
        previous = stamp.nanoseconds
        let host = HostTime(nanoseconds: stamp.nanoseconds &+ stamp.lead.nanoseconds)
        let (age, overflow) = begin.nanoseconds.subtractingReportingOverflow(host.nanoseconds)
        guard !overflow, age <= oldest.nanoseconds, host <= end else { return ending }
        if age <= 0 {
            liveCount = min(64, liveCount + 1)
            return ending
        }
        liveCount = max(0, liveCount - 1)
        guard !isRepeated, liveCount < Self.liveLimit else { return ending }
        return ReadingInstant(host: host, isTimely: isTimely, slack: .zero)
    }
}
