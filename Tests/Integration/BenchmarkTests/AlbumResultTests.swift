import AudioCore
import Glibc
import HeardAnalysis
import Testing
import VirtualDevices

@testable import benchmark_command

/// What is found in recordings of a split album of which it is known.
@Suite(.timeLimit(.minutes(5))) struct AlbumResultTests {
    private static let start = 1_000_000_000_000.0
    private let album: SplitAlbum

    init() {
        album = SplitAlbum(ofJoints: 1)
    }

    /// The album from a frame on, without these frames, at a card of this rate.
    private func heard(from first: Int = 0, without gap: Range<Int> = 0..<0, delay: Double = 0) -> HeardRecording {
        let frames = (first..<album.unsplit.frameCount).filter { !gap.contains($0) }
        let time = Self.start + (Double(first) / SplitAlbum.rate + delay) * 1e9
        return HeardRecording(
            sampleRate: SplitAlbum.rate, channels: 2,
            samples: frames.flatMap { album.unsplit.samples[2 * $0...2 * $0 + 1] },
            segments: [
                .init(firstFrame: 0, host: HostTime(nanoseconds: Int64(time)), framesPerSecond: SplitAlbum.rate)
            ])
    }

    private func result(_ heard: [HeardRecording], late: HeardRecording?, copy: HeardRecording? = nil) -> AlbumResult {
        AlbumResult(album, heard: heard, late: [late], copy: copy, stalls: [])
    }

    @Test func anAlbumThatIsHeardWholeHasNoFaults() throws {
        let joint = album.joints[0]
        let result = result(
            [heard(), heard(delay: 3e-6)], late: heard(from: joint - 60_000), copy: album.unsplit)
        #expect(abs(try #require(result.joints[0].skew) - 3e-6) < 0.1e-6)
        #expect(result.joints[0].missing == 0)
        #expect(try #require(result.joints[0].residual) < -99)
        #expect(try #require(result.midSongResidual) < -99)
        #expect(result.differingFrame == nil)
    }

    @Test func framesThatAreMissingAtAJointAreFound() throws {
        let joint = album.joints[0]
        // The first 2 ms of the second song.
        let cut = joint..<joint + 88
        let whole = heard()
        let result = result([whole, heard(without: cut)], late: heard(from: joint - 60_000, without: cut))
        #expect(try #require(result.joints[0].skew) > 1e-3)
        #expect(try #require(result.joints[0].residual) > -40)
        #expect(try #require(result.midSongResidual) < -99)
        #expect(try #require(result.joints[0].missing) > 0)
        #expect(result.differingFrame == 0)
    }

    @Test func aListenerThatComesTooLateMissesTheBeginning() throws {
        let joint = album.joints[0]
        let result = result([heard()], late: heard(from: joint + 13_230))
        #expect(abs(try #require(result.joints[0].missing) - 0.3) < 0.03)
        #expect(self.result([heard()], late: nil).joints[0].missing == nil)
    }

    @Test func aRecordingThatDiffersIsFound() {
        var copy = album.unsplit
        copy.samples[400_001] += 0x1p-15
        #expect(result([heard()], late: nil, copy: copy).differingFrame == 200_000)
        copy.samples = Array(album.unsplit.samples.dropLast(2))
        #expect(result([heard()], late: nil, copy: copy).differingFrame == album.unsplit.frameCount - 1)
    }

    /// So that a click at a joint cannot hide where the sine is small.
    @Test func jointsAreWhereTheSineIsFarFromZero() {
        #expect(abs(album.unsplit.samples[2 * album.joints[0]]) > 0.44)
    }
}
