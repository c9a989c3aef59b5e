import Testing

@testable import ClockSync

/// Radios whose delays are spread in every way that is known of them, and LANs; clocks that keep their rate, and clocks
/// that do not. What is promised, is promised on each of them.
@Suite(.timeLimit(.minutes(5))) struct RadioShapeTests {
    struct Shape: Sendable, CustomTestStringConvertible {
        var name: String
        var link: SimulatedLink
        /// Limits of the error, in seconds.
        var median = 30e-6
        var high = 60e-6
        var worst = 150e-6
        /// How far off everybody is where one way takes longer: no exchange can tell.
        var asymmetry = 0.0

        var testDescription: String { name }

        init(_ name: String, _ link: SimulatedLink) { (self.name, self.link) = (name, link) }

        /// A radio that delays both ways alike.
        init(_ name: String, _ queueing: SimulatedLink.Queueing) {
            self.init(name, SimulatedLink(base: 2e-3, forward: queueing, backward: queueing, loss: 0.01))
        }

        /// A LAN, and the limits on it.
        init(_ name: String, lan: SimulatedLink) {
            self.init(name, lan)
            (median, high, worst) = (1e-6, 3e-6, 5e-6)
        }

        /// A radio on which one way takes longer.
        static func longer(_ name: String, by seconds: Double, _ queueing: SimulatedLink.Queueing) -> Shape {
            var shape = Shape(name, queueing)
            shape.link.backwardDetour = seconds
            shape.asymmetry = seconds / 2
            return shape
        }
    }

    struct Clock: Sendable, CustomTestStringConvertible {
        var name: String
        /// ppm over the root of a second.
        var wander: Double
        /// ppm a minute.
        var ramp: Double

        var testDescription: String { name }
    }

    static let shapes = [
        Shape("exponential", .exponential(mean: 1.4e-3)),
        Shape("uniform", .uniform(most: 4e-3)),
        Shape("no sharp edge", .gamma(scale: 0.7e-3)),
        Shape("power saving", .sleepy(mean: 1e-3, probability: 0.5, period: 100e-3)),
        Shape("bursts", .bursts(mean: 0.7e-3, share: 0.3, busyMean: 10e-3)),
        Shape.longer("one way longer", by: 1e-3, .exponential(mean: 1.4e-3)),
        Shape("quiet LAN", lan: .quietLAN),
        Shape("noisy LAN", lan: .normalLAN),
    ]
    static let clocks = [
        Clock(name: "steady", wander: 0.005, ramp: 0), Clock(name: "walks", wander: 0.05, ramp: 0),
        Clock(name: "ramps", wander: 0.005, ramp: 1), Clock(name: "ramps back", wander: 0.005, ramp: -1),
    ]
    /// Seconds after which the limits hold. The bound holds from the first estimate on.
    private static let settled = 20
    /// Share of seconds that the bound may miss.
    private static let promised = 1e-3

    #if DEBUG
        private static let seeds: ClosedRange<UInt64> = 1...1
        private static let seconds = 120
    #else
        private static let seeds: ClosedRange<UInt64> = 1...20
        private static let seconds = 300
    #endif

    @Test(arguments: shapes, clocks) func errorIsSmallAndBoundIsHonest(_ shape: Shape, _ clock: Clock) {
        var errors: [Double] = []
        var outside: [String] = []
        var total = 0
        var requests = 0
        for seed in Self.seeds {
            var exchange = SimulatedExchange(shape.link, wander: clock.wander, seed: seed, hostRamp: clock.ramp)
            for second in 1...Self.seconds {
                guard let seen = exchange.run(until: Double(second)) else { continue }
                let error = abs(seen.error + shape.asymmetry)
                total += 1
                if error > seen.bound { outside.append("\(seed):\(second)") }
                if second >= Self.settled { errors.append(error) }
            }
            requests += exchange.client.statistics.sent
        }
        errors.sort()
        let (median, high, worst) = (errors[errors.count / 2], errors[errors.count * 99 / 100], errors.last ?? 0)
        let rate = Double(requests) / Double(Self.seconds * Self.seeds.count)
        print(
            "\(shape.name), rate \(clock.name): p50 \(median * 1e6) us, p99 \(high * 1e6) us, max \(worst * 1e6) us,",
            "outside \(outside.count) of \(total), \(rate) requests a second")
        #expect(median <= shape.median)
        #expect(high <= shape.high)
        #expect(worst <= shape.worst)
        #expect(rate < 30)
        #expect(
            outside.count <= max(1, Int(Double(total) * Self.promised)),
            "seed:second \(outside.joined(separator: " "))")
    }

    /// Where a song shares the path, more requests would queue with it.
    @Test(arguments: [true, false]) func aSharedPathIsNotAskedMoreOften(isShared: Bool) {
        let link = SimulatedLink(base: 2e-3, forward: .gamma(scale: 0.7e-3), backward: .gamma(scale: 0.7e-3))
        var exchange = SimulatedExchange(link, wander: 0.005, seed: 1, isPathSymmetric: !isShared)
        exchange.run(until: 20)
        let before = exchange.client.statistics.sent
        exchange.run(until: 30)
        let rate = (exchange.client.statistics.sent - before) / 10
        #expect(isShared ? (7...9).contains(rate) : (23...27).contains(rate), "\(rate) a second")
    }

    /// The more listeners may share a radio, the less each asks of it.
    @Test(arguments: [(1, 60...72), (8, 47...53), (16, 23...27), (200, 23...27)])
    func aRoughRadioIsAskedMoreAtFirst(count: Int, early: ClosedRange<Int>) {
        let link = SimulatedLink(base: 2e-3, forward: .gamma(scale: 0.7e-3), backward: .gamma(scale: 0.7e-3))
        var exchange = SimulatedExchange(link, wander: 0.005, seed: 1, others: count - 1)
        exchange.run(until: 12)
        let atTwelve = exchange.client.statistics.sent
        exchange.run(until: 18)
        let atEighteen = exchange.client.statistics.sent
        exchange.run(until: 30)
        let atThirty = exchange.client.statistics.sent
        exchange.run(until: 40)
        #expect(early.contains((atEighteen - atTwelve) / 6), "\((atEighteen - atTwelve) / 6) a second")
        let steady = (exchange.client.statistics.sent - atThirty) / 10
        #expect((23...27).contains(steady), "\(steady) a second")
    }

    /// On a wire it is a busy machine that makes the bound large, and more requests make it busier.
    @Test func aBusyMachineOnAWireIsNotAskedMoreOften() throws {
        let noise = SimulatedLink.Queueing.exponential(mean: 2.4e-3)
        let link = SimulatedLink(base: 0.1e-3, forward: noise, backward: noise)
        var exchange = SimulatedExchange(link, wander: 0.005, seed: 1)
        let seen = exchange.run(until: 20)
        #expect(try #require(seen).bound > ExchangeSchedule.roughBound.seconds)
        let before = exchange.client.statistics.sent
        exchange.run(until: 30)
        let rate = (exchange.client.statistics.sent - before) / 10
        #expect((7...9).contains(rate), "\(rate) a second")
    }

    /// Among many a listener on a wire asks less often, and knows the clock all the same.
    @Test(arguments: shapes.filter { $0.median <= 1e-6 }, [1_000, 5_000])
    func oneOfManyOnAWireAsksLessOften(_ shape: Shape, count: Int) {
        let interval = min(1, Double(count) / ClockLimits.settledRequestsPerSecond)
        var (errors, first): ([Double], [Double]) = ([], [])
        var (requests, firstRequests) = (0, 0)
        for seed in Self.seeds {
            var exchange = SimulatedExchange(shape.link, wander: 0.005, seed: seed, others: count - 1)
            if let seen = exchange.run(until: 1) { first.append(abs(seen.error)) }
            firstRequests += exchange.client.statistics.sent
            exchange.run(until: 60)
            requests -= exchange.client.statistics.sent
            for second in 60..<Self.seconds {
                if let seen = exchange.run(until: Double(second)) { errors.append(abs(seen.error)) }
            }
            requests += exchange.client.statistics.sent
        }
        errors.sort()
        let (median, high) = (errors[errors.count / 2], errors[errors.count * 99 / 100])
        let rate = Double(requests) / Double((Self.seconds - 60) * Self.seeds.count)
        print(
            "\(shape.name), one of \(count): p50 \(median * 1e6) us, p99 \(high * 1e6) us, \(rate) requests a second,",
            "after 1 s \((first.max() ?? 0) * 1e6) us, \(firstRequests / Self.seeds.count) requests")
        #expect(rate < 1.2 / interval)
        #expect(firstRequests < 100 * Self.seeds.count)
        #expect(high <= shape.high)
        #expect(first.allSatisfy { $0 <= shape.high })
    }

    /// One behind a radio needs what it learns in the first seconds, whoever else is there.
    @Test func oneOfManyBehindARadioLearnsAsFast() {
        var amongFew = SimulatedExchange(Self.shapes[0].link, wander: 0.005, seed: 1, others: 15)
        var amongMany = SimulatedExchange(Self.shapes[0].link, wander: 0.005, seed: 1, others: 4_999)
        amongFew.run(until: 5)
        amongMany.run(until: 5)
        #expect(amongFew.client.statistics.sent == amongMany.client.statistics.sent)
        #expect(amongMany.client.statistics.sent > 450)
        amongMany.run(until: 250)
        let before = amongMany.client.statistics.sent
        amongMany.run(until: 260)
        #expect(amongMany.client.statistics.sent - before <= 12)
    }
}
