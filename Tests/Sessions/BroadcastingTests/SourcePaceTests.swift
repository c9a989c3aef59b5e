import AudioCore
import NIOCore
import Testing

@testable import Broadcasting

/// Sources that bring a song at a pace of their own, hour after hour.
@Suite(.timeLimit(.minutes(5)))
struct SourcePaceTests {
    /// A pipe into which a writer puts packets of 50 ms by a clock of its own, in bursts, or all at once.
    private struct Station {
        var broadcast = ScriptedBroadcast { $0.start = .now }
        let begun: HostTime
        let ppm: Double
        let burst: TimeSpan
        /// Seconds that it brings at first.
        var ahead = 2.0
        private var given = 0
        private var answered = 0
        private(set) var leads: [Double] = []
        private(set) var rates: [Double] = []

        init(ppm: Double, burst: TimeSpan) {
            (self.ppm, self.burst) = (ppm, burst)
            begun = broadcast.now
            broadcast.give(seconds: 1)
            given = 20
            answered = broadcast.readCount - 1
        }

        mutating func run(_ span: TimeSpan, jump: (at: TimeSpan, seconds: Double)? = nil) {
            let end = broadcast.now + span
            while broadcast.now < end {
                broadcast.now += .milliseconds(50)
                broadcast.handle(.tick)
                let age = broadcast.now - begun
                if let jump, age >= jump.at, ahead < 2 + jump.seconds { ahead += jump.seconds }
                let bursts = Double(age.nanoseconds / burst.nanoseconds) * burst.seconds
                let written = Int((bursts * (1 + ppm * 1e-6) + ahead) * 20)
                while given < written, answered < broadcast.readCount { give(1) }
                note(age)
            }
        }

        private mutating func give(_ count: Int) {
            let packets = (0..<count).map {
                AudioPacketDescription(startOffset: $0 * 800, byteCount: 800, frameCount: 400)
            }
            let data = ByteBuffer(repeating: 7, count: 800 * count)
            broadcast.source(.read(properties: [], packets: packets, data: data))
            given += count
            answered += 1
        }

        private mutating func note(_ age: TimeSpan) {
            guard let anchor = broadcast.session.anchor else { return }
            let rate = (anchor.framesPerSecond / ScriptedBroadcast.rate - 1) * 1e6
            if rates.last != rate { rates.append(rate) }
            guard age.nanoseconds % 60_000_000_000 < 50_000_000 else { return }
            let due = anchor.session(of: FramePosition(Int64(given) * 400))
            leads.append(Double(due.nanoseconds - broadcast.now.nanoseconds) * 1e-9)
        }
    }

    @Test(arguments: [-150, -40, 0, 40, 150.0]) func aStationsClockIsFollowed(ppm: Double) throws {
        var station = Station(ppm: ppm, burst: .milliseconds(250))
        station.run(.seconds(6 * 3_600))
        #expect(station.broadcast.notices.isEmpty)
        let rate = try #require(station.rates.last)
        #expect(abs(rate - ppm) < 15, "\(rate) ppm")
        let first = station.leads[1]
        #expect(station.leads.dropFirst().allSatisfy { abs($0 - first) < 0.6 }, "\(station.leads)")
        let steps = zip(station.rates, station.rates.dropFirst()).map { abs($0 - $1) }
        #expect(steps.allSatisfy { $0 < 10.1 })
    }

    /// Where no more is brought than is wanted the song is played as fast as it says.
    @Test func aSourceThatWaitsIsNotFollowed() {
        var station = Station(ppm: 100, burst: .milliseconds(250))
        station.ahead = 60
        station.run(.seconds(1_800))
        #expect(station.rates == [0])
    }

    /// A server that is reached again sends some seconds at once.
    @Test func aLeadThatJumpsIsNoDrift() {
        var station = Station(ppm: 20, burst: .milliseconds(250))
        station.run(.seconds(7_200), jump: (at: .seconds(3_600), seconds: 3))
        #expect(station.leads.last! > station.leads[1] + 2.5)
        #expect(station.rates.allSatisfy { abs($0) < 40 }, "\(station.rates)")
    }
}
