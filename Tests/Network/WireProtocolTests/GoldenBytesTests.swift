import AudioCore
import NIOCore
import Testing
import WireProtocol

/// The bytes on the wire, written down: a change here is a change of the protocol.
@Suite(.timeLimit(.minutes(5))) struct GoldenBytesTests {
    private func hex(_ buffer: ByteBuffer) -> String {
        buffer.readableBytesView.map { byte in
            let digits = String(byte, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }

    @Test func greeting() {
        #expect(
            hex(WireEncoder.greeting(Sample.greeting))
                == "000100000032" + "01" + "00112233445566778899aabbccddeeff"
                + "0102030405060708" + "000000006553f100" + "00064bc3bc636865" + "02" + "2e6d70336c70636d")
    }

    @Test func anchor() {
        #expect(
            hex(WireEncoder.anchor(Sample.anchor))
                == "00210000001c" + "00000003" + "0000000000000000" + "00000000075bcd15" + "40e5888000000000")
    }

    /// The song's gain, which an older listener skips.
    @Test func gain() throws {
        let message = WireEncoder.stream(Epoch(1), properties: [.gain(0.5)])
        #expect(hex(message).hasSuffix("0007" + "00000004" + "3f000000"))
        let opening = Array(WireEncoder.greeting(Sample.greeting).readableBytesView)
        let bytes = Array(message.readableBytesView)
        #expect(try Transcript.parsing(opening + bytes).entries.contains(.property(.gain(0.5))))
        // Not a number, infinite, negative, too loud.
        for wrong: [UInt8] in [[0x7F, 0xC0, 0, 0], [0x7F, 0x80, 0, 0], [0xBF, 0, 0, 0], [0x41, 0x80, 0, 1]] {
            #expect(throws: WireError.self) { try Transcript.parsing(opening + bytes.dropLast(4) + wrong) }
        }
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

    /// A broadcaster holds ten seconds of messages, each cut out of a large piece of the song.
    @Test func aPacketsMessageTakesNoMoreMemoryThanItsOwnPackets() {
        let data = [UInt8](repeating: 0xAA, count: 64 * 1_024)
        let descriptions = (0..<4).map { AudioPacketDescription(startOffset: $0 * 400, byteCount: 400, frameCount: 1) }
        let message = WireEncoder.packets(Epoch(1), at: .zero, descriptions: descriptions, data: data.span.bytes)
        #expect(message.readableBytes == 20 + 4 * 406)
        // Buffers are powers of two.
        #expect(message.storageCapacity == 2_048)
    }

    private let reportBytes =
        "03" + "00000003" + "000000000000ac44" + "0000000077359400" + "00000001000000020000000900000006" + "01"
        + "fffffffffffff448" + "0000000000002ee0" + "000000000000c350" + "00000000000186a0"
        + "4049000000000000" + "c041800000000000" + "3fe0000000000000"
    private let reportTail = "00000000713fb300" + "000000030000000400000005" + "0000000008f0d180"

    @Test func report() {
        #expect(hex(WireEncoder.report(Sample.report)) == "00300000007a" + reportBytes + reportTail)
        let unknown = ListenerReport(state: .preparing, epoch: Epoch(0), received: .zero, buffered: .zero)
        #expect(
            hex(WireEncoder.report(unknown)) == "003000000042" + "01" + "00000000" + "0000000000000000"
                + "0000000000000000" + "00000000000000000000000000000000" + "00" + "ffffffffffffffff"
                + "000000000000000000000000" + "0000000000000000")
    }

    @Test func roster() {
        #expect(
            hex(WireEncoder.roster(Sample.roster)) == "0012000000a8" + "01" + "0004536f6e67" + "0002"
                + "0000000000000007" + "00064bc3bc636865" + "007a" + reportBytes + reportTail
                + "0000000000000008" + "00054174746963" + "0000" + "0001")
    }

    /// The reports of the first version ended behind the timing, later ones before what the device keeps.
    @Test(arguments: [28, 8]) func aShorterReportIsUnderstood(missing: Int) throws {
        var bytes = Array(WireEncoder.report(Sample.report).readableBytesView)
        bytes.removeLast(missing)
        bytes[5] -= UInt8(missing)
        let opening = Array(WireEncoder.greeting(Sample.greeting).readableBytesView)
        var expected = Sample.report
        expected.irrevocable = .zero
        if missing > 8 {
            expected.lowWater = nil
            expected.counters.timelineSteps = 0
            expected.counters.deviceClockSteps = 0
            expected.counters.deviceRestarts = 0
        }
        #expect(try Transcript.parsing(opening + bytes).entries.last == .message(.report(expected)))
    }

    /// Nothing is held for less than no time, or for more than ten seconds; a longer span is sent as ten.
    @Test func whatADeviceKeepsIsLimited() throws {
        let opening = Array(WireEncoder.greeting(Sample.greeting).readableBytesView)
        var report = Sample.report
        report.irrevocable = .seconds(11)
        let bytes = Array(WireEncoder.report(report).readableBytesView)
        report.irrevocable = .seconds(10)
        #expect(try Transcript.parsing(opening + bytes).entries.last == .message(.report(report)))
        for wrong in [Int64(10_000_000_001), -1, .min, .max] {
            let field = withUnsafeBytes(of: wrong.bigEndian) { Array($0) }
            #expect(throws: WireError.self) { try Transcript.parsing(opening + bytes.dropLast(8) + field) }
        }
    }

    @Test func clock() {
        let message = WireEncoder.clock(Sample.clockDatagram)
        let digits = "6465666768696a6b6c6d6e6f707172737475767778797a7b7c7d7e7f8081828384858687"
        let rest = "88898a8b8c8d8e8f909192939495969798999a9b9c9d9e9fa0a1a2a3"
        #expect(hex(message) == "000400000040" + digits + rest)
        #expect(message.readableBytes == WireEncoder.clockByteCount)
    }

    @Test func smallMessages() {
        #expect(hex(WireEncoder.keepAlive()) == "000300000000")
        #expect(hex(WireEncoder.household([1, 2, 3])) == "000500000003" + "010203")
        #expect(hex(WireEncoder.pairing([4, 5])) == "000600000002" + "0405")
        #expect(hex(WireEncoder.pairing([])) == "000600000000")
        #expect(hex(WireEncoder.refusal(Refusal(.wrongCode, "no"))) == "000200000006" + "0008" + "00026e6f")
        #expect(
            hex(WireEncoder.streamEnd(Epoch(2), at: FramePosition(5))) == "00230000000c" + "00000002"
                + "0000000000000005")
        #expect(hex(WireEncoder.refusal(Refusal(.busy, "no"))) == "000200000006" + "0001" + "00026e6f")
        #expect(hex(WireEncoder.broadcastEnd(BroadcastEnd(.completed))) == "001100000003" + "00" + "0000")
    }

    @Test func aStepOfAPairingIsLimited() throws {
        let opening = Array(WireEncoder.greeting(Sample.greeting).readableBytesView)
        let longest = Array(WireEncoder.pairing([UInt8](repeating: 7, count: 128)).readableBytesView)
        let step = [UInt8](repeating: 7, count: 128)
        #expect(try Transcript.parsing(opening + longest).entries.last == .message(.pairing(step)))
        #expect(throws: WireError.malformed(messageType: 6)) {
            try Transcript.parsing(opening + [0, 6, 0, 0, 0, 129] + [UInt8](repeating: 7, count: 129))
        }
    }

    @Test func textsAreCutBetweenScalars() throws {
        var greeting = Sample.greeting
        greeting.name = String(repeating: "é", count: 60)
        let entries = try Transcript.parsing(Array(WireEncoder.greeting(greeting).readableBytesView)).entries
        greeting.name = String(repeating: "é", count: 31)
        #expect(entries == [.message(.greeting(greeting))])
    }

    /// Each byte that is not UTF-8 becomes a scalar of three.
    @Test func aTextIsNoLongerAfterItsRepair() throws {
        var greeting = Sample.greeting
        greeting.name = String(repeating: "n", count: 63)
        var bytes = Array(WireEncoder.greeting(greeting).readableBytesView)
        let place = try #require(bytes.firstIndex(of: UInt8(ascii: "n")))
        bytes.replaceSubrange(place..<place + 63, with: repeatElement(0xFF, count: 63))
        greeting.name = String(repeating: "\u{FFFD}", count: 21)
        #expect(try Transcript.parsing(bytes).entries == [.message(.greeting(greeting))])
    }
}
