/// Whether a device runs at a rate that a sound card can have at all, seen roughly: from one stretch of readings to the
/// next, whatever the fine model makes of them.
///
/// The fine model looks for rates within 1,200 ppm. Where a device runs at 44.1 kHz and says 48, it would take each
/// stretch of readings for a step of the clock, and the sound would be placed again and again: noise. So after three
/// stretches in a row that tell the same impossible rate nothing is placed, until one tells a possible rate. A card
/// that stands still for a while spoils two stretches at most, and those tell different rates.
struct RateCheck: BitwiseCopyable {
    /// Host seconds of a stretch.
    private static let span = 2.0
    /// What a pointer may be off by, in seconds: a burst, or a thread that was late.
    private static let slack = 0.012
    private static let tellingCount = 3
    /// How far stretches may differ and still tell the same: twice the slack in a stretch.
    private static let likeness = 0.012

    private var begin: (frame: Int64, host: Int64)?
    private var count = 0
    private var ratio = 1.0
    /// The device's rate against its nominal one, in ppm, if no sound card can be so far off.
    private(set) var impossiblePPM: Double?

    /// Takes a reading. Readings are in the order of their frames.
    mutating func note(frame: Int64, host: Int64, rate: Double) {
        guard let begin else {
            begin = (frame, host)
            return
        }
        let elapsed = Double(host &- begin.host) * 1e-9
        guard abs(elapsed) >= Self.span else { return }
        self.begin = (frame, host)
        judge(elapsed: elapsed, device: Double(frame &- begin.frame) / rate)
    }

    /// The device's clock stopped, and runs again.
    mutating func restart() {
        begin = nil
        count = 0
    }

    private mutating func judge(elapsed: Double, device: Double) {
        let allowed = Self.slack + RatePrior.limitPPM * 1e-6 * abs(elapsed)
        guard elapsed > 0, abs(device - elapsed) > allowed else {
            count = 0
            if elapsed > 0 { impossiblePPM = nil }
            return
        }
        let told = device / elapsed
        count = count > 0 && abs(told - ratio) < Self.likeness ? count + 1 : 1
        ratio = told
        if count >= Self.tellingCount { impossiblePPM = (told - 1) * 1e6 }
    }
}
