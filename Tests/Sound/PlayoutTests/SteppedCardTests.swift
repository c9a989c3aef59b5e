import Testing

@testable import Playout

/// The rate of a card whose pointer moves in steps is believed only where it is true, whatever the phase of the loop.
@Suite(.timeLimit(.minutes(5))) struct SteppedCardTests {
    /// What was seen while the model had a line.
    private struct Sight {
        var readyAt = Double.infinity
        /// The greatest error of the rate from 1 s on, in ppm.
        var rate = 0.0
        /// The greatest error over bound; what every wake takes is no error.
        var ratio = 0.0
        /// The greatest error over bound where what every wake takes is one.
        var wholeRatio = 0.0
        var worst = 0.0
        var last = 0.0
        var lastBound = 0.0
        /// The greatest error of the rate from 2 s on, in ppm.
        var lateRate = 0.0
    }

    private func watch(_ machine: SteppedCard.Machine, ppm: Double, seed: UInt64, seconds: Double) -> Sight {
        var card = SteppedCard(machine, ppm: ppm, seed: seed)
        var sight = Sight()
        var nextLook = 0.0
        while card.age < seconds {
            card.turn()
            guard card.age >= nextLook, let (late, bound, rateError) = card.sight else { continue }
            nextLook = card.age + 0.02
            sight.readyAt = min(sight.readyAt, card.age)
            let error = late < 0 ? -late : max(0, late - machine.wake - machine.reading)
            if card.age > 1 { sight.rate = max(sight.rate, rateError) }
            sight.worst = max(sight.worst, error)
            sight.last = late
            sight.ratio = max(sight.ratio, error / bound)
            sight.wholeRatio = max(sight.wholeRatio, abs(late) / (bound + card.model.wakeDuration))
            sight.lastBound = bound
            if card.age > 2 { sight.lateRate = max(sight.lateRate, rateError) }
        }
        return sight
    }

    private func hasQueue(_ seed: UInt64) -> Bool { seed % 5 == 0 }

    /// Machines of all kinds: quick and slow to wake, whose timers fall in with the steps and do not.
    private func machine(_ seed: UInt64) -> SteppedCard.Machine {
        var random = SeededNumbers(seed: seed &+ 1_000)
        for _ in 0..<4 { _ = random.next() }
        var machine = SteppedCard.Machine(
            wake: 10e-6 + 100e-6 * random.next(), timer: 5e-6 + 100e-6 * random.next(),
            noise: 1e-7 * power(10, 3 * random.next()), reading: 3e-6 + 20e-6 * random.next(),
            filling: 50e-6 + 500e-6 * random.next())
        // Every third: nearly a whole part of a step.
        if seed % 3 == 0 {
            machine.wait = 0.004 / Double(2 + seed / 3 % 4) * (1 + 2e-4 * (random.next() - 0.5))
            machine.timer = 0
            machine.noise = 1e-7
        }
        // Every fourth: a busy one. Every fifth: one with two players.
        if seed % 4 == 0 { machine.lateShare = 0.02 }
        if hasQueue(seed) { machine.queue = (280e-6, 280e-6 + 200e-6 * random.next()) }
        return machine
    }

    @Test(arguments: [0.0, 60, -35]) func stepsThatWakeTellTheRate(ppm: Double) {
        for seed in UInt64(1)...60 {
            let sight = watch(machine(seed), ppm: ppm, seed: seed, seconds: BuildMode.seconds(30, debug: 2))
            let told =
                "seed \(seed), \(ppm) ppm: ready \(sight.readyAt) s, "
                + "rate off by \(sight.rate) ppm, error/bound \(sight.ratio), with what a wake takes "
                + "\(sight.wholeRatio), worst \(sight.worst * 1e6) us, "
                + "from 2 s on \(sight.lateRate) ppm, last \(sight.last * 1e6) us +-\(sight.lastBound * 1e6)"
            #expect(sight.readyAt < 0.8, "\(told)")
            #expect(sight.rate < 20, "\(told)")
            #expect(sight.ratio <= 1, "\(told)")
            #expect(sight.wholeRatio <= 1, "\(told)")
            // Where wakes that scatter by 50 us become later by another 77, none of them stands out.
            #expect(sight.lateRate < (hasQueue(seed) ? 16 : 6), "\(told)")
            #expect(sight.worst < (hasQueue(seed) ? 70e-6 : 60e-6), "\(told)")
        }
    }

    /// Where nothing wakes the loop with a step, the line may follow a beat for long: the bound says so.
    @Test(arguments: [0.0, 60]) func stepsThatAreOnlyLookedAtStayWithinTheBound(ppm: Double) {
        for seed in UInt64(1)...30 {
            var machine = machine(seed)
            machine.isWoken = false
            let sight = watch(machine, ppm: ppm, seed: seed, seconds: BuildMode.seconds(30, debug: 2))
            #expect(sight.ratio <= 1, "seed \(seed), \(ppm) ppm: \(sight)")
        }
    }
}
