import AudioCore
import Testing

@testable import Playout

/// A listener that joins a song under way and starts as soon as its card is known: what a remembered rate is worth to
/// it, and what a wrong one costs.
@Suite(.timeLimit(.minutes(5))) struct RememberedRateTests {
    private struct Join {
        /// From the card's start to the first sound, in seconds.
        var silence: Double
        /// The true error in the first half second of sound, over 20 s, and in the last of them: at worst, in seconds.
        var first: Double
        var worst: Double
        var last: Double
        var replacements: Int
    }

    private func join(hint: Double?, burst: Int64, until end: Double = 1_020) -> Join {
        let rig = Rig(dac: VirtualDAC(ppm: 30, burst: burst), hint: hint)
        let timeline = rig.play(at: 999.5, fadesIn: true)
        rig.run(until: end)
        var join = Join(silence: .infinity, first: 0, worst: 0, last: 0, replacements: 0)
        for event in rig.events {
            if case .started(_, let frame, _, _) = event {
                join.silence = rig.dac.seconds(of: Double(frame.index)) - rig.dac.origin
            }
            if case .replaced = event { join.replacements += 1 }
        }
        guard join.silence.isFinite else { return join }
        // From the end of the fade in, where no re-placement is under way.
        var frame = Int64((join.silence + 0.01) * 48_000)
        // The pilot tells a position to within half its period: what it was tells which.
        var recent = 0.0
        while frame < rig.written - 7_200 {
            if rig.sample(frame, 0) * rig.sample(frame, 0) + rig.sample(frame, 1) * rig.sample(frame, 1) > 0.2 {
                let wanted = rig.wantedPosition(at: frame, on: timeline)
                recent = rig.heardPosition(at: frame, near: wanted + recent) - wanted
                let error = abs(recent) / timeline.framesPerSecond
                join.worst = max(join.worst, error)
                if Double(frame) / 48_000 > end - 1_001 { join.last = max(join.last, error) }
                if Double(frame) / 48_000 < join.silence + 0.5 { join.first = max(join.first, error) }
            }
            frame += 480
        }
        return join
    }

    /// A right memory halves the silence before the first sound, at the least.
    @Test(arguments: [Int64(1), 240]) func aRightMemoryIsWorthTheWait(burst: Int64) {
        let (known, unknown) = (join(hint: 31.5, burst: burst), join(hint: nil, burst: burst))
        say(known, hint: 31.5, burst)
        say(unknown, hint: nil, burst)
        #expect(known.silence < unknown.silence * 0.6)
        #expect(known.first < max(5e-6, unknown.first * 1.1))
        #expect(known.worst < max(5e-6, unknown.worst * 1.1))
        #expect(known.replacements == 0)
    }

    /// Another card behind the same name, a crystal like other crystals: it is followed all the same.
    @Test(arguments: [42, -10] as [Double], [Int64(1), 240])
    func aWrongMemoryCostsLittle(hint: Double, burst: Int64) {
        let seen = join(hint: hint, burst: burst)
        say(seen, hint: hint, burst)
        #expect(seen.worst < 300e-6)
        #expect(seen.last < 100e-6)
        #expect(seen.replacements == 0)
    }

    /// A memory that no other crystal would have left: one re-placement at the most mends it.
    @Test(arguments: [120, -270] as [Double], [Int64(1), 240])
    func anAbsurdMemoryCostsAReplacement(hint: Double, burst: Int64) {
        let seen = join(hint: hint, burst: burst)
        say(seen, hint: hint, burst)
        #expect(seen.worst < 2e-3)
        #expect(seen.replacements <= 1)
    }

    private func say(_ join: Join, hint: Double?, _ burst: Int64) {
        let name = hint.map { "\($0) ppm" } ?? "nothing"
        print(
            "card at 30 ppm, remembered \(name), bursts of \(burst): silent \(join.silence) s, "
                + "first half second \(join.first * 1e6) us, worst \(join.worst * 1e6) us, "
                + "last second \(join.last * 1e6) us, \(join.replacements) re-placements")
    }
}
