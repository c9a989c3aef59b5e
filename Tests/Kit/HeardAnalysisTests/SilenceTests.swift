import AudioCore
import HeardAnalysis
import Testing

@Suite(.timeLimit(.minutes(5))) struct SilenceTests {
    let song = TestSong(duration: 2)

    @Test func aSongHasNone() {
        #expect(heard(song).silences().isEmpty)
    }

    @Test func aGapIsFoundToTheFrame() throws {
        var recording = heard(song)
        let range = 48_000..<52_800
        for sample in range.lowerBound * 2..<range.upperBound * 2 { recording.samples[sample] = 0 }
        let silences = recording.silences()
        let silence = try #require(silences.first)
        #expect(silences.count == 1)
        let start = try #require(recording.time(ofFrame: Double(range.lowerBound)))
        #expect(abs(silence.lowerBound - start) < 1e6)
        #expect(abs(silence.upperBound - start - 0.1e9) < 1e6)
        #expect(recording.silences(longerThan: 0.11).isEmpty)
    }

    @Test func aBreakBetweenSegmentsIsSilent() throws {
        var recording = heard(song)
        let resumed = try #require(recording.time(ofFrame: 48_000))
        recording.segments.append(
            .init(
                firstFrame: 48_000, host: HostTime(nanoseconds: Int64(resumed + 3e9)),
                framesPerSecond: recording.segments[0].framesPerSecond))
        let silences = recording.silences()
        #expect(silences.count == 1)
        #expect(abs(try #require(silences.first).upperBound - resumed - 3e9) < 1e6)
    }

    @Test func whatIsMutedIsNotHeard() throws {
        let recording = heard(song)
        let time = try #require(recording.time(ofFrame: 60_000))
        let muted = recording.muted(before: time)
        let first = try #require(muted.firstAudibleFrame())
        #expect((60_000..<60_100).contains(first))
        #expect(muted.samples[(first * 2)...] == recording.samples[(first * 2)...])
        #expect(recording.muted(before: 0).samples == recording.samples)
    }
}
