import AudioCore
import HeardAnalysis
import StreamTestKit
import TestbedKit
import Testing
import VirtualDevices

/// Where a listener that plays a song, and pauses in it, is found to be.
@Suite(.timeLimit(.minutes(5))) struct HeardPauseTests {
    private static let song = MarkedSong(number: 1, seconds: 6)
    private static let rate = MarkedSong.rate
    /// When the recording begins.
    private static let start = 1_000_000_000_000.0
    private let samples: [Float]

    init() throws {
        let directory = TemporaryDirectory()
        try Self.song.write(to: "\(directory.path)/song.wav")
        samples = try HeardRecording(path: "\(directory.path)/song.wav").samples
    }

    /// The song up to 3 s, half a second of silence, and the song from `next` frames behind that on; both ends faded.
    private func ear(next: Int) -> Ear {
        let (cut, fade) = (Int(3 * Self.rate), Int(0.01 * Self.rate))
        var before = Array(samples[..<(cut * 2)])
        var after = Array(samples[((cut + next) * 2)...])
        for index in 0..<fade * 2 {
            let gain = Float(index / 2) / Float(fade)
            before[before.count - 1 - index] *= gain
            after[index] *= gain
        }
        let pause = [Float](repeating: 0, count: Int(0.5 * Self.rate) * 2)
        return Ear(
            HeardRecording(
                sampleRate: Self.rate, channels: 2, samples: before + pause + after,
                segments: [
                    .init(firstFrame: 0, host: HostTime(nanoseconds: Int64(Self.start)), framesPerSecond: Self.rate)
                ]))
    }

    @Test func aPlaceIsFoundToAFractionOfAFrame() throws {
        let ear = ear(next: 0)
        let first = try #require(ear.start(of: Self.song, heardAt: Self.start + 2e9))
        #expect(abs(first - Self.start) < 1_000)
        let second = try #require(ear.start(of: Self.song, heardAt: Self.start + 4e9))
        #expect(abs(second - Self.start - 0.5e9) < 1_000)
        #expect(ear.start(of: MarkedSong(number: 0, seconds: 6), heardAt: Self.start + 2e9) == nil)
    }

    @Test func aSongThatGoesOnWhereItStoppedIsWhole() throws {
        let pause = try #require(ear(next: 0).pause(in: Self.song, from: Self.start + 2.5e9))
        #expect(abs(pause.lastPlace - 3) < 0.001)
        #expect((0..<0.001).contains(pause.missing))
    }

    @Test(arguments: [-441, 88]) func framesThatAreMissingOrTwiceAreFound(next: Int) throws {
        let whole = try #require(ear(next: 0).pause(in: Self.song, from: Self.start + 2.5e9))
        let pause = try #require(ear(next: next).pause(in: Self.song, from: Self.start + 2.5e9))
        #expect(abs(pause.missing - whole.missing - Double(next) / Self.rate) < 0.001)
    }

    @Test func whereNothingPausesThereIsNone() {
        #expect(ear(next: 0).pause(in: Self.song, from: Self.start + 1e9) == nil)
    }
}
