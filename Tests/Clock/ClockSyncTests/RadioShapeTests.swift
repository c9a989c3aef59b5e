import AudioCore
import Testing

@testable import ClockSync

/// The shipping client and responder over radios of several kinds, with clocks of several kinds.
@Suite(.timeLimit(.minutes(5))) struct RadioShapeTests {
    #if DEBUG
        static let seeds: ClosedRange<UInt64> = 1...1
    #else
        static let seeds: ClosedRange<UInt64> = 1...20
    #endif
    static let seconds = 300

    struct Radio: Sendable, CustomTestStringConvertible {
        var name: String
        var link: SimulatedLink
        var testDescription: String { name }

        init(_ name: String, _ queueing: SimulatedLink.Queueing, detour: Double = 0) {
            self.name = name
            link = SimulatedLink(base: 2e-3, forward: queueing, backward: queueing, loss: 0.01)
            link.detour = detour
        }
    }

    struct Clock: Sendable {
        var name: String
        var wander: Double
        var ramp = 0.0
    }

    static let radios = [
        Radio("exponential", .exponential(mean: 1.4e-3)),
        Radio("uniform", .uniform(most: 3e-3)),
        Radio("no sharp edge", .gamma(scale: 0.7e-3)),
        Radio("power saving", .twoLevel(mean: 0.3e-3, share: 0.5, beacon: 0.1)),
        Radio("bursts", .bursts(mean: 0.4e-3, busy: 8e-3, slot: 2)),
        Radio("longer one way", .exponential(mean: 1.4e-3), detour: 1e-3),
    ]
    static let clocks = [
        Clock(name: "rates walk by 0.005 ppm", wander: 0.005), Clock(name: "rates walk by 0.05 ppm", wander: 0.05),
        Clock(name: "a rate grows by 1 ppm a minute", wander: 0.005, ramp: 1 / 60),
    ]

    /// The error from 20 s on, with each clock; the bound from the first estimate on. What no exchange can tell is left
    /// out.
    @Test(arguments: radios) func errorIsSmallAndBoundIsHonest(radio: Radio) {
        var (total, covered) = (0, 0)
        for clock in Self.clocks {
            var errors: [Double] = []
            for seed in Self.seeds {
                var exchange = SimulatedExchange(radio.link, wander: clock.wander, seed: seed, hostRamp: clock.ramp)
                for second in 1...Self.seconds {
                    guard let seen = exchange.run(until: Double(second)) else { continue }
                    let error = abs(seen.error - radio.link.detour / 2)
                    total += 1
                    if error <= seen.bound { covered += 1 }
                    if second >= 20 { errors.append(error) }
                }
            }
            errors.sort()
            let (median, high, most) = (errors[errors.count / 2], errors[errors.count * 99 / 100], errors.last ?? 1)
            print("\(radio.name), \(clock.name): p50 \(median * 1e6), p99 \(high * 1e6), max \(most * 1e6) us")
            #expect(median <= 30e-6, "\(clock.name)")
            #expect(high <= 60e-6, "\(clock.name)")
            #expect(most <= 150e-6, "\(clock.name)")
        }
        print("\(radio.name): the bound covers \(100 * Double(covered) / Double(total)) %")
        #expect(total - covered <= max(1, total / 1_000))
    }
}
