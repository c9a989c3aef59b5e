import AudioCore
import AudioFileStreamServices
import StreamTestKit
import Testing

/// MPEG streams that change between mono and stereo, as files that were joined do.
@Suite(.timeLimit(.minutes(5)))
struct MPEGChannelChangeTests {
    private let stereo = MPEGWriter()
    private let mono = MPEGWriter(MPEGWriter.layer3 | 3 << 6)

    /// A frame for each letter: S of joint stereo, s of plain stereo at another bit rate, M of mono.
    private func frames(_ modes: String) -> [[UInt8]] {
        modes.enumerated().map { index, mode in
            let (seed, isPadded) = (UInt64(index), index % 3 == 2)
            switch mode {
            case "M": return mono.frame(seed: seed, isPadded: isPadded, bitRateIndex: 5)
            case "s": return MPEGWriter(MPEGWriter.layer3 & ~0xC0).frame(seed: seed, bitRateIndex: 12)
            default: return stereo.frame(seed: seed, isPadded: isPadded)
            }
        }
    }

    @Test(arguments: [
        ("SSSSMMMMssssMMMMMMMM", 2), ("MMMMSSSSsssMMMM", 1), ("SSSSSMSSS", 2), ("SSSMSMMSMSSMs", 2), ("MMMMMMS", 1),
    ])
    func everyFrameIsAPacketOfOneStream(modes: String, channelCount: Int) {
        let frames = frames(modes)
        let bytes = frames.flatMap { $0 }
        let stream = parse(bytes)
        #expect(stream.packetBytes == frames)
        #expect(stream.properties.count { if case .dataFormat = $0 { true } else { false } } == 1)
        #expect(stream.format?.channelsPerFrame == channelCount)
        #expect(stream.reportedProblems.isEmpty && stream.failure == nil)
        #expect(stream.table?.validFrameCount == Int64(frames.count * 1_152))
        #expect(splitThatDiffers(bytes, from: stream) == nil)
        let atHand = parseFile(bytes, pieces: repeatElement(1_000, count: .max)).stream
        #expect(atHand.packetBytes == frames && atHand.reportedProblems.isEmpty)
    }

    @Test func tagsMayStandBetween() {
        let (first, second) = (frames("SSSSS"), frames("MMMMM"))
        var tag = ID3v2Writer(majorVersion: 3)
        tag.add("TIT2", [0] + Array("Second".utf8))
        let end = id3v1(title: "First", artist: "", album: "", year: "", track: 1)
        let stream = parse(first.flatMap { $0 } + end + tag.bytes + second.flatMap { $0 })
        #expect(stream.packetBytes == first + second)
        #expect(stream.reportedProblems.isEmpty)
    }

    /// The first packet behind a change is believed for the header that follows it.
    @Test(arguments: [(4, 4...4), (5, 5...5), (6, 5...6), (7, 7...7)])
    func damageAtAChangeCostsOnePacketOrTwo(hurt: Int, lost: ClosedRange<Int>) {
        var frames = frames("SSSSSMMMMMSSS")
        frames[hurt][1] = 0
        let stream = parse(frames.flatMap { $0 })
        frames.removeSubrange(lost)
        #expect(stream.packetBytes == frames)
    }

    /// Where sync is lost, a mono header and one in the right distance are no proof in a stereo stream.
    @Test func headersByChanceInJunkAreNotBelieved() {
        let frames = frames("SSSSSSSS")
        let other = mono.frame(bitRateIndex: 5).count
        var junk = payload(4_000)
        // Where the last frame ended: nothing follows.
        junk.put(bigEndian: 0xFFFB_50C4, at: 0)
        // Two, and a third of the stream's own mode.
        junk.put(bigEndian: 0xFFFB_50C4, at: 1_000)
        junk.put(bigEndian: 0xFFFB_50C4, at: 1_000 + other)
        junk.put(bigEndian: 0xFFFB_9064, at: 1_000 + 2 * other)
        // One, and a tag.
        junk.put(bigEndian: 0xFFFB_50C4, at: 3_000)
        junk.replaceSubrange(3_000 + other..<3_003 + other, with: Array("TAG".utf8))
        let stream = parse((frames[..<4] + [junk] + frames[4...]).flatMap { $0 })
        #expect(stream.packetBytes == frames)
        #expect(stream.reportedProblems.map(\.kind) == [.skipped(byteCount: 4_000)])
    }

    /// A stream opens with three headers of one channel mode.
    @Test func garbageInFrontIsBelievedNoMoreEasily() {
        var garbage = payload(5_000)
        let sizes = [stereo.frame().count, mono.frame(bitRateIndex: 5).count]
        garbage.put(bigEndian: 0xFFFB_9064, at: 1_000)
        garbage.put(bigEndian: 0xFFFB_50C4, at: 1_000 + sizes[0])
        garbage.put(bigEndian: 0xFFFB_9064, at: 1_000 + sizes[0] + sizes[1])
        let frames = frames("MMMMM")
        let stream = parse(garbage + frames.flatMap { $0 })
        #expect(stream.packetBytes == frames)
        #expect(stream.format?.channelsPerFrame == 1)
    }

    @Test func gapBeforeTheOtherHalf() throws {
        let frames = frames(String(repeating: "S", count: 20) + String(repeating: "M", count: 20))
        let bytes = frames.flatMap { $0 }
        let cut = frames[..<25].joined().count + 100
        var parser = AudioFileStream()
        var recorder = EventRecorder()
        try parser.parse(bytes.span.bytes.extracting(0..<2_000), discontinuity: false, into: &recorder)
        try parser.parse(bytes.span.bytes.extracting(cut..<bytes.count), discontinuity: true, into: &recorder)
        try parser.finish(into: &recorder)
        #expect(ParsedStream(events: recorder.events).packetBytes == Array(frames[..<4] + frames[26...]))
    }

    // MARK: Files at hand whose header tells of their first part alone

    /// 60 packets that the header tells of, and 200 of another file.
    private func joined(_ name: String) -> (bytes: [UInt8], frames: [[UInt8]]) {
        let first = frames(String(repeating: "S", count: 60))
        let second = frames(String(repeating: "M", count: 200))
        let header = stereo.xing(name, packets: 60, bytes: UInt32(stereo.frame().count + first.joined().count))
        return (header + (first + second).flatMap { $0 }, first + second)
    }

    @Test(arguments: ["Info", "Xing"])
    func aSeekGoesIntoTheOtherPart(name: String) throws {
        let (bytes, frames) = joined(name)
        var parser = AudioFileStream(access: .file(byteCount: Int64(bytes.count)))
        var recorder = EventRecorder()
        try parser.bring(bytes, upTo: 10_000, into: &recorder)
        let place = try parser.seek(toPacket: 100)
        #expect(place.isEstimate && place.byteOffset > Int64(frames[..<60].joined().count))
        recorder = EventRecorder()
        try parser.bring(bytes, upTo: bytes.count, into: &recorder)
        try parser.finish(into: &recorder)
        let found = ParsedStream(events: recorder.events).packetBytes
        #expect(found.count > 50 && found == Array(frames.suffix(found.count)))
        #expect(throws: AudioStreamError.invalidPacketOffset) { _ = try parser.seek(toPacket: 2_000) }
    }

    @Test func prerollIsNotThatOfTheFirstPart() {
        let (bytes, frames) = joined("Info")
        #expect(parseFile(bytes).stream.prerollPacketCount == 9)
        #expect(parseFile(bytes).stream.packetBytes == frames)
        // Of its own part the header is right.
        let first = bytes.prefix(stereo.frame().count + frames[..<60].joined().count)
        #expect(parseFile(Array(first)).stream.prerollPacketCount == 3)
    }
}
