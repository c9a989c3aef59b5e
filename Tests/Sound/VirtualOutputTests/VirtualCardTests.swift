import AudioCore
import Playout
import Testing

@testable import VirtualDevices

@Suite(.timeLimit(.minutes(5))) struct VirtualCardTests {
    private static let opened = HostTime(nanoseconds: 5_000_000_000)

    private func makeCard(_ control: PlayoutControl = PlayoutControl()) -> VirtualCard {
        VirtualCard(
            control: control, rate: 48_000, channelCount: 2, opened: Self.opened, lead: .milliseconds(20))
    }

    private func advance(_ card: inout VirtualCard, by span: TimeSpan) -> [Int] {
        var blocks: [Int] = []
        card.advance(to: Self.opened + span) { (samples: UnsafeBufferPointer<Float>) in
            blocks.append(samples.count / 2)
        }
        return blocks
    }

    @Test func itFillsUpToItsLead() {
        var card = makeCard()
        #expect(advance(&card, by: .zero).reduce(0, +) == 960)
    }

    @Test func theSameInstantAsksForNothing() {
        var card = makeCard()
        _ = advance(&card, by: .milliseconds(10))
        #expect(advance(&card, by: .milliseconds(10)).isEmpty)
    }

    @Test func aLateThreadCatchesUp() {
        var card = makeCard()
        _ = advance(&card, by: .zero)
        let blocks = advance(&card, by: .milliseconds(500))
        #expect(blocks.reduce(0, +) == 24_000)
        #expect(blocks.allSatisfy { $0 <= VirtualCard.blockFrameCount })
    }

    @Test func frameCountsFollowTheClockWithoutDrift() {
        var card = makeCard()
        for tick in 0...3_000 { _ = advance(&card, by: .microseconds(Int64(tick) * 1_013)) }
        #expect(card.written.index == Int64(3_000 * 1_013 * 48 / 1_000) + 960)
    }
}
