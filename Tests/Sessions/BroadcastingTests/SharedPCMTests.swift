import AudioCore
import NIOCore
import Testing

@testable import Broadcasting

/// The song as PCM, while somebody needs it.
@Suite(.timeLimit(.minutes(5)))
final class SharedPCMTests {
    private var pcm = SharedPCM(Epoch(1))
    private var song = SongFixture.song(seconds: 30)

    private func keep(isNeeded: Bool = true, playing seconds: Int64 = 0) -> [String] {
        let playing = FramePosition(seconds * 8_000)
        return pcm.keep(song, isNeeded: isNeeded, playing: playing, horizon: playing + 80_000).map { step in
            switch step {
            case .transcode(let request): "\(request.rendition.count): \(request.position.index)"
            case .release: "release"
            case .fellBehind: "fell behind"
            }
        }
    }

    /// - Returns: whether there can be none.
    private func take(_ rendition: UInt32, _ outcome: TranscodingReply.Outcome) -> Bool {
        pcm.take(
            TranscodingReply(rendition: RenditionNumber(epoch: Epoch(1), count: rendition), outcome: outcome), of: song)
    }

    private func answer(_ rendition: UInt32, at frame: Int64) -> Bool {
        take(rendition, .frames(ByteBuffer(repeating: 0, count: 1_600), at: FramePosition(frame)))
    }

    @Test func itIsMadeWhileSomebodyNeedsIt() {
        #expect(keep(isNeeded: false) == [] && pcm.form(of: song) == nil)
        #expect(keep() == ["1: 0"])
        // One piece at a time.
        #expect(keep() == [])
        #expect(!answer(1, at: 0))
        #expect(pcm.form(of: song)?.log.end == FramePosition(800))
        #expect(keep() == ["1: 800"])
        #expect(keep(isNeeded: false) == ["release"] && pcm.form(of: song) == nil)
        #expect(keep(isNeeded: false) == [])
        // An answer to one that is gone is of no use.
        #expect(keep(playing: 2) == ["2: 16000"])
        #expect(!answer(1, at: 800))
        #expect(pcm.form(of: song)?.log.endIndex == 0)
        #expect(!answer(2, at: 16_000))
        #expect(pcm.form(of: song)?.log.end == FramePosition(16_800))
    }

    @Test func aSongThatCannotBeDecodedIsNotTriedAgain() {
        #expect(keep() == ["1: 0"])
        #expect(take(1, .failed("no decoder")))
        #expect(pcm.failure == "no decoder" && pcm.form(of: song) == nil)
        #expect(keep() == [] && keep(isNeeded: false) == [] && pcm.failure == "no decoder")
    }

    @Test func decodingThatFallsBehindIsTold() {
        #expect(keep() == ["1: 0"])
        #expect(!answer(1, at: 0))
        _ = song.keep(from: FramePosition(20 * 8_000), upTo: .zero)
        #expect(keep(playing: 20) == ["1: 160000", "fell behind"])
    }

    @Test func itIsCompleteWhenAllOfTheSongWasDecoded() {
        song = SongFixture.song(seconds: 0)
        let packet = AudioPacketDescription(startOffset: 0, byteCount: 1_600, frameCount: 800)
        _ = song.read([], [packet], ByteBuffer(repeating: 0, count: 1_600))
        song.finish()
        #expect(keep() == ["1: 0"])
        #expect(pcm.form(of: song)?.isComplete == false)
        #expect(!answer(1, at: 0))
        #expect(pcm.form(of: song)?.isComplete == true)
    }
}
