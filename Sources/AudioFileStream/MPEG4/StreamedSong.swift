import AudioCore

// Fragments show their packets bit by bit, and say nothing of those to come. So an edited song in fragments is put
// together as they go by: stretches that ascend are followed, and which packets they are is noted (``EditedSong``).
// The places of fragments are in packets and frames of the media then, and a seek goes to one from which all comes by
// that is given, and all that the next splice can need.

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
            $0.packet <= stretch.last && $0.packet - stretch.first <= packet - stretch.number
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
        /// All that the splice of a stretch can need is behind.
        func isBeforeSplice(of other: Int, _ fragment: FragmentIndex.Entry) -> Bool {
            guard other < song.stretches.count else { return true }
            return fragment.frame <= max(0, song.stretches[other].frames.lowerBound - song.prerollFrameCount)
        }
        if let inside = fragments.last(where: { holds($0) && isBeforeSplice(of: index + 1, $0) }),
            index == 0 || inside.packet > stretch.first
        {
            return Entry(
                fragment: inside, stretch: index, isOpen: true,
                packet: stretch.number + inside.packet - stretch.first,
                frame: stretch.frame + inside.frame - stretch.frames.lowerBound)
        }
        let before = fragments.last { isBeforeSplice(of: index, $0) }
        return Entry(
            fragment: before, stretch: index, isOpen: index == 0, packet: stretch.number, frame: stretch.frame)
    }

    /// The packet that one of the media is given as, or one near it.
    func packet(ofMedia packet: Int64) -> Int64 {
        let stretch = song.stretches.last { $0.first <= packet } ?? song.stretches[0]
        return stretch.number + min(packet, stretch.last) - stretch.first
    }

    mutating func resume(at entry: Entry) {
        let (packet, frame) = (entry.fragment?.packet ?? 0, entry.fragment?.frame ?? 0)
        place = Place(packet: packet, frame: frame, time: counter.time(ofFrame: frame))
        // What was given so far does not count.
        splicer = Splicer(song)
        splicer.begin(entry.stretch, isOpen: entry.isOpen)
    }
}

/// Goes through the packets of fragments, or of tables in front of them, that an edited song is made of.
struct StreamedCursor<Base: SampleCursor>: SampleCursor {
    static var isEdited: Bool { true }

    var base: Base
    var song: StreamedSong
    /// Nil where only what comes is known.
    let fileByteCount: Int64?

    mutating func next() -> SamplePlace? { song.splicer.isOver ? nil : base.next() }
    mutating func pass(_ place: SamplePlace) { base.pass(place) }

    mutating func share(of sample: SamplePlace, _ bytes: RawSpan, at place: Int) -> SampleShare {
        song.share(of: sample, bytes, at: place, fileByteCount: fileByteCount)
    }

    var isExhausted: Bool { song.splicer.isExhausted }

    // MARK: As the base's

    var blocks: BlockLayout? { base.blocks }
    var extent: SampleExtent {
        get { base.extent }
        set { base.extent = newValue }
    }
    var sampleByteCount: Int64 { base.sampleByteCount }
    var sampleDuration: Int64 { base.sampleDuration }
    var hasEqualSizes: Bool { base.hasEqualSizes }
    mutating func openExtent() -> Bool { base.openExtent() }
    mutating func didPass(samples: Int64) { base.didPass(samples: samples) }
    mutating func didPass(_ place: SamplePlace, of blocks: BlockLayout) { base.didPass(place, of: blocks) }
    mutating func dropExtent() { base.dropExtent() }
}
