import AudioCore
import AudioFileStreamServices
import StreamTestKit
import Testing

/// Tags around MPEG frames.
@Suite(.timeLimit(.minutes(5)))
struct MPEGTagTests {
    let frames = MPEGWriter().frames(5)
    var audio: [UInt8] { frames.flatMap { $0 } }

    @Test(arguments: [2, 3, 4] as [UInt8], [false, true])
    func textFramesOfAllVersionsAreRead(majorVersion: UInt8, isUnsynchronised: Bool) {
        var tag = ID3v2Writer(majorVersion: majorVersion)
        tag.isUnsynchronised = isUnsynchronised
        tag.hasExtendedHeader = majorVersion > 2
        tag.hasFooter = majorVersion == 4
        tag.paddingByteCount = majorVersion == 4 ? 0 : 300
        let names = majorVersion == 2 ? ["TT2", "TP1", "TAL", "TRK"] : ["TIT2", "TPE1", "TALB", "TRCK"]
        let year = ["TYE", "TYER", "TDRC"][Int(majorVersion) - 2]
        let picture: [UInt8] = (0..<20_000).map {
            UInt8(truncatingIfNeeded: $0 % 3 == 0 ? 0xFF : $0 % 3 == 1 ? 0 : 0xE1)
        }
        tag.add(names[0], [0] + Array("Le".utf8) + [0xE7] + Array("on".utf8))
        tag.add(majorVersion == 2 ? "PIC" : "APIC", picture)
        tag.add(names[1], [1, 0xFF, 0xFE, 0x60, 0x01, 0x78, 0x00, 0, 0])
        tag.add(names[2], [2, 0x01, 0x60, 0xD8, 0x3D, 0xDE, 0x00])
        tag.add(names[3], [3] + Array("3/12".utf8) + [0])
        tag.add(year, [0] + Array((majorVersion == 4 ? "1999-05-01" : "1999").utf8))
        let stream = parse(tag.bytes + audio)
        #expect(stream.info(.title) == "Leçon")
        #expect(stream.info(.artist) == "Šx")
        #expect(stream.info(.album) == "Š😀")
        #expect(stream.info(.track) == "3/12")
        #expect(stream.info(.year) == "1999")
        #expect(stream.packetBytes == frames)
        #expect(stream.properties.contains(.dataOffset(Int64(tag.bytes.count))))
    }

    @Test func hugeArtworkIsSkippedNotHeld() throws {
        var tag = ID3v2Writer(majorVersion: 4)
        tag.add("APIC", payload(5_000_000))
        tag.add("TIT2", [3] + Array("After".utf8))
        let stream = parse(tag.bytes + audio)
        #expect(stream.info(.title) == "After")
        #expect(stream.artwork == [])
        #expect(stream.packetBytes == frames)
    }

    @Test func compressedAndEncryptedFramesAreSkipped() {
        var tag = ID3v2Writer(majorVersion: 4)
        tag.add("TIT2", [3] + Array("zip".utf8), flags: 0x08)
        tag.add("TPE1", [3] + Array("key".utf8), flags: 0x04)
        tag.add("TALB", [0, 0, 0, 4, 3] + Array("len".utf8), flags: 0x01)
        let stream = parse(tag.bytes + audio)
        #expect(stream.info(.title) == nil)
        #expect(stream.info(.artist) == nil)
        #expect(stream.info(.album) == "len")
    }

    @Test func textIsFitForATerminal() {
        var tag = ID3v2Writer(majorVersion: 4)
        tag.add("TIT2", [3] + Array("  \u{1B}[31mred\u{7}\u{202E}  ".utf8))
        tag.add("TPE1", [3] + Array(String(repeating: "é", count: 400).utf8))
        let stream = parse(tag.bytes + audio)
        #expect(stream.info(.title) == "[31mred")
        #expect(stream.info(.artist) == String(repeating: "é", count: 128))
    }

    @Test func frameSizesBeyondTheTagAreHarmless() {
        var tag = ID3v2Writer(majorVersion: 3)
        tag.add("TIT2", [0] + Array("Good".utf8))
        tag.add("TPE1", [0] + Array("Bad".utf8))
        var bytes = tag.bytes
        bytes.put(bigEndian: UInt32(0x7FFF_FFFF), at: 10 + 15 + 4)
        let stream = parse(bytes + audio)
        #expect(stream.info(.title) == "Good")
        #expect(stream.info(.artist) == nil)
        #expect(stream.packetBytes == frames)
    }

    @Test func tagsAtTheEndAreNoPackets() {
        let end = id3v1(title: "T1", artist: "A1", album: "B1", year: "1987", track: 9)
        let stream = parse(audio + apeTag(byteCount: 5_000) + end)
        #expect(stream.packetBytes == frames)
        #expect(stream.info(.title) == "T1")
        #expect(stream.info(.artist) == "A1")
        #expect(stream.info(.album) == "B1")
        #expect(stream.info(.year) == "1987")
        #expect(stream.info(.track) == "9")
    }

    @Test func tagBehindATruncatedPacketIsRead() {
        let end = id3v1(title: "T1", artist: "", album: "", year: "", track: 0)
        let stream = parse(Array(audio.dropLast(300)) + end)
        #expect(stream.info(.title) == "T1")
        #expect(stream.packetBytes == Array(frames.dropLast()))
    }

    @Test func firstTagWins() {
        var tag = ID3v2Writer(majorVersion: 3)
        tag.add("TIT2", [0] + Array("Two".utf8))
        let stream = parse(tag.bytes + audio + id3v1(title: "One", artist: "A", album: "", year: "", track: 0))
        #expect(stream.info(.title) == "Two")
        #expect(stream.info(.artist) == "A")
    }

    @Test func severalTagsInFrontAreRead() {
        var first = ID3v2Writer(majorVersion: 3)
        first.add("TIT2", [0] + Array("One".utf8))
        var second = ID3v2Writer(majorVersion: 4)
        second.add("TPE1", [3] + Array("Two".utf8))
        let stream = parse(first.bytes + second.bytes + apeTag(byteCount: 100) + audio)
        #expect(stream.info(.title) == "One")
        #expect(stream.info(.artist) == "Two")
        #expect(stream.packetBytes == frames)
    }

    @Test func tagBetweenPacketsIsSkipped() {
        var tag = ID3v2Writer(majorVersion: 3)
        tag.add("APIC", payload(1_000))
        let bytes = frames[..<2].flatMap { $0 } + tag.bytes + frames[2...].flatMap { $0 }
        #expect(parse(bytes).packetBytes == frames)
    }
}
