import Testing

@testable import VirtualOutput

@Suite struct WaveHeaderTests {
    @Test func theHeaderIsWhatTheFormatSays() {
        let header = WaveHeader(sampleRate: 48_000, channelCount: 2, dataByteCount: 800)
        #expect(
            header.bytes
                == Array("RIFF".utf8) + [0x52, 0x03, 0, 0] + Array("WAVEfmt ".utf8) + [18, 0, 0, 0]
                + [3, 0, 2, 0] + [0x80, 0xBB, 0, 0] + [0, 0xDC, 5, 0] + [8, 0, 32, 0, 0, 0]
                + Array("fact".utf8) + [4, 0, 0, 0, 100, 0, 0, 0] + Array("data".utf8) + [0x20, 3, 0, 0])
        #expect(header.bytes.count == WaveHeader.byteCount)
    }

    @Test func lengthsBeyondFourGibibytesAreStatedAsTheGreatest() {
        let header = WaveHeader(sampleRate: 48_000, channelCount: 2, dataByteCount: 1 << 40)
        #expect(header.bytes.suffix(4) == [255, 255, 255, 255])
        #expect(header.bytes[4..<8] == [255, 255, 255, 255])
    }
}
