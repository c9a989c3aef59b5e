import AudioCore
import Testing

@Suite(.timeLimit(.minutes(5)))
struct PacketTimelineTests {
    @Test func firstAudibleFrameIsZero() {
        var timeline = PacketTimeline(
            table: AudioPacketTableInfo(validFrameCount: 2_000, primingFrameCount: 1_105, remainderFrameCount: 351))
        #expect(timeline.place(frameCount: 1_152) == FramePosition(-1_105))
        #expect(timeline.place(frameCount: 1_152) == FramePosition(47))
        #expect(timeline.streamFrame(of: FramePosition(47)) == 1_152)
        #expect(timeline.end == FramePosition(2_000))
    }

    @Test func withoutTableAllIsAudibleToTheLastPacket() {
        var timeline = PacketTimeline()
        #expect(timeline.end == nil)
        _ = timeline.place(frameCount: 1_152)
        timeline.finish()
        #expect(timeline.end == FramePosition(1_152))
    }

    @Test func streamShorterThanItSaidEndsWhereItsPacketsEnd() {
        var timeline = PacketTimeline(
            table: AudioPacketTableInfo(validFrameCount: 9_999, primingFrameCount: 0, remainderFrameCount: 0))
        _ = timeline.place(frameCount: 1_024)
        timeline.finish()
        #expect(timeline.end == FramePosition(1_024))
    }
}
