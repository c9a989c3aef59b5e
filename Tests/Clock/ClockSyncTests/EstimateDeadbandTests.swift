import Testing

@testable import ClockSync

/// Few estimates are handed on, and they are as good as all would be.
@Suite(.timeLimit(.minutes(5))) struct EstimateDeadbandTests {
    #if DEBUG
        private static let seeds: ClosedRange<UInt64> = 1...1
        private static let seconds = 60
    #else
        private static let seeds: ClosedRange<UInt64> = 1...5
        private static let seconds = 90
    #endif

    @Test(arguments: RadioShapeTests.shapes, RadioShapeTests.clocks)
    func whatIsHandedOnIsAsExact(_ shape: RadioShapeTests.Shape, _ clock: RadioShapeTests.Clock) {
        var (all, handedOn): ([Double], [Double]) = ([], [])
        var (count, urgentCount) = (0, 0)
        for seed in Self.seeds {
            var exchange = SimulatedExchange(shape.link, wander: clock.wander, seed: seed, hostRamp: clock.ramp)
            exchange.run(until: 15)
            count -= exchange.handedOn?.count ?? 0
            urgentCount -= exchange.handedOn?.urgentCount ?? 0
            for tenth in 150..<Self.seconds * 10 {
                // At any moment, and not just after an exchange.
                guard let seen = exchange.run(until: Double(tenth) / 10) else { continue }
                all.append(abs(seen.error + shape.asymmetry))
                handedOn.append(abs(seen.handedOnError + shape.asymmetry))
            }
            count += exchange.handedOn?.count ?? 0
            urgentCount += exchange.handedOn?.urgentCount ?? 0
        }
        all.sort()
        handedOn.sort()
        let rate = Double(count) / Double((Self.seconds - 15) * Self.seeds.count)
        let middle = all.count / 2
        let high = all.count * 99 / 100
        print(
            "\(shape.name), rate \(clock.name): \(rate) a second, p50 \(handedOn[middle] * 1e6) us, of all",
            "\(all[middle] * 1e6) us, p99 \(handedOn[high] * 1e6) us, of all \(all[high] * 1e6) us")
        #expect(rate >= 0.9 && rate < 2)
        #expect(Double(urgentCount) < 0.02 * Double(count), "\(urgentCount) of \(count) wake their taker")
        // A clock that drifts has moved on by some nanoseconds.
        #expect(handedOn[middle] <= all[middle] * 1.05 + 30e-9)
        #expect(handedOn[high] <= all[high] * 1.05 + 30e-9)
    }

    /// Who waits for the first sound learns of each.
    @Test func atFirstAllAreHandedOn() {
        var exchange = SimulatedExchange(.quietLAN, wander: 0.005, seed: 1)
        exchange.run(until: 9)
        let completed = exchange.client.statistics.completed
        let count = completed - ClockEstimator.firstCount + 1
        #expect(exchange.handedOn?.count == count && exchange.handedOn?.urgentCount == count)
    }

    /// A step of the clock is told at once.
    @Test func aStepIsHandedOn() throws {
        var exchange = SimulatedExchange(.quietLAN, wander: 0.005, seed: 1)
        exchange.run(until: 30)
        let urgentCount = try #require(exchange.handedOn).urgentCount
        exchange.jumpHost(by: 0.01)
        let seen = exchange.run(until: 32)
        #expect(try #require(exchange.handedOn).urgentCount > urgentCount)
        #expect(abs(try #require(seen).handedOnError) < 20e-6)
    }
}
