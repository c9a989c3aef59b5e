@testable import Playout

/// Reads a virtual card as an output loop does, feeds a clock model, and holds what it says against the truth.
struct CardReader: ~Copyable {
    /// One reading; nil where the loop has none to give.
    typealias Reading = (frame: Int64, host: Double)
    /// What the loop says of a reading; see ``DeviceClockReading``.
    var slack = 0.0
    var occasion = ReadingOccasion.poll
    /// Whether readings are made when the pointer moves instead of by the clock.
    var isWoken = false

    /// What was seen while the model had a line; seconds.
    struct Sight {
        /// The greatest error over bound: above 1 the truth lay outside of what was published.
        var worstRatio = 0.0
        var worstTime = 0.0
        var worstError = 0.0
        var worstBound = 0.0
        /// As of the last look.
        var lastError = Double.infinity
        var lastBound = Double.infinity
        var lookCount = 0

        var summary: String {
            "error/bound \(worstRatio) at \(worstTime) s, error at worst \(worstError * 1e6) us, at last "
                + "\(lastError * 1e6) us, bound at worst \(worstBound * 1e6) us, at last \(lastBound * 1e6) us"
        }
    }

    var dac: VirtualDAC
    var model: DeviceClockModel
    /// Seconds between two readings, and by what part of it that varies.
    var period = 0.005
    var jitter = 0.2
    var random = SeededNumbers(seed: 42)
    private(set) var now = 1_000.0

    init(_ dac: VirtualDAC, hint: Double? = nil) {
        self.dac = dac
        model = DeviceClockModel(deviceRate: dac.rate, rateHint: hint)
    }

    /// Reads until then. `fault` turns a right reading into what the device says.
    mutating func read(
        until end: Double, fault: (Reading, inout SeededNumbers) -> Reading? = { reading, _ in reading }
    ) -> Sight {
        var sight = Sight()
        var nextLook = now
        while now < end {
            if let reading = fault((dac.pointer(at: now + (isWoken ? 1e-7 : 0)), now), &random) {
                model.note(
                    frame: reading.frame, hostNanoseconds: Int64((reading.host * 1e9).rounded()), occasion: occasion,
                    slack: slack)
            }
            if isWoken {
                now = dac.seconds(of: Double(dac.pointer(at: now + 1e-7) + dac.burst))
            } else {
                now += period * (1 + jitter * (random.next() - 0.5))
            }
            if now >= nextLook, model.isReady {
                look(&sight)
                nextLook = now + 0.01
            }
        }
        return sight
    }

    /// Looks at what is heard now and at what is rendered now, 150 ms ahead.
    private func look(_ sight: inout Sight) {
        guard let line = model.line else { return }
        let heard = Int64((now - dac.origin) * dac.rate)
        for frame in [heard, heard + 7_200] {
            let error = Double(line.originHost) * 1e-9 + line.seconds(of: frame) - dac.seconds(of: Double(frame))
            let bound = line.bound(at: frame)
            sight.lastError = abs(error)
            sight.lastBound = bound
            sight.worstError = max(sight.worstError, abs(error))
            sight.worstBound = max(sight.worstBound, bound)
            guard abs(error) / bound > sight.worstRatio else { continue }
            sight.worstRatio = abs(error) / bound
            sight.worstTime = now - 1_000
        }
        sight.lookCount += 1
    }
}

/// Numbers of 0 ..< 1 that are the same in every run.
struct SeededNumbers {
    private var state: UInt64
    init(seed: UInt64) { state = seed }

    mutating func next() -> Double {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Double(state >> 11) * 0x1p-53
    }
}
