/// A rough check, independent of the model, that the device runs at a rate that a sound card can have.
///
/// The model searches within 1,200 ppm. If a device claims 48 kHz and runs at 44.1 kHz, the model would take the
/// readings for steps of the clock again and again, and each re-placement would be audible. So the check measures the
/// rate over stretches of two seconds. After three in a row with the same impossible rate nothing is placed until a
/// stretch shows a possible rate. A card that stands still for a while spoils at most two stretches, and these show
/// different rates.
struct RateCheck: BitwiseCopyable {
    /// The length of a stretch, in host seconds.
    private static let span = 2.0
    /// How far a pointer may be off, in seconds: a burst, or a late thread.
    private static let slack = 0.012
    private static let tellingCount = 3
    /// How far the ratios of two stretches may differ and still be the same: twice the slack per stretch.
    private static let likeness = 0.012

    private var begin: (frame: Int64, host: Int64)?
    private var count = 0
    private var ratio = 1.0
    /// The device's rate relative to its nominal rate, in ppm, if no sound card can be so far off.
    private(set) var impossiblePPM: Double?

    /// Takes a reading. Readings come in order of their frames.
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

    /// Forgets the stretches, because the device's clock stopped and started again.
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
