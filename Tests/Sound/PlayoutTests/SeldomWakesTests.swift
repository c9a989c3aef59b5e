import AudioCore
import Testing

@testable import Playout

/// What is known of a card that wakes its loop seldom, and is read again while that renders.
@Suite(.timeLimit(.minutes(5))) struct SeldomWakesTests {
    @Test func fewWakesWithSeveralReadingsTellAsMuchAsMoreWithOne() {
        let one = errors(wakingEvery: 0.1, readingCount: 1)
        let several = errors(wakingEvery: 0.4, readingCount: 9)
        let seldom = errors(wakingEvery: 0.4, readingCount: 1)
        print("10 wakes of 1 reading \(one) us, 2.5 of 9 \(several), 2.5 of 1 \(seldom)")
        #expect(several.median < one.median && several.high < one.high && several.high < 1)
        #expect(seldom.high > 1.3 * one.high)
    }

    /// Returns how far the line is from the card, in us (median and 99th percentile), in the minute after ten seconds
    /// with a wake every 10 ms.
    private func errors(wakingEvery period: Double, readingCount: Int) -> (median: Double, high: Double) {
        var all: [Double] = []
        for seed in 1...8 as ClosedRange<UInt64> {
            all += errors(VirtualDAC(ppm: 10 * Double(seed) - 43), period, readingCount, seed)
        }
        all.sort()
        return (all[all.count / 2], all[all.count * 99 / 100])
    }

    private func errors(
        _ dac: VirtualDAC, _ period: Double, _ readingCount: Int, _ seed: UInt64
    ) -> [Double] {
        var model = DeviceClockModel(deviceRate: dac.rate, rateHint: nil)
        var random = SeededNumbers(seed: seed)
        var errors: [Double] = []
        var frame: Int64 = 0
        while frame < Int64(70 * dac.rate) {
            let isYoung = frame < Int64(10 * dac.rate)
            // It fetches 240 frames at a time, and wakes with that, some time later.
            frame += Int64((isYoung ? 0.01 : period) * dac.rate / 240) * 240
            var time = dac.seconds(of: Double(frame)) + 20e-6 - 25e-6 * logarithm(1 - 0.999 * random.next())
            for index in 0..<(isYoung ? 1 : readingCount) {
                model.note(
                    frame: dac.pointer(at: time), hostNanoseconds: Int64((time * 1e9).rounded()),
                    occasion: index == 0 ? .wake : .poll)
                // A block is rendered.
                time += 60e-6 * (0.8 + 0.4 * random.next())
            }
            guard !isYoung, let line = model.line else { continue }
            errors.append(abs(Double(line.hostNanoseconds(of: frame)) * 1e-3 - dac.seconds(of: Double(frame)) * 1e6))
        }
        return errors
    }
}
