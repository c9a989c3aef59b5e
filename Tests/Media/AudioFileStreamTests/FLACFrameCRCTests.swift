import StreamTestKit
import Testing

@testable import AudioFileStreamServices

/// The quick reckoning of FLAC's frame check against one bit by bit.
@Suite(.timeLimit(.minutes(5)))
struct FLACFrameCRCTests {
    private let check = FLACFrameCRC()

    @Test func everyLengthAndPlaceGivesTheRemainder() {
        let bytes = payload(5_000, seed: 3)
        for count in Array(0..<40) + Array(700..<1_100) + [2_048, 2_049, 4_095, 4_990] {
            let start = count % 9
            let stretch = Array(bytes[start..<start + count])
            let expected = FLACWriter.check(stretch, bits: 16, polynomial: 0x8005)
            let found = bytes.span.bytes.extracting(start..<start + count)
            #expect(UInt32(check.register(0, after: found)) == expected, "\(count) bytes")
        }
    }

    @Test func piecesAddUp() {
        let bytes = payload(6_000, seed: 4)
        let expected = FLACWriter.check(bytes, bits: 16, polynomial: 0x8005)
        var generator = SeededGenerator(seed: 5)
        for _ in 0..<50 {
            var (register, offset) = (UInt16(0), 0)
            while offset < bytes.count {
                let end = min(bytes.count, offset + Int.random(in: 0...2_500, using: &generator))
                register = check.register(register, after: bytes.span.bytes.extracting(offset..<end))
                offset = end
            }
            #expect(UInt32(register) == expected)
        }
    }

    @Test func eachBitCounts() {
        var bytes = payload(1_200, seed: 6)
        let whole = check.register(0, after: bytes.span.bytes)
        for bit in 0..<bytes.count * 8 {
            bytes[bit / 8] ^= 1 << UInt8(bit % 8)
            #expect(check.register(0, after: bytes.span.bytes) != whole, "bit \(bit)")
            bytes[bit / 8] ^= 1 << UInt8(bit % 8)
        }
    }
}
