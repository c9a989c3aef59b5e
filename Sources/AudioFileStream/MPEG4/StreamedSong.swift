import AudioCore

// Fragments show their packets bit by bit, and say nothing of those to come. So an edited song in fragments is put
// together as they go by, and which packets the stretches are is noted (``EditedSong``). The places of fragments are in
// packets and frames of the media then, and a seek goes to one from which all comes by that is given, and all that the
// next splice can need. So does who has all of the file at hand where a stretch goes back in the media: what it is made
// of has gone by, and goes by again.
//
// Where the media ends is known at its end. What an edit has behind it is not there; only the last packet may then
// decode to more than its time, and all of that is given if another edit follows.

/// An edited song whose packets come one after another, and what of them is given.
struct StreamedSong {
    /// Where in the media one is.
    struct Place {
        /// Of the next packet.
        var packet: Int64 = 0
        /// Of the next frame.
        var frame: Int64 = 0
        /// In the media's timescale.
        var time: Int64 = 0
    }

    private(set) var splicer: Splicer
    private(set) var place = Place()
    private let counter: PacketFrameCounter

    /// At the media's beginning.
    init(_ song: EditedSong, counting counter: PacketFrameCounter) {
        splicer = Splicer(song)
        self.counter = counter
    }

    var song: EditedSong { splicer.song }

    /// What is given of a sample.
    /// - Parameter fileByteCount: nil where only what comes is known.
    mutating func share(
        of sample: SamplePlace, _ bytes: RawSpan, at start: Int, fileByteCount: Int64?
    ) -> SampleShare {
        splicer.fileByteCount = fileByteCount ?? (sample.offset &+ sample.byteCount)
        defer { place.time &+= sample.duration }
        let range = start..<start + Int(sample.byteCount)
        if let bundle = song.bundle { return share(of: bundle, bytes, range) }
        let frameCount = counter.frameCount(sample, bytes, at: start, mediaTime: place.time)
        let packet = take(.read(range), frameCount: frameCount)
        if splicer.isInside(packet) {
            return splicer.spend(range.count) ? .part(frameCount: frameCount) : .parts([])
        }
        var parts: [SampleShare.Part] = []
        splicer.give(packet, of: bytes, readUpTo: packet.number, into: &parts)
        return .parts(parts)
    }

    private mutating func share(of bundle: SampleBundle, _ bytes: RawSpan, _ range: Range<Int>) -> SampleShare {
        let (count, end) = bundle.packets(bytes, range)
        let frames = place.frame..<place.frame &+ count * Int64(bundle.frameCount)
        let all = Splicer.Packet(number: place.packet, frames: frames, content: .read(range))
        if end == range.upperBound, splicer.isInside(all) {
            place.packet += count
            place.frame = frames.upperBound
            return splicer.spend(range.count) ? .whole : .parts([])
        }
        var parts: [SampleShare.Part] = []
        var start = range.lowerBound
        while let byteCount = bundle.packetByteCount(bytes, at: start, end: range.upperBound) {
            let packet = take(.read(start..<start + byteCount), frameCount: bundle.frameCount)
            splicer.give(packet, of: bytes, readUpTo: packet.number, into: &parts)
            if splicer.isAway { break }
            start += byteCount
        }
        return .parts(parts)
    }

    private mutating func take(_ content: SampleShare.Content, frameCount: Int) -> Splicer.Packet {
        let packet = Splicer.Packet(
            number: place.packet, frames: place.frame..<place.frame &+ Int64(frameCount), content: content)
        place.packet += 1
        place.frame &+= Int64(frameCount)
        return packet
    }

    /// The media ends here.
    /// - Returns: what is given up to the next stretch, if one goes back.
    mutating func endMedia() -> [SampleShare.Part] { splicer.endMedia(packet: place.packet, frame: place.frame) }

    /// At the end of the media: what its last packet decodes to behind its time is not heard.
    func table(givenFrameCount count: Int64, _ lengths: MovieLengths) -> AudioPacketTableInfo {
        guard !splicer.isOver, splicer.isOpen, !song.isCutByBytes, place.time > 0 else {
            return song.table(givenFrameCount: count)
        }
        let frames = song.stretches[splicer.index].frames
        let mediaEnd = max(frames.lowerBound, lengths.frames(place.time, per: lengths.mediaTimescale))
        let remainder = max(0, min(place.frame, frames.upperBound) - mediaEnd)
        return song.table(givenFrameCount: count, remainder: remainder)
    }

    // MARK: Places

    /// A place from which one can go on, and what is given there.
    struct Entry {
        /// Nil for the beginning of a table in front of all fragments.
        var fragment: FragmentIndex.Entry?
        var stretch: Int
        var isOpen: Bool
        /// Of what is given.
        var packet: Int64
        var frame: Int64
    }

    /// The last place at which a packet comes or one before it.
    func entry(atOrBefore packet: Int64, of fragments: FragmentIndex) -> Entry? {
        guard let index = known.lastIndex(where: { $0.number <= packet }) else { return nil }
        let stretch = known[index]
        return entry(in: index, of: fragments) {
            $0.packet <= stretch.last && $0.frame < stretch.frames.upperBound
                && $0.packet - stretch.first <= packet - stretch.number
        }
    }

    /// The last place at which a frame comes or one before it.
    func entry(atOrBeforeFrame frame: Int64, of fragments: FragmentIndex) -> Entry? {
        guard let index = known.lastIndex(where: { $0.frame <= frame }) else { return nil }
        let stretch = known[index]
        return entry(in: index, of: fragments) {
            $0.frame < stretch.frames.upperBound && $0.frame - stretch.frames.lowerBound <= frame - stretch.frame
        }
    }

    /// Those of which it is known which packet they begin with.
    private var known: ArraySlice<EditedSong.Stretch> {
        song.stretches.prefix { $0.number != EditedSong.Stretch.unknown }
    }

    /// - Parameter holds: for all fragments up to the one that is sought.
    private func entry(
        in index: Int, of fragments: FragmentIndex, where holds: (FragmentIndex.Entry) -> Bool
    ) -> Entry? {
        let stretch = song.stretches[index]
        // One that goes back is gone back for.
        let isFollowed = index + 1 < song.stretches.count && !song.stretches[index + 1].goesBack
        if let inside = fragments.last(where: { holds($0) && (!isFollowed || isBeforeSplice(of: index + 1, $0)) }),
            index == 0 || inside.packet > stretch.first
        {
            return Entry(
                fragment: inside, stretch: index, isOpen: true,
                packet: stretch.number + inside.packet - stretch.first,
                frame: stretch.frame + inside.frame - stretch.frames.lowerBound)
        }
        return beginning(of: index, in: fragments)
    }

    private func beginning(of index: Int, in fragments: FragmentIndex) -> Entry {
        let stretch = song.stretches[index]
        return Entry(
            fragment: fragments.last { isBeforeSplice(of: index, $0) }, stretch: index, isOpen: index == 0,
            packet: stretch.number, frame: stretch.frame)
    }

    /// All that the splice of a stretch can need is behind.
    private func isBeforeSplice(of index: Int, _ fragment: FragmentIndex.Entry) -> Bool {
        fragment.frame <= max(0, song.stretches[index].frames.lowerBound - song.prerollFrameCount)
    }

    /// The packet that one of the media is given as, or one near it.
    func packet(ofMedia packet: Int64) -> Int64 {
        let stretch =
            song.stretches.first { $0.first <= packet && packet <= $0.last }
            ?? song.stretches.last { $0.first <= packet } ?? song.stretches[0]
        return stretch.number + min(packet, stretch.last) - stretch.first
    }

    mutating func resume(at entry: Entry) {
        // What was given so far does not count.
        splicer = Splicer(song)
        begin(at: entry)
    }

    /// Where a stretch goes back: on from there.
    mutating func goToStretch(in fragments: FragmentIndex) -> Entry {
        let entry = beginning(of: splicer.index, in: fragments)
        begin(at: entry)
        return entry
    }

    private mutating func begin(at entry: Entry) {
        place = entry.fragment.map { Place(packet: $0.packet, frame: $0.frame, time: $0.time) } ?? Place()
        splicer.begin(entry.stretch, isOpen: entry.isOpen)
    }
}
