import AudioCore
import NIOCore
import Testing
import WireProtocol

/// The bytes on the wire, written down: a change here is a change of the protocol.
@Suite struct GoldenBytesTests {
    private func hex(_ buffer: ByteBuffer) -> String {
        buffer.readableBytesView.map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }

    @Test func opening() {
        #expect(
            hex(WireEncoder.opening(Sample.greeting))
                == "54555454490a0100" + "000100000032" + "01" + "00112233445566778899aabbccddeeff"
                + "0102030405060708" + "000000006553f100" + "00064bc3bc636865" + "02" + "2e6d70336c70636d")
    }

    @Test func anchor() {
        #expect(
            hex(WireEncoder.anchor(Sample.anchor))
                == "00210000001c" + "00000003" + "0000000000000000" + "00000000075bcd15" + "40e5888000000000")
    }

    @Test func packets() {
        let data: [UInt8] = [0xAA, 0xBB, 0xCC]
        let descriptions = [
            AudioPacketDescription(startOffset: 0, byteCount: 2, frameCount: 1_152),
            AudioPacketDescription(startOffset: 2, byteCount: 1, frameCount: 576),
        ]
        #expect(
            hex(WireEncoder.packets(Epoch(1), at: FramePosition(-1), descriptions: descriptions, data: data.span.bytes))
                == "00220000001d" + "00000001" + "ffffffffffffffff" + "0002" + "000000020480" + "000000010240"
                + "aabbcc")
    }

    @Test func smallMessages() {
        #expect(hex(WireEncoder.keepAlive()) == "000300000000")
        #expect(
            hex(WireEncoder.streamEnd(Epoch(2), at: FramePosition(5))) == "00230000000c" + "00000002"
                + "0000000000000005")
        #expect(hex(WireEncoder.refusal(Refusal(.busy, "no"))) == "000200000006" + "0001" + "00026e6f")
        #expect(hex(WireEncoder.broadcastEnd(BroadcastEnd(.completed))) == "001100000003" + "00" + "0000")
    }

    @Test func textsAreCutBetweenScalars() throws {
        var greeting = Sample.greeting
        greeting.name = String(repeating: "é", count: 60)
        let entries = try Transcript.parsing(Array(WireEncoder.opening(greeting).readableBytesView)).entries
        greeting.name = String(repeating: "é", count: 31)
        #expect(entries == [.message(.greeting(greeting))])
    }
}
