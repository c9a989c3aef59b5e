import AudioCore
import NIOCore
import Testing
import WireProtocol

@Suite(.timeLimit(.minutes(5))) struct WireParserTests {
    @Test func everyMessageComesOutAsItWentIn() throws {
        let entries = try Transcript.parsing(Sample.bytes).entries
        #expect(entries.first == .message(.greeting(Sample.greeting)))
        #expect(entries.contains(.message(.anchor(Sample.anchor))))
        #expect(entries.contains(.message(.clock(Sample.clockDatagram))))
        #expect(entries.contains(.message(.report(Sample.report))))
        #expect(entries.contains(.message(.packetsFollow(Epoch(3), FramePosition(-1_105)))))
        #expect(entries.contains(.packet(frames: 1_152, bytes: Array(120..<200))))
        #expect(entries.contains(.message(.broadcastEnd(BroadcastEnd(.failed, "disk on fire")))))
        #expect(entries.last == .message(.refusal(Refusal(.busy, "playing Song from Attic"))))
        for property in Sample.properties { #expect(entries.contains(.property(property))) }
    }

    @Test func propertiesComeBeforeReadyAndPacketsAfter() throws {
        let entries = try Transcript.parsing(Sample.bytes).entries
        let begin = try #require(entries.firstIndex(of: .message(.streamBegins(Epoch(3)))))
        let ready = try #require(entries.firstIndex(of: .property(.readyToProducePackets)))
        let packet = try #require(entries.firstIndex(of: .packet(frames: 1_152, bytes: Array(0..<120))))
        #expect(ready == begin + 1 + Sample.properties.count)
        #expect(packet > ready)
    }

    @Test func byteByByteGivesTheSame() throws {
        let bytes = Sample.bytes
        #expect(try Transcript.parsing(bytes, pieces: { 1 }).entries == Transcript.parsing(bytes).entries)
    }

    @Test(arguments: 0..<100) func randomSplitsGiveTheSame(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let bytes = Sample.bytes
        let split = try Transcript.parsing(bytes, pieces: { Int.random(in: 1...70, using: &random) })
        #expect(split.entries == (try Transcript.parsing(bytes)).entries)
    }

    @Test func unknownMessagesAreSkippedByTheirLength() throws {
        var bytes = Array(WireEncoder.greeting(Sample.greeting).readableBytesView)
        bytes += [0x7F, 0xFF, 0, 0, 0, 5, 1, 2, 3, 4, 5]
        bytes += Array(WireEncoder.keepAlive().readableBytesView)
        let expected: [Transcript.Entry] = [.message(.greeting(Sample.greeting)), .message(.keepAlive)]
        #expect(try Transcript.parsing(bytes).entries == expected)
        #expect(try Transcript.parsing(bytes, pieces: { 1 }).entries == expected)
    }

    @Test func aClockMessageMayGrowButNotShrink() throws {
        let opening = Array(WireEncoder.greeting(Sample.greeting).readableBytesView)
        let longer = opening + [0, 4, 0, 0, 0, 66] + Sample.clockDatagram + [1, 2]
        #expect(try Transcript.parsing(longer).entries.last == .message(.clock(Sample.clockDatagram)))
        #expect(throws: WireError.malformed(messageType: 4)) {
            try Transcript.parsing(opening + [0, 4, 0, 0, 0, 63] + Sample.clockDatagram.dropLast())
        }
    }

    @Test func nothingMayComeBeforeTheGreetingNorASecondOne() {
        #expect(throws: WireError.unexpectedMessage(messageType: 3)) {
            try Transcript.parsing(Array(WireEncoder.keepAlive().readableBytesView))
        }
        let opening = Array(WireEncoder.greeting(Sample.greeting).readableBytesView)
        #expect(throws: WireError.unexpectedMessage(messageType: 1)) {
            try Transcript.parsing(opening + opening)
        }
    }

    @Test func giantLengthsAreRefusedAtTheHeader() {
        let opening = Array(WireEncoder.greeting(Sample.greeting).readableBytesView)
        #expect(throws: WireError.tooLong(messageType: 0x22, byteCount: 0xFFFF_FFFF)) {
            try Transcript.parsing(opening + [0, 0x22, 0xFF, 0xFF, 0xFF, 0xFF])
        }
        #expect(throws: WireError.tooLong(messageType: 0x7777, byteCount: 0xFFFF_FFFF)) {
            try Transcript.parsing(opening + [0x77, 0x77, 0xFF, 0xFF, 0xFF, 0xFF])
        }
    }

    @Test(arguments: 0..<3_000) func damagedBytesNeverTrap(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var bytes = Sample.bytes
        for _ in 0..<Int.random(in: 1...8, using: &random) {
            bytes[Int.random(in: 8..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
        }
        // Damage may pass for another text or number; what must not happen is a trap or an endless loop.
        _ = try? Transcript.parsing(bytes, pieces: { Int.random(in: 1...300, using: &random) })
    }

    @Test func anErrorStays() {
        var parser = WireParser()
        var transcript = Transcript()
        let early = WireError.unexpectedMessage(messageType: 3)
        let keepAlive = Array(WireEncoder.keepAlive().readableBytesView)
        #expect(throws: early) { try parser.parse(keepAlive.span.bytes, into: &transcript) }
        #expect(throws: early) { try parser.parse(Sample.bytes.span.bytes, into: &transcript) }
        #expect(transcript.entries.isEmpty)
    }
}
