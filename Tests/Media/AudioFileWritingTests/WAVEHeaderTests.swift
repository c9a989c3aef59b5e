import AudioCore
import Testing

@testable import AudioFileWriting

@Suite(.timeLimit(.minutes(5)))
struct WAVEHeaderTests {
    private func header(_ samples: SampleFormat, channels: Int = 2, frames: Int64 = 10, isGrowing: Bool = false)
        -> [UInt8]
    {
        WAVEHeader(
            sampleRate: 48_000, channelCount: channels, samples: samples, speakerMask: 0x3, frameCount: frames,
            isGrowing: isGrowing
        ).bytes
    }

    private func little(_ bytes: [UInt8], _ offset: Int, _ count: Int) -> UInt64 {
        (0..<count).reversed().reduce(0) { $0 << 8 | UInt64(bytes[offset + $1]) }
    }

    @Test func plainSixteenBits() {
        let bytes = header(.integer(bits: 16)!)
        #expect(bytes.count == 44)
        #expect(little(bytes, 4, 4) == 36 + 40 && little(bytes, 40, 4) == 40)
        #expect(little(bytes, 20, 2) == 1 && little(bytes, 34, 2) == 16)
    }

    @Test func twentyBitsAreExtensible() {
        let bytes = header(.integer(bits: 20)!)
        #expect(little(bytes, 16, 4) == 40 && little(bytes, 20, 2) == 0xFFFE)
        #expect(little(bytes, 32, 2) == 6 && little(bytes, 34, 2) == 24 && little(bytes, 38, 2) == 20)
        #expect(little(bytes, 40, 4) == 3 && little(bytes, 44, 2) == 1)
    }

    @Test func floatsHaveTheirFrameCount() {
        let bytes = header(.float32, channels: 6)
        #expect(little(bytes, 44, 2) == 3)
        #expect(Array(bytes[60..<64]) == Array("fact".utf8) && little(bytes, 68, 4) == 10)
    }

    @Test func anOddNumberOfBytesIsPadded() {
        let header = WAVEHeader(
            sampleRate: 8_000, channelCount: 1, samples: .integer(bits: 8)!, speakerMask: 0, frameCount: 3)
        #expect(header.paddingByteCount == 1)
        #expect(little(header.bytes, 4, 4) == 36 + 4 && little(header.bytes, 40, 4) == 3)
    }

    /// EBU Tech 3306, section 3: the sizes that 32 bits cannot hold are all ones, and stand in ds64.
    @Test func beyondThirtyTwoBitsItIsRF64() {
        let frames: Int64 = 2_000_000_000
        let bytes = header(.integer(bits: 16)!, frames: frames)
        #expect(Array(bytes[..<4]) == Array("RF64".utf8) && little(bytes, 4, 4) == 0xFFFF_FFFF)
        #expect(Array(bytes[12..<16]) == Array("ds64".utf8) && little(bytes, 16, 4) == 28)
        #expect(little(bytes, 20, 8) == UInt64(frames) * 4 + 72)
        #expect(little(bytes, 28, 8) == UInt64(frames) * 4)
        #expect(little(bytes, 36, 8) == UInt64(frames))
        #expect(Array(bytes[72..<76]) == Array("data".utf8) && little(bytes, 76, 4) == 0xFFFF_FFFF)
        #expect(bytes.count == 80)
    }

    @Test func theLargestPlainFile() {
        let most = (Int64(UInt32.max) - 36) / 4
        #expect(header(.integer(bits: 16)!, frames: most).starts(with: Array("RIFF".utf8)))
        #expect(header(.integer(bits: 16)!, frames: most + 1).starts(with: Array("RF64".utf8)))
    }
}
