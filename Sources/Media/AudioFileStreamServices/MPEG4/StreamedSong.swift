import AudioCore

// Fragments show their packets bit by bit, and say nothing of those to come. So an edited song in fragments is put
// together as they go by, and which packets the stretches are is noted (``EditedSong``). The places of fragments are in
// packets and frames of the media then, and a seek goes to one from which all comes by that is given, and all that the
// next splice can need. So does who has all of the file at hand where a stretch goes back in the media: what it is made
// of has gone by, and goes by again.
//
// Where the media ends is known at its end: what an edit has behind it is not there. Nor is what the last packet decodes
// to beyond its time. So where a stretch is to come that goes back, a packet that is longer than its time is held until
// the next one shows that it was not the last.

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

    /// A packet that is longer than its time.
    private struct Held {
        var packet: Splicer.Packet
        /// The frame where the media ends if it is the last.
        var end: Int64
    }

    private(set) var splicer: Splicer
    /// Behind all that has gone by.
    private(set) var place = Place()
    private var held: Held?
    private let counter: PacketFrameCounter

    /// At the media's beginning.
    init(_ song: EditedSong, counting counter: PacketFrameCounter) {
        splicer = Splicer(song)
        self.counter = counter
    }

    var song: EditedSong { splicer.song }

    /// What is given of a sample, behind what is given of one that was held.
    /// - Parameter fileByteCount: nil where only what comes is known.
    mutating func share(
        of sample: SamplePlace, _ bytes: RawSpan, at start: Int, fileByteCount: Int64?
    ) -> SampleShare {
        splicer.fileByteCount = fileByteCount ?? (sample.offset &+ sample.byteCount)
        let range = start..<start + Int(sample.byteCount)
        var parts = release()
        guard !splicer.isOver, !splicer.isAway else { return .parts(parts) }
        defer { place.time &+= sample.duration }
        if let bundle = song.bundle { return share(of: bundle, bytes, range) }
        let frameCount = counter.frameCount(sample, bytes, at: start, mediaTime: place.time)
        let packet = take(.read(range), frameCount: frameCount)
        if splicer.hasReturns, hold(packet, until: place.time &+ sample.duration, bytes) { return .parts(parts) }
        if parts.isEmpty, splicer.isInside(packet) {
            return splicer.spend(range.count) ? .part(frameCount: frameCount) : .parts([])
        }
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

    /// Holds a packet of which less is heard if the media ends with it.
    /// - Parameter time: where it ends.
    private mutating func hold(_ packet: Splicer.Packet, until time: Int64, _ bytes: RawSpan) -> Bool {
        let end = counter.frame(atTime: time)
        guard end < packet.frames.upperBound, !song.isCutByBytes else { return false }
        var packet = packet
        packet.content = .made(packet.content.bytes(of: bytes))
        held = Held(packet: packet, end: end)
        return true
    }

    /// What is given of the packet that is held, since another follows.
    private mutating func release() -> [SampleShare.Part] {
        guard let packet = held?.packet else { return [] }
        held = nil
        return share(ofHeld: packet)
    }

    private mutating func share(ofHeld packet: Splicer.Packet) -> [SampleShare.Part] {
        var parts: [SampleShare.Part] = []
        splicer.give(packet, of: RawSpan(), readUpTo: packet.number, into: &parts)
        return parts
    }

    /// The media ends here.
    /// - Returns: what is given up to the next stretch, if one goes back.
    mutating func endMedia() -> [SampleShare.Part] {
        var parts: [SampleShare.Part] = []
        if var last = held?.packet, let end = held?.end {
            held = nil
            last.cut(at: end)
            place.frame = last.frames.upperBound
            if last.frames.isEmpty { place.packet = last.number } else { parts = share(ofHeld: last) }
        }
        return splicer.isAway ? parts : parts + splicer.endMedia(packet: place.packet, frame: place.frame)
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

    // MARK: Going elsewhere

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
        held = nil
        place = entry.fragment.map { Place(packet: $0.packet, frame: $0.frame, time: $0.time) } ?? Place()
        splicer.begin(entry.stretch, isOpen: entry.isOpen)
    }
}
