import AudioCore
import Testing

@testable import Listening

/// How fast a recorder lets itself be written to.
@Suite(.timeLimit(.minutes(5))) struct RecordingPaceTests {
    private static let rate = 8_000.0
    private let start = HostTime(nanoseconds: 5_000_000_000)

    private func frame(_ seconds: Double) -> FramePosition { FramePosition(Int64(seconds * Self.rate)) }

    /// A song as a broadcaster sends it that is `ppm` fast, ten seconds ahead, heard of `late`.
    private func isWhole(minutes: Int, ppm: Double, from first: Double = 0, late: TimeSpan = .zero) -> Bool {
        var pace = RecordingPace()
        pace.begin(Epoch(1), at: frame(first), rate: Self.rate, now: start + late)
        return (0..<minutes * 60).allSatisfy { second in
            let sent = first + (Double(second) + 10) * (1 + ppm * 1e-6)
            return pace.takes(upTo: frame(sent), now: start + .seconds(Int64(second)) + late * 0.1)
        }
    }

    @Test(arguments: [0, 500, -500]) func aSongIsTakenWhole(ppm: Double) {
        #expect(isWhole(minutes: 3, ppm: ppm))
        // A day of radio.
        #expect(isWhole(minutes: 24 * 60, ppm: ppm))
    }

    @Test func whoJoinsLateTakesItFromThereOn() {
        #expect(isWhole(minutes: 3, ppm: 200, from: 3_600))
    }

    /// What came first was held up for two seconds, by a connection that was nearly lost.
    @Test func aSlowNetworkIsNoHaste() {
        #expect(isWhole(minutes: 3, ppm: 200, late: .seconds(2)))
    }

    @Test func whatIsSentFasterIsNot() {
        var pace = RecordingPace()
        pace.begin(Epoch(1), at: .zero, rate: Self.rate, now: start)
        #expect(pace.takes(upTo: frame(15), now: start) == true)
        #expect(pace.takes(upTo: frame(15.1), now: start) == false)
        #expect(pace.takes(upTo: FramePosition(.max), now: start) == false)
        #expect(pace.takes(upTo: frame(25), now: start + .seconds(10)) == true)
        #expect(pace.takes(upTo: frame(26), now: start + .seconds(10)) == false)
    }

    /// Its clock stood still meanwhile, and the song went on.
    @Test func aSleepCountsAsTime() {
        var pace = RecordingPace()
        pace.begin(Epoch(1), at: .zero, rate: Self.rate, now: start)
        pace.noteSleep(for: .seconds(60))
        #expect(pace.takes(upTo: frame(75), now: start) == true)
        #expect(pace.takes(upTo: frame(77), now: start) == false)
    }

    /// Somebody stops one song after the other, of each of which ten seconds were recorded that were never played.
    @Test func songsThatAreBrokenOffDoNotUseItUp() {
        var pace = RecordingPace()
        var now = start
        for _ in 0..<20 {
            pace.begin(Epoch(1), at: .zero, rate: Self.rate, now: now)
            for second in 0...12 {
                #expect(pace.takes(upTo: frame(Double(second) + 10), now: now + .seconds(Int64(second))) == true)
            }
            now += .seconds(12)
        }
    }

    /// Somebody seeks again and again: of each place ten seconds came that a command cut off.
    @Test(arguments: [false, true]) func whatWasCutIsNotCounted(isDropped: Bool) {
        var pace = RecordingPace()
        for number in 1...60 {
            let (epoch, now) = (Epoch(UInt32(number)), start + .seconds(Int64(number)))
            pace.begin(epoch, at: frame(100), rate: Self.rate, now: now)
            #expect(pace.takes(frame(100)..<frame(110), of: epoch, now: now) == true)
            if isDropped { pace.drop(epoch) } else { pace.cut(epoch, at: frame(101)) }
        }
    }

    /// What was cut and goes on is in the file after all.
    @Test func whatWasCutAndGoesOnIsCounted() {
        var pace = RecordingPace()
        let taken = (1...100).count { number in
            pace.begin(Epoch(UInt32(number)), at: .zero, rate: Self.rate, now: start)
            defer {
                pace.cut(Epoch(UInt32(number)), at: .zero)
                pace.resume(Epoch(UInt32(number)))
            }
            return pace.takes(.zero..<frame(15), of: Epoch(UInt32(number)), now: start)
        }
        #expect(taken == 4)
    }

    /// To decode what is cut off is work for which there is a bound, too.
    @Test func cutsAreNoWayToWorkWithoutEnd() {
        var pace = RecordingPace()
        let taken = (1...1_000).count { number in
            pace.begin(Epoch(UInt32(number)), at: .zero, rate: Self.rate, now: start)
            defer { pace.drop(Epoch(UInt32(number))) }
            return pace.takes(.zero..<frame(15), of: Epoch(UInt32(number)), now: start)
        }
        #expect(taken == 40)
    }

    /// Pre-roll is decoded, and not recorded.
    @Test func prerollIsWorkToo() {
        var pace = RecordingPace()
        pace.begin(Epoch(1), at: FramePosition(1 << 52), rate: Self.rate, now: start)
        let taken = (0..<1_000).count { number in
            pace.takes(frame(Double(number) * 10)..<frame(Double(number) * 10 + 10), of: Epoch(1), now: start)
        }
        #expect(taken == 60)
    }

    /// An epoch that is heard again is judged by its own beginning.
    @Test func eachEpochIsJudgedByItsOwnFrames() {
        var pace = RecordingPace()
        pace.begin(Epoch(1), at: .zero, rate: Self.rate, now: start)
        pace.begin(Epoch(2), at: FramePosition(1 << 52), rate: Self.rate, now: start)
        #expect(pace.takes(.zero..<frame(15), of: Epoch(1), now: start) == true)
        #expect(pace.takes(frame(15)..<frame(16), of: Epoch(1), now: start) == false)
        #expect(pace.takes(.zero..<frame(1), of: Epoch(3), now: start) == false)
    }

    /// Nor where each ends with a packet of its beginning.
    @Test(arguments: [false, true]) func newEpochsAreNoWayAround(endsAtItsBeginning: Bool) {
        var pace = RecordingPace()
        var taken = 0.0
        for epoch in 0..<1_000 {
            let now = start + .milliseconds(Int64(epoch))
            pace.begin(Epoch(1), at: .zero, rate: Self.rate, now: now)
            if pace.takes(upTo: frame(15), now: now) { taken += 15 }
            if endsAtItsBeginning { _ = pace.takes(upTo: .zero, now: now) }
        }
        #expect(taken <= 62)
    }
}

extension RecordingPace {
    fileprivate mutating func takes(upTo end: FramePosition, now: HostTime) -> Bool {
        takes(end..<end, of: Epoch(1), now: now)
    }
}
