import AudioCore

// When was the delay of a status valid? The clock model relies on readings that may be late but are never early, so in
// doubt the end of the reading is taken.
//
// A driver takes its htstamp right after reading the hardware pointer. A stamp made during this very reading says no
// more than the end of the reading does, and may be too early: libasound asks external I/O plugins for the delay
// *after* the stamp (alsa-lib, pcm_ioplug.c, `snd_pcm_ioplug_status`), and the thread may lose its processor in
// between. So such a stamp is not used. Without a stamp, the end of the reading serves, not its middle, for the same
// reason.
//
// A stamp from before the reading means that the pointer was read earlier, at a period interrupt (as in dmix). It is
// believed if such a driver can have made it:
// - it is no older than a period plus the time to serve an interrupt; after that there would be a newer one;
// - it differs from the previous reading's stamp: if the pointer has moved since, frames would seem early; if not, the
//   reading adds nothing;
// - the device's stamps are not normally made during the reading; there it would be an error of the clock.
//
// What the kernel noted at an interrupt (``InterruptReading``) is believed under the first two of these: the stamp that
// it would repeat is then the one that our previous reading left.

/// The clock of a driver's stamps.
package enum TimestampClock: Sendable, BitwiseCopyable {
    case monotonicRaw
    /// Disciplined by NTP: converted by reading both clocks at the same moment.
    case monotonic
    /// No usable stamps; the end of the reading serves instead.
    case none
}

/// A driver's stamp of its status.
package struct DriverStamp: BitwiseCopyable {
    /// On the driver's clock.
    package var nanoseconds: Int64
    /// Host time minus the driver's clock.
    package var lead = TimeSpan.zero
}

/// The time at which a delay was valid, or somewhat later.
package struct ReadingInstant: Hashable, BitwiseCopyable {
    package var host: HostTime
    /// Whether host time and delay belong together: the reading took no longer than a running thread needs.
    package var isTimely: Bool
    /// How much earlier the delay may have been valid.
    package var slack: TimeSpan
}

/// Chooses the instant of a reading, and remembers how this device stamps. Pure, and real-time safe.
package struct TimestampValidator: BitwiseCopyable {
    package let clock: TimestampClock
    /// The greatest age of a believed stamp.
    private let oldest: TimeSpan
    /// Stamps made during their reading, minus those made before it; 0 ... 64.
    private var liveCount = 0
    private var previous: Int64 = .min

    /// A longer reading lost its processor, and is worthless.
    private static let longest = TimeSpan.milliseconds(1)
    private static let service = TimeSpan.milliseconds(1)
    private static let liveLimit = 8

    package init(clock: TimestampClock, period: TimeSpan) {
        self.clock = clock
        oldest = period + Self.service
    }

    /// - Parameters:
    ///   - begin: host time right before the status was read.
    ///   - end: host time right after it.
    ///   - stamp: nil if the driver gives none.
    ///   - interrupt: of an interrupt since which the pointer has not moved.
    @inline(__always)
    package mutating func instant(
        begin: HostTime, end: HostTime, stamp: DriverStamp?, interrupt: DriverStamp? = nil
    ) -> ReadingInstant {
        let isNew = interrupt?.nanoseconds != previous
        let reading = instant(begin: begin, end: end, status: stamp)
        guard isNew, let interrupt, interrupt.nanoseconds > 0, let age = age(of: interrupt, at: begin),
            age > 0, age <= oldest.nanoseconds
        else { return reading }
        return ReadingInstant(host: begin - TimeSpan(nanoseconds: age), isTimely: true, slack: .zero)
    }

    @inline(__always)
    private mutating func instant(begin: HostTime, end: HostTime, status stamp: DriverStamp?) -> ReadingInstant {
        let taken = end - begin
        let isTimely = taken >= .zero && taken < Self.longest
        let ending = ReadingInstant(host: end, isTimely: isTimely, slack: taken)
        guard clock != .none, let stamp, stamp.nanoseconds > 0 else { return ending }
        let isRepeated = stamp.nanoseconds == previous
        previous = stamp.nanoseconds
        guard let age = age(of: stamp, at: begin), age <= oldest.nanoseconds, age >= 0 &- taken.nanoseconds else {
            return ending
        }
        if age <= 0 {
            liveCount = min(64, liveCount + 1)
            return ending
        }
        liveCount = max(0, liveCount - 1)
        guard !isRepeated, liveCount < Self.liveLimit else { return ending }
        return ReadingInstant(host: begin - TimeSpan(nanoseconds: age), isTimely: isTimely, slack: .zero)
    }

    /// In nanoseconds; nil for one of another clock altogether.
    @inline(__always)
    private func age(of stamp: DriverStamp, at begin: HostTime) -> Int64? {
        let host = stamp.nanoseconds &+ stamp.lead.nanoseconds
        let (age, overflow) = begin.nanoseconds.subtractingReportingOverflow(host)
        return overflow ? nil : age
    }
}
