import AudioCore
import HeardAnalysis
import Testing

@Suite(.timeLimit(.minutes(5))) struct ReferenceComparisonTests {
    static let song = TestSong(duration: 2.5)
    static let reference = song.recording(sampleRate: 44_100)
    static let whole = heard(song, delay: 0.0123, ppm: 40, lead: 0.5)

    func compareWithReference(_ recording: HeardRecording) -> ReferenceReport {
        compare(recording, with: Self.reference)
    }

    @Test func aPerfectRecordingIsClean() {
        let report = compareWithReference(Self.whole)
        #expect(report.isClean, "\(report.blemishes)")
        #expect(report.worstLevel < -85)
        #expect(abs(report.gain - 1) < 0.001)
        #expect(abs(report.speedPartsPerMillion + 40) < 0.5)
        #expect(abs(report.firstFrame - 0.5123 * 48_000 * (1 + 40e-6)) < 0.05)
    }

    /// Of two channels; one of them soon after the song's beginning.
    @Test(arguments: [63_580, 80_000]) func aDroppedFrameIsFound(sample: Int) {
        var recording = Self.whole
        recording.samples.removeSubrange(sample..<sample + 2)
        let report = compareWithReference(recording)
        #expect(report.isFound)
        let jump = report.blemishes.compactMap(\.jump).reduce(0, +)
        #expect(abs(jump - 1.0 / 48_000) < 5e-6)
        #expect(report.blemishes.contains { $0.level != nil })
    }

    @Test func aRepeatedFrameIsFound() {
        var recording = Self.whole
        recording.samples.insert(contentsOf: recording.samples[80_000..<80_002], at: 80_000)
        #expect(!compareWithReference(recording).isClean)
    }

    /// A listener by radio may begin with a rate that is off, and knows better soon.
    @Test func aSpeedThatComesRightAtTheStartIsNoJump() {
        var recording = Self.whole
        recording.samples = []
        var from = -0.5123
        for (seconds, ppm) in [(0.6123, 70.0), (0.1, 60), (0.1, 50), (2.7, 40)] {
            let rate = 48_000 * (1 + ppm * 1e-6)
            let count = Int(seconds * rate)
            recording.samples += Self.song.samples(from: from, rate: rate, count: count)
            from += Double(count) / rate
        }
        let report = compareWithReference(recording)
        #expect(report.isClean, "\(report.blemishes)")
    }

    @Test func aClickIsFound() throws {
        var recording = Self.whole
        recording.samples[100_001] += 0.05
        let report = compareWithReference(recording)
        #expect(report.blemishes.count == 1)
        let position = 50_000.0 / 48_000 - 0.5123
        #expect(abs(try #require(report.blemishes.first).position - position) < 0.011)
    }

    @Test func aGapIsFound() {
        var recording = Self.whole
        for index in 100_000..<100_480 { recording.samples[index] = 0 }
        #expect(!compareWithReference(recording).isClean)
    }

    @Test(arguments: [true, false]) func aMissingEndIsFound(atTheFront: Bool) {
        var recording = Self.whole
        let count = Int((0.5123 + 0.02) * 48_000)
        let end = Int((0.5123 + 2.48) * 48_000)
        for frame in atTheFront ? 0..<count : end..<recording.frameCount {
            recording.samples[2 * frame] = 0
            recording.samples[2 * frame + 1] = 0
        }
        let report = compareWithReference(recording)
        #expect(report.isFound)
        #expect(!report.isClean)
    }

    @Test func soundAfterTheEndIsFound() {
        var recording = Self.whole
        for frame in 0..<480 { recording.samples[2 * (frame + 150_000)] = 0.01 }
        #expect(!compareWithReference(recording).isClean)
    }

    @Test func oneChannelAloneIsJudged() {
        var recording = Self.whole
        for frame in 60_000..<70_000 { recording.samples[2 * frame + 1] = 0 }
        #expect(!compareWithReference(recording).isClean)
    }

    @Test func aBreakIsCounted() {
        var recording = Self.whole
        let segment = recording.segments[0]
        recording.segments.append(
            .init(
                firstFrame: 60_000, host: segment.host + .milliseconds(1_300), framesPerSecond: segment.framesPerSecond)
        )
        #expect(compareWithReference(recording).breaks == 1)
    }

    @Test func aLateJoinIsComparedFromWhereItBegan() {
        var recording = Self.whole
        let joined = Int((0.5123 + 1.2) * 48_000 * (1 + 40e-6))
        for index in 0..<2 * joined { recording.samples[index] = 0 }
        var options = ReferenceOptions()
        options.firstReferenceFrame = Int(1.25 * 44_100)
        let report = compare(recording, with: Self.reference, options: options)
        #expect(report.isClean, "\(report.blemishes)")
    }

    @Test func anotherSongIsNotFound() {
        #expect(!compareWithReference(heard(TestSong(duration: 2.5, seed: 2))).isFound)
    }
}
