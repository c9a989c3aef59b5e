import StreamTestKit
import Testing

/// Files that were cut or have junk around play as the mpg123 program plays them.
@Suite(.timeLimit(.minutes(5)))
struct HurtFileTests {
    private func original() throws -> [UInt8] {
        try Song(rate: 44_100, channels: 2, encode: "lame --quiet -V 3 in.wav out").bytes
    }

    private func expectReference(_ bytes: [UInt8]) throws {
        let song = Song(bytes)
        let ours = try song.decodeAudible()
        let reference = try song.referenceDecode()
        #expect(ours.count == reference.count)
        #expect(firstDifference(ours, reference) == nil)
    }

    @Test func truncatedWithinAPacket() throws {
        let bytes = try original()
        try expectReference(Array(bytes.prefix(bytes.count * 2 / 3 + 17)))
    }

    @Test func truncatedWithinTheLastPackets() throws {
        let bytes = try original()
        try expectReference(Array(bytes.dropLast(100)))
    }

    @Test func garbageInFront() throws {
        try expectReference(payload(700) + original())
    }

    @Test func tagsAround() throws {
        var tag = ID3v2Writer(majorVersion: 4)
        tag.add("TIT2", [3] + Array("Title".utf8))
        tag.add("APIC", payload(5_000))
        let end = id3v1(title: "Title", artist: "", album: "", year: "", track: 1)
        try expectReference(tag.bytes + original() + apeTag(byteCount: 300) + end)
    }
}
