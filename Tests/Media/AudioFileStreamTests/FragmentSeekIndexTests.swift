import AudioCore
import StreamTestKit
import Testing

@testable import AudioFileStreamServices

/// Where fragments lie, by those that went by and by indexes.
@Suite(.timeLimit(.minutes(5)))
struct FragmentSeekIndexTests {
    /// An index of fragments of ten packets, a thousand bytes each.
    private func announced(_ count: Int) throws -> AnnouncedFragments {
        var fragments = try #require(
            AnnouncedFragments(framesPerPacket: 1_024, sampleRate: 48_000, firstPacket: 0, priming: 0))
        for index in 0..<count {
            fragments.add(time: Int128(index * 10_240), per: 48_000, byteOffset: Int64(500 + index * 1_000))
        }
        return fragments
    }

    private func entry(_ index: Int64) -> FragmentIndex.Entry {
        FragmentIndex.Entry(packet: index * 10, byteOffset: 500 + index * 1_000, frame: index * 10_240)
    }

    private func place(
        _ seekIndex: FragmentSeekIndex, _ packet: Int64, framesPerPacket: Int? = 1_024, fileEnd: Int64? = nil
    ) -> AudioFileStreamSeek? {
        try? seekIndex.place(atOrBefore: packet, framesPerPacket: framesPerPacket, fileEnd: fileEnd).place
    }

    private let track: MovieTrack = {
        var track = MovieTrack()
        (track.id, track.timescale) = (1, 48_000)
        return track
    }()

    @Test func fragmentsThatWentByAreKnown() throws {
        var seekIndex = FragmentSeekIndex()
        #expect(throws: AudioStreamError.valueUnknown) {
            _ = try seekIndex.place(atOrBefore: 5, framesPerPacket: 1_024, fileEnd: nil)
        }
        for index in 0..<3 { seekIndex.note(entry(Int64(index))) }
        #expect(place(seekIndex, 9) == AudioFileStreamSeek(packet: 0, byteOffset: 500))
        let found = try seekIndex.place(atOrBefore: 17, framesPerPacket: nil, fileEnd: nil)
        #expect(found.place == AudioFileStreamSeek(packet: 10, byteOffset: 1_500) && found.frame == 10_240)
        #expect(place(seekIndex, 1_000) == AudioFileStreamSeek(packet: 20, byteOffset: 2_500))
    }

    @Test func behindAnEstimateNothingIsNoted() {
        var seekIndex = FragmentSeekIndex()
        seekIndex.note(entry(0))
        seekIndex.resume(at: AudioFileStreamSeek(packet: 50, byteOffset: 5_500, isEstimate: true))
        seekIndex.note(entry(5))
        #expect(place(seekIndex, 55)?.packet == 0)
        seekIndex.resume()
        seekIndex.note(entry(1))
        #expect(place(seekIndex, 55)?.packet == 10)
        seekIndex.resume(at: AudioFileStreamSeek(packet: 50, byteOffset: 5_500))
        seekIndex.note(entry(5))
        #expect(place(seekIndex, 55)?.packet == 50)
    }

    @Test func anIndexTellsOfWhatHasNotGoneBy() throws {
        var seekIndex = FragmentSeekIndex()
        seekIndex.announce(try announced(0))
        #expect(seekIndex.wantsIndex)
        seekIndex.note(entry(0))
        seekIndex.announce(try announced(8))
        #expect(!seekIndex.wantsIndex)
        #expect(place(seekIndex, 42) == AudioFileStreamSeek(packet: 40, byteOffset: 4_500))
        // The first one counts.
        seekIndex.announce(try announced(3))
        #expect(place(seekIndex, 42)?.packet == 40)
        // What lies behind the end of a cut file is not there; nor does an index know packets of different lengths.
        #expect(place(seekIndex, 42, fileEnd: 4_500)?.packet == 0)
        #expect(place(seekIndex, 42, framesPerPacket: nil)?.packet == 0)
        for index in 1..<6 { seekIndex.note(entry(Int64(index))) }
        #expect(place(seekIndex, 52)?.packet == 50)
    }

    /// `none`, `reading`, `missing`, `found`: once, unless a seek came between.
    @Test func theEndOfTheFileIsLookedAtOnce() throws {
        var seekIndex = FragmentSeekIndex()
        let empty = try announced(0)
        #expect(seekIndex.maySearch && seekIndex.wantsIndex)
        #expect(seekIndex.search(empty, of: track, in: 100..<1_000) == true)
        #expect(!seekIndex.maySearch)
        #expect(seekIndex.read(RawSpan(), at: 0, 100, isAtEnd: false) == .goTo(984))
        #expect(seekIndex.search(empty, of: track, in: 100..<1_000) == false)
        seekIndex.abandonSearch()
        #expect(seekIndex.maySearch)
        #expect(seekIndex.search(empty, of: track, in: 100..<1_000) == true)
        // What is there is no index.
        let junk = payload(16)
        #expect(seekIndex.read(junk.span.bytes, at: 0, 984, isAtEnd: true) == .took(0))
        #expect(seekIndex.read(RawSpan(), at: 0, 1_000, isAtEnd: true) == nil)
        seekIndex.abandonSearch()
        #expect(!seekIndex.maySearch && seekIndex.wantsIndex)
        #expect(seekIndex.search(empty, of: track, in: 100..<1_000) == false)
        seekIndex.announce(try announced(2))
        #expect(!seekIndex.maySearch && !seekIndex.wantsIndex)
    }

    @Test func whereItIsOfNoUseTheEndIsNotLookedAt() throws {
        var seekIndex = FragmentSeekIndex()
        #expect(seekIndex.search(nil, of: track, in: 100..<1_000) == false)
        #expect(seekIndex.read(RawSpan(), at: 0, 100, isAtEnd: false) == nil)
        #expect(!seekIndex.maySearch)
        seekIndex = FragmentSeekIndex()
        #expect(seekIndex.search(try announced(0), of: MovieTrack(), in: 100..<1_000) == false)
        #expect(!seekIndex.maySearch)
    }
}
