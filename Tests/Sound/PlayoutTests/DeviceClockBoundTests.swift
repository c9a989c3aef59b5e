import Testing

@testable import Playout

/// The truth lies within the published bound, whatever a device does to its readings.
@Suite(.timeLimit(.minutes(5))) struct DeviceClockBoundTests {
    private func expectWithinBound(
        _ sight: CardReader.Sight, _ name: String, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        print("\(name): \(sight.summary)")
        #expect(sight.lookCount > 0, "\(name): never ready", sourceLocation: sourceLocation)
        #expect(sight.worstRatio <= 1, "\(name): \(sight.summary)", sourceLocation: sourceLocation)
    }

    private static let periods = [0.001, 0.002, 0.005, 0.0107]

    // MARK: Coarse cards

    /// Woken by its bursts, some microseconds late: the edge is seen, and known as well as that of a fine pointer.
    @Test(arguments: [48, 240, 384] as [Int64], [-1_000, -35, 40, 1_000] as [Double])
    func aCardThatWakesWithItsBurstsShowsTheEdge(burst: Int64, ppm: Double) {
        var reader = CardReader(VirtualDAC(ppm: ppm, burst: burst))
        reader.occasion = .wake
        reader.isWoken = true
        let sight = reader.read(until: 1_000 + BuildMode.seconds(30, debug: 2)) { reading, random in
            (reading.frame, reading.host - 30e-6 * logarithm(1 - 0.999 * random.next()))
        }
        expectWithinBound(sight, "woken, burst \(burst), \(ppm) ppm")
        if BuildMode.isOptimised { #expect(sight.lastBound < 5e-6, "\(sight.summary)") }
    }

    @Test(arguments: [1, 48, 240, 384] as [Int64], [-1_000, -35, 40, 1_000] as [Double])
    func aCardThatCountsInBurstsStaysWithinItsBound(burst: Int64, ppm: Double) {
        for period in Self.periods {
            for jitter in [0.2, 0.02] {
                var reader = CardReader(VirtualDAC(ppm: ppm, burst: burst))
                reader.period = period
                reader.jitter = jitter
                let sight = reader.read(until: 1_000 + BuildMode.seconds(30, debug: 2))
                expectWithinBound(sight, "burst \(burst), \(ppm) ppm, read every \(period * 1e3) ms +-\(jitter / 2)")
            }
        }
    }

    /// A fine pointer that is read at a pace that never varies goes down in stairs of a frame.
    @Test(arguments: [-35, 40] as [Double]) func anEvenPaceIsNoStepOfTheClock(ppm: Double) {
        for period in [0.001, 0.005, 0.02] {
            var reader = CardReader(VirtualDAC(ppm: ppm))
            reader.period = period
            reader.jitter = 0
            let sight = reader.read(until: 1_000 + BuildMode.seconds(30, debug: 2))
            // Where within a frame the readings of the first stair lie, nothing tells before the second.
            #expect(sight.worstError < 2.5 / 48_000, "\(sight.summary)")
            #expect(sight.lastError < 1e-6 && sight.lastError < sight.lastBound, "\(sight.summary)")
            let relearned = reader.model.relearnCount
            #expect(relearned == 0)
        }
    }

    // MARK: Trouble

    @Test(arguments: [1, 48, 240] as [Int64]) func delaysThatLag(burst: Int64) {
        for period in Self.periods {
            var reader = CardReader(VirtualDAC(ppm: 40, burst: burst))
            reader.period = period
            // The delay is as old as up to 2 ms.
            let sight = reader.read(until: 1_000 + BuildMode.seconds(30, debug: 2)) { reading, random in
                (reading.frame - Int64(random.next() * 96), reading.host)
            }
            expectWithinBound(sight, "lagging, burst \(burst), every \(period * 1e3) ms")
        }
    }

    @Test func delaysThatJump() {
        for period in Self.periods {
            var reader = CardReader(VirtualDAC(ppm: 40))
            reader.period = period
            // One reading of 300 is a period of 5 ms ahead, one behind.
            let sight = reader.read(until: 1_000 + BuildMode.seconds(30, debug: 2)) { reading, random in
                let number = random.next()
                return (reading.frame + (number < 1.0 / 300 ? 240 : number > 299.0 / 300 ? -240 : 0), reading.host)
            }
            expectWithinBound(sight, "jumping, every \(period * 1e3) ms")
        }
    }

    @Test func pointersThatFreeze() {
        for period in Self.periods {
            var reader = CardReader(VirtualDAC(ppm: -35))
            reader.period = period
            // For 120 ms of each second the pointer stands still, and then goes on as if nothing had been.
            let sight = reader.read(until: 1_000 + BuildMode.seconds(30, debug: 2)) { [dac = reader.dac] reading, _ in
                let phase = reading.host - reading.host.rounded(.down)
                return (phase > 0.88 ? dac.pointer(at: reading.host - phase + 0.88) : reading.frame, reading.host)
            }
            expectWithinBound(sight, "freezing, every \(period * 1e3) ms")
        }
    }

    @Test(arguments: [1, 48, 240] as [Int64]) func oneStampInAHundredLiesEarly(burst: Int64) {
        for period in Self.periods {
            var reader = CardReader(VirtualDAC(ppm: 40, burst: burst))
            reader.period = period
            let sight = reader.read(until: 1_000 + BuildMode.seconds(30, debug: 2)) { reading, random in
                let lie = random.next() < 0.01 ? 5e-6 + 495e-6 * random.next() : 0
                return (reading.frame, reading.host - lie)
            }
            expectWithinBound(sight, "lying, burst \(burst), every \(period * 1e3) ms")
            // Lies of less than some 25 us are not told from the truth; with bursts, none are.
            #expect(sight.lastError < (burst == 1 ? 30e-6 : 500e-6), "\(sight.summary)")
        }
    }

    @Test func stampsThatAreMissing() {
        for period in Self.periods {
            var reader = CardReader(VirtualDAC(ppm: 40))
            reader.period = period
            reader.slack = 5e-6
            // Then the end of the reading serves, which is late by what the reading took; one in ten is lost whole.
            let sight = reader.read(until: 1_000 + BuildMode.seconds(30, debug: 2)) { reading, random in
                if random.next() < 0.1 { return nil }
                return (reading.frame, reading.host + 2e-6 - 20e-6 * logarithm(1 - 0.999 * random.next()))
            }
            expectWithinBound(sight, "unstamped, every \(period * 1e3) ms")
        }
    }
}
