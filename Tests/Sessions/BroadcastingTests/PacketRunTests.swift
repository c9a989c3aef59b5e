import AudioCore
import NIOCore
import SecureChannel
import Testing

@testable import Broadcasting

/// What is cut into pieces that are encrypted once.
@Suite(.timeLimit(.minutes(5)))
struct PacketRunTests {
    private func run(_ byteCounts: [Int], epoch: UInt32 = 1, form: SongForm.Kind = .original, first: Int64 = 0)
        -> PacketRun
    {
        let identity = PacketRun.Identity(
            epoch: Epoch(epoch), form: form, first: FramePosition(first), end: FramePosition(first + 4_410),
            byteCount: byteCounts.reduce(0, +))
        return PacketRun(identity: identity, messages: byteCounts.map { ByteBuffer(repeating: 1, count: $0) })
    }

    /// Bytes of each piece; negative for one that is not shared.
    private func sizes(_ byteCounts: Int...) -> [Int] {
        run(byteCounts).sharedPieces.map { piece in
            if case .shared(let messages) = piece { messages.byteCount } else { -piece.byteCount }
        }
    }

    @Test func piecesAreAsLargeAsRecords() {
        #expect(sizes(4_000, 4_000, 4_000, 4_000, 4_000) == [16_000, 4_000])
        #expect(sizes(16_384, 1_024) == [16_384, 1_024])
        #expect(sizes(20_000, 20_000) == [20_000, 20_000])
    }

    @Test func whatIsTooSmallOrTooLargeIsNotShared() {
        #expect(sizes(500, 523) == [-500, -523])
        #expect(sizes(500, 524) == [1_024])
        #expect(sizes(40_000, 2_000) == [-40_000, 2_000])
        #expect(sizes() == [])
    }

    @Test func theSameRunIsSharedUntilAllAreLookedAtAgain() {
        var runs = SharedRuns()
        func shared(_ run: PacketRun) -> SharedMessages? {
            if case .shared(let messages)? = runs.pieces(of: run).first { messages } else { nil }
        }
        let first = shared(run([4_000]))
        #expect(first != nil && shared(run([4_000])) === first)
        let others = [
            run([4_001]), run([4_000], epoch: 2), run([4_000], form: .linearPCM), run([4_000], first: 4_410),
        ]
        #expect(others.allSatisfy { shared($0) !== first })
        runs.forget()
        #expect(shared(run([4_000])) !== first)
    }
}
