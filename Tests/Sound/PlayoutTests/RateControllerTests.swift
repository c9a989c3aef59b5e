import Testing

@testable import Playout

@Suite(.timeLimit(.minutes(5))) struct RateControllerTests {
    /// Runs the loop against an ideal plant; gives the error in us every 10 ms.
    private func run(error start: Double, age: Double, drift: Double = 0, seconds: Double) -> [Double] {
        var controller = RateController(feedForward: 1, uncertainty: 0, canLock: false)
        while controller.age < age { controller.update(error: 0, feedForward: 1, uncertainty: 0, seconds: 0.1) }
        var error = start
        var errors: [Double] = []
        let feedForward = 1 + drift * 1e-6
        for _ in 0..<Int(seconds * 100) {
            controller.update(error: error * 1e-6, feedForward: feedForward, uncertainty: 0, seconds: 0.01)
            error += (controller.step / feedForward - 1) * 1e6 * 0.01
            errors.append(error)
        }
        return errors
    }

    @Test(arguments: [1.0, 20, 200, 990])
    func anErrorIsRemovedWithoutOvershoot(error: Double) {
        let errors = run(error: error, age: 30, seconds: 200)
        #expect((errors.min() ?? -1) > -0.02 * error - 0.05)
        #expect(abs(errors.last ?? 1) < 0.01)
    }

    @Test(arguments: [50.0, 300, 1_000])
    func anErrorAfterAPlacementIsRemovedWithoutOvershoot(error: Double) {
        let errors = run(error: error, age: 0, seconds: 200)
        #expect((errors.min() ?? -1) > -0.02 * error - 0.05)
        #expect(abs(errors.last ?? 1) < 0.01)
        // 50 us are mended in ten seconds.
        if error == 50 { #expect(errors[1_000] < 1) }
    }

    @Test func aWrongRateAtTheStartCostsLittle() {
        // The session clock's rate was taken for 8 ppm more than it turns out to be: at 10 ppm/s that costs 3.2 us.
        let errors = run(error: 0, age: 0, drift: -8, seconds: 60)
        #expect((errors.map(abs).max() ?? 100) < 3.5)
    }

    /// The ear hears a pitch that changes quickly.
    @Test func theStepNeverChangesFasterThanTheLimit() {
        for (age, limit) in [(0.0, 10.0), (25, 0.5)] {
            var controller = RateController(feedForward: 1, uncertainty: 0, canLock: false)
            while controller.age < age { controller.update(error: 0, feedForward: 1, uncertainty: 0, seconds: 0.1) }
            for turn in 0..<200 {
                let before = controller.step
                let error = turn < 100 ? 900e-6 : -900e-6
                controller.update(
                    error: error, feedForward: 1 + Double(turn % 2) * 2e-6, uncertainty: 0, seconds: 0.005)
                #expect(abs(controller.step - before) <= limit * 0.005 * 1e-6 * 1.001)
            }
        }
    }

    /// Where a clock's rate turns out to be another one, the pitch may glide by a sixth of a cent a second.
    @Test func aLeapOfTheRatePassesNoFasterThanIsHeard() {
        for (age, limit) in [(0.0, 110.0), (25, 100.5)] {
            var controller = RateController(feedForward: 1, uncertainty: 0, canLock: false)
            while controller.age < age { controller.update(error: 0, feedForward: 1, uncertainty: 0, seconds: 0.1) }
            for turn in 0..<1_000 {
                let before = controller.step
                let feedForward = turn < 500 ? 1 + 170e-6 : 1 - 170e-6
                controller.update(error: 0, feedForward: feedForward, uncertainty: 0, seconds: 0.005)
                #expect(abs(controller.step - before) <= limit * 0.005 * 1e-6 * 1.001)
            }
        }
    }

    /// A clock that was taken for 35 ppm faster or slower than it is, for half a minute; one of which the same is known
    /// after a second; and what a radio's first rate may be off by.
    @Test(arguments: [(35.0, 30.0, 15.0), (-35, 30, 15), (58, 30, 30), (-58, 12, 30), (35, 1, 15), (170, 1, 160)])
    func aRateThatComesRightIsFollowedAtOnce(drift: Double, age: Double, limit: Double) {
        let errors = run(error: 0, age: age, drift: drift, seconds: 200)
        let worst = errors.map(abs).max() ?? .infinity
        #expect(worst < limit, "\(worst) us")
        if age == 30 { #expect(errors[300...].allSatisfy { abs($0) < 50 }) }
        #expect(abs(errors.last ?? 1) < 0.01)
        // Once back, it stays: no circling.
        #expect(zip(errors, errors.dropFirst()).filter { $0 * $1 < 0 }.count <= 1)
    }

    @Test func anErrorThatAppearsWhileTheLimitFallsIsRemovedWithoutOvershoot() {
        for age in [5.0, 10, 15, 18, 19.5] {
            let errors = run(error: 400, age: age, seconds: 200)
            #expect((errors.min() ?? -1) > -8, "\(age) s: \(errors.min() ?? 0)")
            #expect(abs(errors.last ?? 1) < 0.01)
        }
    }

    @Test func aChangeOfTheDACsRateIsAbsorbed() {
        let errors = run(error: 0, age: 30, drift: 2, seconds: 120)
        // 2 ppm at 0.5 ppm/s cannot cost less than 4 us.
        #expect((errors.map(abs).max() ?? 100) < 10)
        #expect(abs(errors.last ?? 1) < 0.01)
        // One swing back at most: no circling.
        #expect(zip(errors, errors.dropFirst()).filter { $0 * $1 < 0 }.count <= 1)
    }
}
