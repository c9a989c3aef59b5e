import AudioCore
import Playout
import Testing

@testable import AudioQueueServices

/// Streams that follow one another, and cuts.
@Suite(.timeLimit(.minutes(5))) struct TimelineQueueTests {
    /// The card's frame with which the first song begins.
    private static let start: Int64 = 48_000
    private let start = TimelineQueueTests.start

    /// A rig that has run for a while.
    private func makeRig() throws -> TimelineRig {
        let rig = try TimelineRig()
        rig.run(to: 24_000)
        return rig
    }

    // MARK: Append

    @Test(
        arguments: [[20_011, 9_600], [20_011, 333, 9_600], [48, 47, 20_000], [20_000, 20_000, 20_000]] as [[Int64]])
    func streamsFollowOneAnotherWithoutAGap(lengths: [Int64]) throws {
        let rig = try makeRig()
        var first: Int64 = 0
        for (index, length) in lengths.enumerated() {
            let offset = first
            rig.append(UInt32(index + 1), 0..<length, due: start + offset) { TimelineRig.sample(offset + $0) }
            first += length
        }
        rig.run(to: start + first + 9_600)
        #expect(rig.isSilent(0..<start))
        #expect(rig.isExact(start..<start + first, from: 0))
        #expect(rig.isSilent(start + first..<rig.pointer))
        #expect(Set(rig.course) == Set((1...lengths.count).flatMap { ["started \($0)", "finished \($0)"] }))
        #expect(rig.core.snapshot.playout.replacementCount == 0)
    }

    /// A level of one half: a gap or a fade would reach zero.
    @Test(arguments: [[44_100, 48_000], [48_000, 44_100], [48_000, 96_000, 32_000]] as [[Double]])
    func streamsOfOtherRatesAndFormatsFollowWithoutAGap(rates: [Double]) throws {
        let rig = try makeRig()
        var due = start
        for (index, rate) in rates.enumerated() {
            let epoch = Epoch(UInt32(index + 1))
            let channels = index + 1
            let stream = TimelineQueueStream(
                epoch: epoch,
                format: .linearPCM(
                    sampleRate: rate, channels: channels, bitsPerChannel: 16, bytesPerSample: 2,
                    layout: .signedInteger))
            #expect(rig.core.append(stream))
            let packet: [UInt8] = (0..<480 * channels * 2).map { $0 % 2 == 0 ? 0 : 0x40 }
            // A quarter of a second.
            let count = Int64(rate / 4)
            for first in stride(from: Int64(0), to: count, by: 480) {
                let frames = min(480, Int(count - first))
                let admission = rig.core.enqueue(
                    packet.span.bytes.extracting(first: frames * channels * 2), frame: FramePosition(first),
                    frameCount: frames, epoch: epoch)
                #expect(admission == .accepted)
            }
            rig.core.finish(at: FramePosition(count), epoch: epoch, packetsFollow: false)
            rig.setTimeline(epoch.number, 0, due: due, rate: rate)
            due += 12_000
        }
        rig.run(to: due + 9_600)
        let heard = rig.output[Int(start) + 100..<Int(due) - 100]
        #expect(heard.allSatisfy { $0 > 0.3 && $0 < 0.7 }, "\(heard.min() ?? 0)...\(heard.max() ?? 0)")
        #expect(rig.course.count == 2 * rates.count)
    }

    @Test func eachStreamKeepsItsGain() throws {
        let rig = try makeRig()
        let gains: [Float] = [0.5, 3]
        for (index, gain) in gains.enumerated() {
            var stream = TimelineRig.stream(UInt32(index + 1))
            stream.gain = gain
            #expect(rig.core.append(stream))
            rig.enqueue(UInt32(index + 1), 0..<9_600)
            rig.core.finish(at: FramePosition(9_600), epoch: stream.epoch, packetsFollow: false)
            rig.setTimeline(UInt32(index + 1), 0, due: start + Int64(index) * 9_600)
        }
        rig.run(to: start + 24_000)
        #expect(rig.isExact(start..<start + 9_600, from: 0) { 0.5 * TimelineRig.sample($0) })
        #expect(rig.isExact(start + 9_600..<start + 19_200, from: 0) { 3 * TimelineRig.sample($0) })
    }

    @Test func behindNoOtherEpochAppendingIsBeginning() throws {
        let rig = try makeRig()
        #expect(rig.append(7, 0..<9_600, due: start))
        rig.run(to: start + 20_000)
        #expect(rig.isExact(start..<start + 9_600, from: 0))
        #expect(rig.course == ["started 7", "finished 7"])
    }

    /// It is joined in the middle, in step, as soon as the device allows.
    @Test(arguments: [-400, 100, 4_000, 30_000] as [Int64])
    func anEpochThatComesLateIsJoinedInStep(delay: Int64) throws {
        let rig = try makeRig()
        rig.append(1, 0..<9_600, due: start)
        let joint = start + 9_600
        rig.run(to: joint + delay)
        rig.append(2, 0..<96_000, due: joint)
        rig.run(to: joint + delay + 9_600)
        #expect(rig.isExact(start..<joint, from: 0))
        let joined = max(joint, joint + delay + 4 * 240 + 240)
        #expect(rig.isExact(joined..<joined + 4_800, from: joined - joint))
        #expect(rig.course == ["started 1", "finished 1", "started 2"] || delay < 0)
    }

    @Test func moreEpochsThanTheLimitAreRefusedUntilThereIsRoom() throws {
        let rig = try makeRig()
        for number in 1...4 as ClosedRange<UInt32> {
            #expect(rig.append(number, 0..<9_600, due: start + Int64(number - 1) * 9_600))
        }
        #expect(!rig.append(5, 0..<9_600, due: nil))
        #expect(rig.enqueue(5, 0..<480) == .notPlaying)
        // A late or repeated one is refused as well.
        #expect(!rig.append(4, 0..<9_600, due: nil) && !rig.append(2, 0..<9_600, due: nil))
        rig.run(to: start + 9_600 + 4_800)
        #expect(rig.append(5, 0..<9_600, due: start + 4 * 9_600))
        rig.run(to: start + 60_000)
        for number in 0..<5 as Range<Int64> {
            let first = start + number * 9_600
            #expect(rig.isExact(first..<first + 9_600, from: 0))
        }
        #expect(rig.course.filter { $0.hasPrefix("finished") } == (1...5).map { "finished \($0)" })
    }

    @Test func anEpochThatCannotBeDecodedLeavesTheOthersAlone() throws {
        let rig = try makeRig()
        rig.append(1, 0..<9_600, due: start)
        var stream = TimelineRig.stream(2)
        stream.format.codec = Codec("????")
        #expect(rig.core.append(stream))
        rig.setTimeline(2, 0, due: start + 9_600)
        rig.append(3, 0..<9_600, due: start + 9_600)
        rig.run(to: start + 30_000)
        #expect(rig.isExact(start..<start + 9_600, from: 0))
        #expect(rig.isExact(start + 9_600..<start + 19_200, from: 0))
        #expect(rig.events.contains { if case .cannotDecode(Epoch(2), _) = $0 { true } else { false } })
    }

    /// It has no end, and its packets go on.
    @Test func aNewerEpochThatComesDueEndsTheOlderOne() throws {
        let rig = try makeRig()
        rig.append(1, 0..<400_000, due: start, isEnded: false)
        rig.run(to: start + 4_800)
        let next = start + 24_000
        rig.append(2, 0..<9_600, due: next)
        rig.run(to: next + 20_000)
        #expect(rig.isExact(start..<next - 480 - 72, from: 0))
        #expect(rig.isSilent(next - 72..<next))
        #expect(rig.isExact(next..<next + 9_600, from: 0))
        #expect(rig.course == ["started 1", "started 2", "stopped 1", "finished 2"])
    }

    // MARK: Cut

    @Test func aCutPausesOnTheExactFrameAndTheSoundGoesOnWithTheNext() throws {
        let rig = try makeRig()
        rig.append(1, 0..<96_000, due: start)
        rig.run(to: start + 4_800)
        let cut: Int64 = 20_011
        rig.cut(1, at: cut)
        rig.run(to: start + cut + 20_000)
        #expect(rig.isExact(start..<start + cut - 480, from: 0))
        let out = rig.gains(start + cut - 480..<start + cut, from: cut - 480)
        #expect(zip(out, out.dropFirst()).allSatisfy { $0 > $1 } && out[0] > 0.999 && out[479] > 0 && out[479] < 0.001)
        #expect(rig.isSilent(start + cut..<rig.pointer))
        #expect(rig.course == ["started 1", "stopped 1"])

        let resumed = start + cut + 30_000
        rig.setTimeline(1, cut, due: resumed)
        rig.run(to: resumed + 96_000)
        #expect(rig.isSilent(start + cut..<resumed))
        // By rounding, the first frame may count as past.
        let into = rig.gains(resumed + 1..<resumed + 481, from: cut + 1)
        #expect(zip(into, into.dropFirst()).allSatisfy { $0 < $1 } && into[0] > 0 && into[0] < 0.001)
        #expect(rig.isExact(resumed + 481..<resumed + 96_000 - cut, from: cut + 481))
        #expect(rig.course == ["started 1", "stopped 1", "started 1", "finished 1"])
    }

    /// A seek, or the next song.
    @Test(arguments: [0, 4_800] as [Int64]) func aNewerEpochsTimelineDropsWhatIsHeldBeyondACut(gap: Int64) throws {
        let rig = try makeRig()
        rig.append(1, 0..<96_000, due: start)
        rig.run(to: start + 4_800)
        rig.cut(1, at: 20_000)
        let next = start + 20_000 + gap
        rig.append(2, 0..<9_600, due: nil)
        #expect(rig.enqueue(1, 96_000..<96_480) == .accepted)
        rig.setTimeline(2, 0, due: next)
        #expect(rig.enqueue(1, 96_480..<96_960) == .notPlaying)
        // Too late to resume.
        rig.setTimeline(1, 20_000, due: next + 30_000)
        rig.run(to: next + 48_000)
        // It makes room for the filter of what follows at once.
        let last = min(start + 20_000, next - 72)
        #expect(rig.isExact(start..<last - 480, from: 0))
        #expect(rig.gains(last - 480..<last, from: last - 480 - start).allSatisfy { $0 > 0 && $0 < 1 })
        #expect(rig.isSilent(last..<next))
        #expect(rig.isExact(next..<next + 9_600, from: 0))
        #expect(rig.isSilent(next + 9_600..<rig.pointer))
        #expect(rig.course.filter { $0 != "started 2" } == ["started 1", "stopped 1", "finished 2"])
        #expect(rig.events.contains(.playout(.retired(epoch: Epoch(1)))))
        #expect(rig.core.snapshot.feeder.epoch == Epoch(2))
    }

    @Test func whatStandsBehindACutWaitsUntilItIsResumed() throws {
        let rig = try makeRig()
        rig.append(1, 0..<20_000, due: start)
        rig.append(2, 0..<9_600, due: start + 20_000) { TimelineRig.sample(20_000 + $0) }
        // The joint lies in the device already.
        rig.run(to: start + 17_000)
        rig.cut(1, at: 19_000)
        rig.run(to: start + 40_000)
        #expect(rig.isExact(start..<start + 19_000 - 480, from: 0))
        #expect(rig.isSilent(start + 19_000..<rig.pointer))
        let resumed = start + 48_000
        rig.setTimeline(1, 19_000, due: resumed)
        rig.setTimeline(2, 0, due: resumed + 1_000)
        rig.run(to: resumed + 20_000)
        #expect(rig.isExact(resumed + 481..<resumed + 10_600, from: 19_481))
        #expect(rig.course.last == "finished 2")
    }

    @Test(arguments: [0, -5, 100, 479] as [Int64]) func aCutBeforeTheStartIsSilenceUntilItIsResumed(cut: Int64) throws {
        let rig = try makeRig()
        rig.append(1, 0..<20_000, due: start)
        rig.cut(1, at: cut)
        rig.run(to: start + 4_800)
        // There is no time for a fade.
        #expect(rig.isSilent(0..<rig.pointer))
        rig.setTimeline(1, max(0, cut), due: start + 24_000)
        rig.run(to: start + 60_000)
        #expect(rig.isSilent(start..<start + 24_000))
        #expect(rig.isExact(start + 24_481..<start + 44_000 - max(0, cut), from: max(0, cut) + 481))
        #expect(rig.course.last == "finished 1")
    }

    /// The new timeline comes while the fade out is heard, before and after it was planned; the sound goes on at once,
    /// or soon.
    @Test(arguments: [-6_000, -3_000, -240] as [Int64], [0, 100, 4_000] as [Int64])
    func theSoundGoesOnIfItIsResumedWithinTheFade(told: Int64, pause: Int64) throws {
        let rig = try makeRig()
        let cut: Int64 = 20_000
        rig.append(1, 0..<60_000, due: start)
        rig.run(to: start + 4_800)
        rig.cut(1, at: cut)
        rig.run(to: start + cut + told)
        rig.setTimeline(1, cut, due: start + cut + pause)
        rig.run(to: start + 80_000)
        let end = start + cut
        #expect(rig.isExact(start..<end - 482, from: 0))
        // As soon as the device allows, and half an immediate silence at most.
        let resumed = end + pause
        let latest = max(resumed, end + told + 4 * 240) + 960
        #expect(rig.isExact(latest..<start + 60_000 + pause, from: latest - resumed + cut))
        #expect(rig.isSilent(end..<resumed))
        #expect(rig.course.last == "finished 1")
        #expect(rig.core.snapshot.playout.replacementCount == 0)
    }

    /// The cut comes when the next epoch is heard already: that was to begin at an end which is none.
    @Test func aCutThatComesAfterTheEndSilencesWhatFollowed() throws {
        let rig = try makeRig()
        rig.append(1, 0..<9_600, due: start)
        rig.append(2, 0..<96_000, due: start + 9_600)
        rig.run(to: start + 30_000)
        #expect(rig.events.contains(.playout(.retired(epoch: Epoch(1)))))
        rig.cut(1, at: 9_000)
        let told = rig.pointer
        rig.run(to: told + 9_600)
        #expect(rig.isSilent(told + 480 + 480..<rig.pointer))
        // An older one has nothing to say once a cut was followed by something newer.
        rig.append(3, 0..<96_000, due: told + 20_000)
        rig.cut(1, at: 9_000)
        rig.run(to: told + 40_000)
        #expect(rig.isExact(told + 20_000..<told + 40_000, from: 0))
    }

    @Test func cutsOfWhatIsNotKnownAreIgnored() throws {
        let rig = try makeRig()
        rig.cut(1, at: 0)
        rig.append(2, 0..<9_600, due: start)
        rig.cut(1, at: 0)
        rig.cut(9, at: 0)
        rig.cut(2, at: .max)
        rig.run(to: start + 20_000)
        #expect(rig.isExact(start..<start + 9_600, from: 0))
        #expect(rig.course == ["started 2", "finished 2"])
        rig.cut(2, at: .min)
        rig.setTimeline(2, .max, due: rig.pointer)
        rig.run(to: rig.pointer + 9_600)
    }
}
