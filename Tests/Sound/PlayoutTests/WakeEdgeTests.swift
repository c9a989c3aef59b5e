import Testing

@testable import Playout

/// What is taken off the wakes of a coarse card, and what is not.
@Suite(.timeLimit(.minutes(5))) struct WakeEdgeTests {
    /// Wakes every 20 ms, and a line through the earliest of them, at zero.
    private struct Wakes: ~Copyable {
        private let memory = UnsafeMutablePointer<ClockPoint>.allocate(capacity: 32)
        private var edge: WakeEdge
        private var random = SeededNumbers(seed: 11)
        private var time = 0.0

        init() {
            memory.initialize(repeating: ClockPoint(), count: 32)
            edge = WakeEdge(memory: memory, capacity: 16)
        }

        deinit { memory.deallocate() }

        /// Takes wakes that are late by so much and up to half a scatter more or less. Returns the last one, corrected.
        mutating func take(_ count: Int, late: Double, scatter: Double = 2e-6) -> Double {
            let fit = ClockFit(prior: .none)
            var residual = 0.0
            for _ in 0..<count {
                time += 0.02
                let point = ClockPoint(time: time, residual: late + scatter * (random.next() - 0.5))
                residual = edge.corrected(point, by: fit).residual
            }
            return residual
        }

        /// Readings between bursts, by how much they were before the line: those that show the next burst, and those
        /// that do not yet.
        mutating func look(with: [Double], without: [Double]) {
            for distance in with { edge.notePolled(ClockPoint(time: time, residual: -distance)) }
            for distance in without { edge.noteStanding(ClockPoint(time: time, residual: -distance)) }
            edge.compare(with: ClockFit(prior: .none))
        }

        mutating func stopLooking() { edge.finish() }

        var uncertainty: Double { edge.uncertainty }
        var wakeDuration: Double { edge.wakeDuration }
    }

    /// A burst lies between the last reading without it and the first one with it.
    @Test func theLineIsAsLateAsReadingsBetweenWakesAllow() {
        var wakes = Wakes()
        _ = wakes.take(5, late: 0, scatter: 0)
        #expect(wakes.uncertainty == 0 && wakes.wakeDuration == 0)
        wakes.look(with: [-300e-6, 40e-6, 20e-6], without: [])
        #expect(wakes.uncertainty == 40e-6 && wakes.wakeDuration == 0)
        wakes.look(with: [], without: [900e-6, 75e-6, 80e-6])
        #expect(wakes.uncertainty == 40e-6 && abs(wakes.wakeDuration - 35e-6) < 1e-12)
        wakes.stopLooking()
        #expect(wakes.uncertainty == 40e-6 && abs(wakes.wakeDuration - 35e-6) < 1e-12)
        // The card's own jitter takes nothing off.
        wakes.look(with: [], without: [30e-6])
        #expect(wakes.uncertainty == 40e-6 && wakes.wakeDuration == 0)
    }

    @Test func eightWakesThatAreLateTogetherAreTakenOff() {
        var wakes = Wakes()
        _ = wakes.take(50, late: 8e-6)
        #expect(wakes.take(7, late: 286e-6) > 280e-6)
        #expect(abs(wakes.take(1, late: 286e-6) - 8e-6) < 5e-6)
        #expect(abs(wakes.take(50, late: 286e-6) - 8e-6) < 5e-6)
        #expect(wakes.uncertainty > 278e-6)
        // And further ones, when the other thread has more to do.
        #expect(abs(wakes.take(20, late: 490e-6) - 8e-6) < 8e-6)
    }

    @Test func aFewLateWakesAreNot() {
        var wakes = Wakes()
        _ = wakes.take(50, late: 8e-6)
        for _ in 0..<20 {
            #expect(wakes.take(7, late: 286e-6) > 280e-6)
            #expect(wakes.take(1, late: 8e-6) < 10e-6)
        }
        #expect(wakes.uncertainty < 30e-6)
    }

    /// What leaves the line at 10 ppm for half a minute stays as far away as it is: the line has to follow.
    @Test(arguments: [2e-6, 100e-6]) func aLineThatDriftsOffItsWakesTakesNothingOff(scatter: Double) {
        var wakes = Wakes()
        for step in 0..<1_500 {
            let late = 10e-6 * 0.02 * Double(step)
            let residual = wakes.take(1, late: late, scatter: scatter)
            #expect(abs(residual - late) <= scatter)
        }
    }

    @Test func wakesThatScatterTakeNothingOff() {
        var wakes = Wakes()
        for _ in 0..<100 {
            #expect(wakes.take(20, late: 50e-6, scatter: 100e-6) >= 0)
            #expect(wakes.take(20, late: 75e-6, scatter: 100e-6) >= 25e-6)
        }
        #expect(wakes.uncertainty < 150e-6)
    }

    @Test func anEarlyWakeIsAnExceptionAndTwoAreNot() {
        var wakes = Wakes()
        _ = wakes.take(50, late: 8e-6)
        _ = wakes.take(20, late: 286e-6)
        // Its own lateness is not the others'.
        #expect(abs(wakes.take(1, late: 100e-6)) < 1e-6)
        #expect(abs(wakes.take(20, late: 286e-6) - 8e-6) < 5e-6)
        _ = wakes.take(2, late: 8e-6)
        #expect(abs(wakes.take(1, late: 8e-6)) < 10e-6)
        #expect(wakes.uncertainty < 40e-6)
    }

    @Test func moreThanAMillisecondIsAStep() {
        var wakes = Wakes()
        _ = wakes.take(50, late: 8e-6)
        #expect(wakes.take(50, late: 1_100e-6) > 1_090e-6)
    }
}
