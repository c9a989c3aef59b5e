import Testing

@testable import Playout

/// A clock that is known by what a sound server's plugin guesses: as PulseAudio's was recorded.
@Suite(.timeLimit(.minutes(5))) struct GuessTests {
    /// The device's own clock.
    private static let ppm = 60.0
    private static let rate = 48_000.0

    /// Feeds a reading every 5 ms. `miss` says how much later than the truth they seem to be at this time.
    private func feed(
        _ model: inout DeviceClockModel, from start: Double, to end: Double, miss: (Double) -> Double
    ) {
        for index in Int(start * 200)..<Int(end * 200) {
            let now = Double(index) / 200
            let frame = Int64((now - miss(now)) * Self.rate * (1 + Self.ppm * 1e-6))
            model.note(frame: frame, hostNanoseconds: Int64(now * 1e9), occasion: .wake)
        }
    }

    /// How much later than it is a frame of this time seems, in seconds; infinite where nothing is known.
    private func error(_ model: borrowing DeviceClockModel, at now: Double) -> Double {
        guard let line = model.line else { return .infinity }
        let frame = Int64(now * Self.rate * (1 + Self.ppm * 1e-6))
        return Double(line.originHost) * 1e-9 + line.seconds(of: frame) - now
    }

    /// Between two answers of the server, 1.5 s apart, what is guessed goes up to `height` astray.
    private func sawtooth(_ now: Double, height: Double) -> Double {
        let part = now / 1.5
        return -height * (part - part.rounded(.down))
    }

    private func model() -> DeviceClockModel {
        var model = DeviceClockModel(deviceRate: Self.rate, rateHint: nil)
        model.treatReadingsAsGuesses()
        return model
    }

    @Test func guessesThatLeapAreNotBelieved() {
        var model = model()
        // As recorded: 2,800 ppm, for 6 s.
        feed(&model, from: 10, to: 16) { sawtooth($0, height: 4.2e-3) }
        let tooSoon = model.isReady
        #expect(!tooSoon)
        feed(&model, from: 16, to: 20) { sawtooth($0, height: 50e-6) }
        let error = error(model, at: 20)
        #expect(abs(error) < 100e-6)
    }

    @Test func aDeviceThatNeverGuessesWellIsTakenAsItIs() {
        var model = model()
        feed(&model, from: 10, to: 24) { sawtooth($0, height: 4.2e-3) }
        let error = error(model, at: 24)
        #expect(abs(error) < 5e-3)
    }

    /// Two ways of being wrong for one interval of the server's: 3 ms at once, and running away.
    @Test(arguments: [-3e-3, 3e-3]) func oneWrongAnswerIsNotChased(miss: Double) {
        for isLeap in [true, false] {
            var model = model()
            feed(&model, from: 10, to: 30) { sawtooth($0, height: 50e-6) }
            var worst = 0.0
            for tenth in 0..<60 {
                let start = 30 + Double(tenth) / 10
                feed(&model, from: start, to: start + 0.1) { now in
                    now < 31.5 ? (isLeap ? miss : miss * (now - 30) / 1.5) : sawtooth(now, height: 50e-6)
                }
                worst = max(worst, abs(error(model, at: start + 0.1)))
            }
            let relearnCount = model.relearnCount
            #expect(relearnCount == 1, "as at the beginning")
            #expect(worst < 1e-3, "\(isLeap): \(worst)")
        }
    }

    /// A step that stays is followed: a sound server whose sink was changed.
    @Test(arguments: [-30e-3, 30e-3]) func aStepIsFollowed(step: Double) {
        var model = model()
        feed(&model, from: 10, to: 30) { sawtooth($0, height: 50e-6) }
        feed(&model, from: 30, to: 31.5) { step + sawtooth($0, height: 50e-6) }
        let errorBefore = error(model, at: 31.5)
        #expect(abs(errorBefore) < 1e-3)
        feed(&model, from: 31.5, to: 35) { step + sawtooth($0, height: 50e-6) }
        let errorAfter = error(model, at: 35)
        #expect(abs(errorAfter - step) < 1e-3)
        let relearnCount = model.relearnCount
        #expect(relearnCount == 2)
    }

    /// A rate that is none of a sound card's, but a server's timer may have.
    @Test func aTimersRateIsLearned() throws {
        var model = model()
        feed(&model, from: 10, to: 40) { 200e-6 * ($0 - 10) + sawtooth($0, height: 50e-6) }
        let told = model.line?.ppm
        let ppm = try #require(told)
        #expect(abs(ppm - (Self.ppm - 200)) < 25)
    }

    /// What was read before it was known that they are guesses does not count.
    @Test func whatWasBelievedIsForgotten() {
        var model = DeviceClockModel(deviceRate: Self.rate, rateHint: nil)
        feed(&model, from: 10, to: 11) { _ in -0.2 }
        let wasReady = model.isReady
        #expect(wasReady)
        model.treatReadingsAsGuesses()
        feed(&model, from: 11, to: 14) { sawtooth($0, height: 50e-6) }
        let error = error(model, at: 14)
        #expect(abs(error) < 100e-6)
    }
}
