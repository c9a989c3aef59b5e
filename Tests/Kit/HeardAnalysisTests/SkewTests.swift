import AudioCore
import HeardAnalysis
import Testing

/// What a card at this true rate records of `song`, heard `delay` seconds after it began.
func heard(
    _ song: TestSong, delay: Double = 0, ppm: Double = 0, sampleRate: Double = 48_000, lead: Double = 0.2
) -> HeardRecording {
    let rate = sampleRate * (1 + ppm * 1e-6)
    let start = 1_000_000_000_000.0
    return HeardRecording(
        sampleRate: sampleRate, channels: song.channels,
        samples: song.samples(from: -lead - delay, rate: rate, count: Int((song.duration + 2 * lead) * rate)),
        segments: [
            .init(
                firstFrame: 0, host: HostTime(nanoseconds: Int64(start - lead * 1e9)), framesPerSecond: rate)
        ])
}

@Suite(.timeLimit(.minutes(5))) struct SkewTests {
    let song = TestSong(duration: 2.5)

    @Test func fiveMillisecondsReadFive() throws {
        let report = skew(between: heard(song), and: heard(song, delay: 0.005))
        #expect(report.windows.count == 5)
        #expect(report.unlikeWindows.isEmpty)
        for window in report.windows { #expect(abs(window.skew - 0.005) < 0.1e-6) }
        #expect(abs(try #require(report.onsetSkew) - 0.005) < 0.1e-3)
    }

    @Test func aFractionOfAFrameIsRead() {
        let report = skew(between: heard(song), and: heard(song, delay: -7.3e-6))
        #expect(report.windows.count == 5)
        for window in report.windows { #expect(abs(window.skew + 7.3e-6) < 0.1e-6) }
    }

    @Test func cardsOfDifferentRatesAreComparedInAbsoluteTime() {
        let report = skew(
            between: heard(song, ppm: 40), and: heard(song, delay: 20e-6, ppm: -35, sampleRate: 44_100))
        #expect(report.windows.count == 5)
        for window in report.windows { #expect(abs(window.skew - 20e-6) < 0.1e-6) }
    }

    @Test func driftShows() throws {
        // The second recording's sidecar lies about its rate by 50 ppm: 50 us after a second.
        var second = heard(song)
        second.segments[0].framesPerSecond *= 1 + 50e-6
        let windows = skew(between: heard(song), and: second).windows
        let drift = try #require(windows.last).skew - (try #require(windows.first)).skew
        #expect(abs(drift + 100e-6) < 1e-6)
    }

    @Test func anotherSongIsUnlike() {
        let report = skew(between: heard(song), and: heard(TestSong(duration: 2.5, seed: 2)))
        #expect(report.windows.isEmpty)
        #expect(report.unlikeWindows.count == 5)
    }

    @Test func sixteenBitsDoNotHurt() {
        func rounded(_ recording: HeardRecording) -> HeardRecording {
            var result = recording
            result.samples = recording.samples.map { ($0 * 32_768).rounded() / 32_768 }
            return result
        }
        let report = skew(between: rounded(heard(song)), and: rounded(heard(song, delay: 3e-6)))
        for window in report.windows { #expect(abs(window.skew - 3e-6) < 0.1e-6) }
    }

    @Test func percentilesAreOfMagnitudes() {
        let values = (1...100).map(Double.init)
        #expect(heardPercentile(0.5, of: values) == 50)
        #expect(heardPercentile(0.99, of: values) == 99)
        #expect(heardPercentile(1, of: values) == 100)
        #expect(heardPercentile(0.5, of: []) == nil)
    }
}
