import AudioCore
import Testing

@Suite(.timeLimit(.minutes(5)))
struct AudioPacketSpliceTests {
    private static func splice(_ sizes: [(Int, Int)], dropping count: Int = 5) -> [UInt8] {
        AudioPacketSplice.bytes(
            dropping: count, of: sizes.map { ([UInt8](repeating: UInt8($0.0 & 255), count: $0.0), $0.1) },
            streamFrame: 0x0102_0304_0506_0708)
    }

    @Test func isReadAsItWasWritten() throws {
        let bytes = Self.splice([(3, 10), (300, 20)])
        let magic: [UInt8] = [3, 0] + Array("splice".utf8)
        let place: [UInt8] = [8, 7, 6, 5, 4, 3, 2, 1]
        let numbers: [UInt8] = [5, 0, 0, 0, 3, 0, 0, 0, 10, 0, 0, 0, 3, 3, 3]
        #expect(Array(bytes.prefix(31)) == magic + place + numbers)
        let read = AudioPacketSplice(bytes.span.bytes)
        let splice = try #require(read)
        #expect(splice.streamFrame == 0x0102_0304_0506_0708)
        #expect(splice.droppedFrameCount == 5)
        #expect(
            splice.packets == [
                AudioPacketDescription(startOffset: 28, byteCount: 3, frameCount: 10),
                AudioPacketDescription(startOffset: 39, byteCount: 300, frameCount: 20),
            ])
    }

    @Test func oneWithoutPacketsIsSilence() {
        let bytes = AudioPacketSplice.bytes(dropping: 0, of: [])
        #expect(bytes.count == AudioPacketSplice.headerByteCount)
        let splice = AudioPacketSplice(bytes.span.bytes)
        #expect(splice?.packets == [] && splice?.droppedFrameCount == 0)
        #expect(AudioPacketSplice(AudioPacketSplice.bytes(dropping: 1, of: []).span.bytes) == nil)
        #expect(AudioPacketSplice((bytes + [0]).span.bytes) == nil)
        // Nor may it be in another.
        let outer = AudioPacketSplice.bytes(dropping: 0, of: [([1], 9), (bytes, 9)])
        #expect(AudioPacketSplice(outer.span.bytes) == nil)
    }

    @Test func whatDoesNotFitTogetherIsNone() {
        func isOne(_ bytes: [UInt8]) -> Bool { AudioPacketSplice(bytes.span.bytes) != nil }
        let whole = Self.splice([(3, 10), (4, 20)])
        #expect(isOne(whole))
        for count in 0..<whole.count where count != 31 { #expect(!isOne(Array(whole[..<count])), "\(count)") }
        #expect(isOne(Array(whole[..<31])))
        #expect(!isOne(whole + [1]))
        #expect(!isOne(Self.splice([])))
        #expect(!isOne(Self.splice([(3, 0), (3, 10)])))
        #expect(!isOne(Self.splice([(0, 10), (3, 10)])))
        #expect(isOne(Self.splice([(3, 10), (4, 20)], dropping: 29)))
        #expect(!isOne(Self.splice([(3, 10), (4, 20)], dropping: 30)))
        #expect(!isOne(Self.splice([(3, Limits.packetFrameCount + 1)])))
        #expect(isOne(Self.splice([(Int, Int)](repeating: (1, 9), count: AudioPacketSplice.largestPacketCount))))
        #expect(!isOne(Self.splice([(Int, Int)](repeating: (1, 9), count: AudioPacketSplice.largestPacketCount + 1))))
        #expect(!isOne(Self.splice([(Limits.packetByteCount, 9)])))
        // Frames beyond all reckoning before it; a splice in a splice.
        var late = whole
        late[15] = 0x80
        #expect(!isOne(late))
        #expect(!isOne(AudioPacketSplice.bytes(dropping: 0, of: [([1], 9), (whole, 9)])))
        for index in 0..<8 {
            var other = whole
            other[index] ^= 1
            #expect(!isOne(other))
        }
    }
}
