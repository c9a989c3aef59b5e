import AudioCore
import NIOCore
import Testing
import WireProtocol

@testable import Broadcasting

/// What was read of a song.
@Suite(.timeLimit(.minutes(5)))
struct BroadcastSongTests {
    @Test func itsPropertiesComeFirst() {
        var song = BroadcastSong(epoch: Epoch(1), fallbackTitle: "fallback")
        #expect(!song.isReady && song.form == nil && song.streamMessage == nil)
        _ = song.read([.dataFormat(SongFixture.format), .readyToProducePackets], [], ByteBuffer())
        #expect(song.isReady && song.title == "fallback" && song.form?.isComplete == false)
        #expect(!song.isPlayable)
        song.give(seconds: 1)
        #expect(song.isPlayable && song.log.end == FramePosition(8_000) && song.end == nil)
    }

    /// Before the first packet, so that every listener knows it in time; tags that come later change nothing.
    @Test func theTagsDecideTheGain() {
        let tags: [AudioStreamProperty] = [.info(.trackGain, "-6.0206 dB"), .info(.albumGain, "-12.0412 dB")]
        func gain(_ loudness: LoudnessMode, _ late: [AudioStreamProperty] = []) -> Float {
            var song = BroadcastSong(epoch: Epoch(1), fallbackTitle: "fallback", loudness: loudness)
            let known = late.isEmpty ? tags : []
            _ = song.read([.dataFormat(SongFixture.format)] + known + [.readyToProducePackets], [], ByteBuffer())
            _ = song.read(late, [], ByteBuffer())
            let gains = song.summary.properties.filter { if case .gain = $0 { true } else { false } }
            #expect(gains == (song.summary.gain == 1 ? [] : [.gain(song.summary.gain)]))
            return song.summary.gain
        }
        #expect(gain(.off) == 1)
        #expect(abs(gain(.track) - 0.5) < 1e-5 && abs(gain(.album) - 0.25) < 1e-5)
        #expect(gain(.track, tags) == 1)
    }

    @Test func whoIsSentPCMAppliesTheSameGain() throws {
        var song = BroadcastSong(epoch: Epoch(1), fallbackTitle: "fallback", loudness: .track)
        _ = song.read(
            [.dataFormat(SongFixture.format), .info(.trackGain, "-3 dB"), .readyToProducePackets], [], ByteBuffer())
        #expect(song.summary.gain < 1)
        let pcm = try #require(TranscodedSong(number: RenditionNumber(epoch: song.epoch, count: 1), of: song.summary))
        for message in [try #require(song.streamMessage), pcm.streamMessage] {
            var inbox = Inbox()
            inbox.take(WireEncoder.greeting(ScriptedBroadcast.greeting))
            inbox.take(message)
            #expect(inbox.properties.contains(.gain(song.summary.gain)))
        }
    }

    /// What was read counts more than what was measured, and that more than what the header says.
    @Test func itsLengthIsAsLongAsIsKnown() {
        var song = SongFixture.song(seconds: 1, statedFrameCount: 4_000)
        #expect(song.length == FramePosition(4_000) && song.duration == .milliseconds(500))
        song.note(measuredFrameCount: 16_000, isFollowed: false)
        #expect(song.length == FramePosition(16_000) && song.duration == .seconds(2))
        // Its item is not over when this song is.
        song.note(measuredFrameCount: 16_000, isFollowed: true)
        #expect(song.length == FramePosition(16_000) && song.duration == nil)
        let table = AudioPacketTableInfo(validFrameCount: nil, primingFrameCount: 0, remainderFrameCount: 0)
        _ = song.read([.packetTableInfo(table)], [], ByteBuffer())
        song.finish()
        #expect(song.length == FramePosition(8_000) && song.duration == .seconds(1))
    }

    @Test func theSourceIsAskedOnceUntilItAnswered() {
        var song = SongFixture.song(seconds: 2)
        func keep(upTo seconds: Int64) -> Bool { song.keep(from: .zero, upTo: FramePosition(seconds * 8_000)) }
        #expect(!keep(upTo: 2))
        #expect(!song.isAwaited)
        #expect(keep(upTo: 3))
        #expect(song.isAwaited)
        #expect(!keep(upTo: 4))
        song.give(seconds: 1)
        #expect(!song.isAwaited)
        #expect(keep(upTo: 4))
    }

    @Test func whatNobodyNeedsIsForgotten() {
        var song = SongFixture.song(seconds: 10)
        _ = song.keep(from: FramePosition(4 * 8_000), upTo: FramePosition(11 * 8_000))
        #expect(song.log.startIndex == 39 && song.log.endIndex == 100)
    }

    @Test func itEndsOnceAndTakesNothingBehindItsEnd() {
        var song = SongFixture.song(seconds: 2)
        song.finish(failure: "broken")
        song.finish()
        song.give(seconds: 1)
        #expect(song.end == FramePosition(16_000) && song.failure == "broken" && song.log.endIndex == 20)
        #expect(song.form?.isComplete == true)
        let isAsked = song.keep(from: .zero, upTo: FramePosition(.max))
        #expect(!isAsked)
    }

    @Test func aLeadIsTimeOrAllThereIs() {
        var song = SongFixture.song(seconds: 3)
        #expect(song.hasLead(.seconds(3), from: .zero) && !song.hasLead(.seconds(3), from: FramePosition(1)))
        song.finish()
        #expect(song.hasLead(.seconds(3), from: FramePosition(1)))
    }

    @Test func aFileThatEndsTooSoonIsShortOfWhatItsHeaderSays() {
        var whole = SongFixture.song(seconds: 3, statedFrameCount: 24_000)
        #expect(whole.shortfall == nil)
        whole.finish()
        #expect(whole.shortfall == nil)
        var cut = SongFixture.song(seconds: 3, statedFrameCount: 80_000)
        cut.finish()
        #expect(cut.shortfall == .cutOff(seconds: 3, of: 10, nil))
        var damaged = SongFixture.song(seconds: 3)
        let problem = AudioStreamProblem(.truncated(missingByteCount: 32_000), at: 48_000)
        let told = damaged.read([.problem(problem)], [], ByteBuffer())
        #expect(told == [])
        damaged.finish()
        #expect(damaged.shortfall == .cutOff(seconds: 3, of: 5, problem))
        var unknown = SongFixture.song(seconds: 3)
        let end = AudioStreamProblem(.truncated(missingByteCount: nil), at: 48_000)
        _ = unknown.read([.problem(end)], [], ByteBuffer())
        unknown.finish()
        #expect(unknown.shortfall == .truncated(end))
    }

    @Test func otherDamageIsToldAtOnce() {
        var song = SongFixture.song(seconds: 1)
        let problem = AudioStreamProblem(.skipped(byteCount: 3), at: 5)
        let told = song.read([.problem(problem)], [], ByteBuffer())
        #expect(told == [problem])
    }

    @Test func anotherTitleIsNewsOnce() {
        var song = SongFixture.song(seconds: 1)
        let news = ["New", "New", ""].map { song.retitle($0) }
        #expect(news == [true, false, false] && song.title == "New")
    }
}
