import AudioCore
import StreamTestKit
import Testing

@testable import AudioFileStream

/// Where fragments lie, by those that went by and by indexes.
@Suite(.timeLimit(.minutes(5)))
struct FragmentPlacesTests {
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
        FragmentIndex.Entry(packet: index * 10, byteOffset: 500 + index * 1_000, frame: index * 10_240, time: 0)
    }

    private func place(
        _ places: FragmentPlaces, _ packet: Int64, framesPerPacket: Int? = 1_024, fileEnd: Int64? = nil
    ) -> AudioFileStreamSeek? {
        try? places.place(atOrBefore: packet, framesPerPacket: framesPerPacket, fileEnd: fileEnd).place
    }

    private let track: MovieTrack = {
        var track = MovieTrack()
        (track.id, track.timescale) = (1, 48_000)
        return track
    }()

    @Test func fragmentsThatWentByAreKnown() throws {
        var places = FragmentPlaces()
        #expect(throws: AudioStreamError.valueUnknown) {
            _ = try places.place(atOrBefore: 5, framesPerPacket: 1_024, fileEnd: nil)
        }
        for index in 0..<3 { places.note(entry(Int64(index))) }
        #expect(place(places, 9) == AudioFileStreamSeek(packet: 0, byteOffset: 500))
        let found = try places.place(atOrBefore: 17, framesPerPacket: nil, fileEnd: nil)
        #expect(found.place == AudioFileStreamSeek(packet: 10, byteOffset: 1_500) && found.frame == 10_240)
        #expect(place(places, 1_000) == AudioFileStreamSeek(packet: 20, byteOffset: 2_500))
    }

    @Test func behindAnEstimateNothingIsNoted() {
        var places = FragmentPlaces()
        places.note(entry(0))
        places.resume(at: AudioFileStreamSeek(packet: 50, byteOffset: 5_500, isEstimate: true))
        places.note(entry(5))
        #expect(place(places, 55)?.packet == 0)
        places.resume()
        places.note(entry(1))
        #expect(place(places, 55)?.packet == 10)
        places.resume(at: AudioFileStreamSeek(packet: 50, byteOffset: 5_500))
        places.note(entry(5))
        #expect(place(places, 55)?.packet == 50)
    }

    @Test func anIndexTellsOfWhatHasNotGoneBy() throws {
        var places = FragmentPlaces()
        places.announce(try announced(0))
        #expect(places.wantsIndex)
        places.note(entry(0))
        places.announce(try announced(8))
        #expect(!places.wantsIndex)
        #expect(place(places, 42) == AudioFileStreamSeek(packet: 40, byteOffset: 4_500))
        // The first one counts.
        places.announce(try announced(3))
        #expect(place(places, 42)?.packet == 40)
        // What lies behind the end of a cut file is not there; nor does an index know packets of different lengths.
        #expect(place(places, 42, fileEnd: 4_500)?.packet == 0)
        #expect(place(places, 42, framesPerPacket: nil)?.packet == 0)
        for index in 1..<6 { places.note(entry(Int64(index))) }
        #expect(place(places, 52)?.packet == 50)
    }

    /// `none`, `reading`, `missing`, `found`: once, unless a seek came between.
    @Test func theEndOfTheFileIsLookedAtOnce() throws {
        var places = FragmentPlaces()
        let empty = try announced(0)
        #expect(places.maySearch && places.wantsIndex)
        #expect(places.search(empty, of: track, in: 100..<1_000) == true)
        #expect(!places.maySearch)
        #expect(places.read(RawSpan(), at: 0, 100, isAtEnd: false) == .goTo(984))
        #expect(places.search(empty, of: track, in: 100..<1_000) == false)
        places.abandonSearch()
        #expect(places.maySearch)
        #expect(places.search(empty, of: track, in: 100..<1_000) == true)
        // What is there is no index.
        let junk = payload(16)
        #expect(places.read(junk.span.bytes, at: 0, 984, isAtEnd: true) == .took(0))
        #expect(places.read(RawSpan(), at: 0, 1_000, isAtEnd: true) == nil)
        places.abandonSearch()
        #expect(!places.maySearch && places.wantsIndex)
        #expect(places.search(empty, of: track, in: 100..<1_000) == false)
        places.announce(try announced(2))
        #expect(!places.maySearch && !places.wantsIndex)
    }

    @Test func whereItIsOfNoUseTheEndIsNotLookedAt() throws {
        var places = FragmentPlaces()
        #expect(places.search(nil, of: track, in: 100..<1_000) == false)
        #expect(places.read(RawSpan(), at: 0, 100, isAtEnd: false) == nil)
        #expect(!places.maySearch)
        places = FragmentPlaces()
        #expect(places.search(try announced(0), of: MovieTrack(), in: 100..<1_000) == false)
        #expect(!places.maySearch)
    }
}
