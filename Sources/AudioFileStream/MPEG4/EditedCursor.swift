import AudioCore

// Packets of the media are read once, in their order, as long as the stretches ascend: one that a stretch ends in may
// be what the decoder needs for the next stretch, or where that begins, or more of them. So packets are kept from where
// the next stretch's splice begins. Only where stretches go back in the media is the file gone back in.

/// Goes through the packets of the media that an edited song is made of, and says what of them is given.
struct EditedCursor: SampleCursor {
    static var isEdited: Bool { true }

    private struct Kept {
        var packet: Int64
        var bytes: [UInt8]
        var frameCount: Int
        var frame: Int64
    }

    private let song: EditedSong
    /// Nil where only what comes is known.
    private let fileByteCount: Int64?
    private var base: SampleTableCursor
    private var clock: PacketClock?
    private var stretch = 0
    /// Something of the stretch was given.
    private var isOpen = true
    /// The stretch is somewhere else in the media.
    private var isAway = false
    private var kept: [Kept] = []
    private var givenByteCount: Int64 = 0
    private(set) var isExhausted = false

    /// From wherever in the first stretch `base` is.
    init(_ song: EditedSong, from base: SampleTableCursor, fileByteCount: Int64?) {
        self.song = song
        self.fileByteCount = fileByteCount
        self.base = base
        clock = song.stretches[0].clock
    }

    /// From a packet that is given, or from one before it: silence comes with what is in front of it, and packets that
    /// the next stretch needs must be read all.
    /// - Returns: nil if there is no such packet.
    init?(_ song: EditedSong, atPacket number: Int64, fileByteCount: Int64?) {
        guard let index = song.stretch(ofPacket: number) else { return nil }
        let target = song.stretches[index]
        self.init(song, from: target.cursor, fileByteCount: fileByteCount)
        stretch = index
        clock = target.clock
        var packet = min(target.last, target.first + number - target.number)
        if !song.isCutByBytes, let next = song.stretches.dropFirst(index + 1).first, !next.goesBack {
            packet = max(target.first, min(packet, next.start))
        }
        isOpen = song.isCutByBytes || index == 0 || packet > target.first
        if isOpen { guard base.advance(toPacket: packet) else { return nil } }
    }

    /// Of the packet that is given next, among those that are.
    var number: Int64 {
        let stretch = song.stretches[min(stretch, song.stretches.count - 1)]
        return stretch.number + max(0, base.packet - stretch.first)
    }

    // MARK: Reading

    mutating func next() -> SamplePlace? {
        while stretch < song.stretches.count {
            if isAway { goToStretch() }
            if let place = base.next(), base.packet <= song.stretches[stretch].last {
                return song.isCutByBytes ? heard(of: place) : place
            }
            // It went by, or cannot be had.
            beginNextStretch(readUpTo: base.packet - 1)
        }
        return nil
    }

    mutating func pass(_ place: SamplePlace) {
        guard song.isCutByBytes else { return base.pass(place) }
        if let whole = base.next() { base.pass(whole) }
    }

    /// Of linear PCM and its like: the frames that the stretch has of a packet.
    private func heard(of place: SamplePlace) -> SamplePlace {
        guard let bytesPerFrame = base.blocks?.bytesPerBlock else { return place }
        let frames = song.stretches[stretch].frames
        let first = max(0, frames.lowerBound - base.frame)
        let count = min(place.duration, frames.upperBound - base.frame) - first
        return SamplePlace(
            offset: place.offset &+ first * bytesPerFrame, byteCount: count * bytesPerFrame, duration: count)
    }

    private mutating func beginNextStretch(readUpTo packet: Int64) {
        stretch += 1
        isOpen = false
        guard stretch < song.stretches.count else { return }
        isAway = song.isCutByBytes || song.stretches[stretch].goesBack || song.stretches[stretch].start > packet
    }

    private mutating func goToStretch() {
        isAway = false
        base = song.stretches[stretch].cursor
        clock = song.stretches[stretch].clock
        kept = []
    }

    // MARK: Giving

    mutating func share(of sample: SamplePlace, _ bytes: RawSpan, at place: Int) -> SampleShare {
        let packet = base.packet
        guard let first = clock?.frame(ofPacket: packet), let end = clock?.frame(ofPacket: packet + 1) else {
            guard spend(sample.byteCount, on: sample) else { return .parts([]) }
            let silence = packet == song.stretches[stretch].last ? song.silence(behind: stretch) : []
            guard !silence.isEmpty else { return .whole }
            return .parts([SampleShare.Part(bytes: nil, frameCount: Int(sample.duration))] + silence)
        }
        let frames = first..<max(first, end)
        let keeps = isKept(packet)
        if isOpen, !keeps, packet < song.stretches[stretch].last {
            return spend(sample.byteCount, on: sample) ? .part(frameCount: Self.count(frames)) : .parts([])
        }
        if keeps {
            if let last = kept.last, last.packet != packet - 1 { kept = [] }
            let copy = bytes.extracting(place..<place + Int(sample.byteCount)).copy(0..<Int(sample.byteCount))
            kept.append(Kept(packet: packet, bytes: copy, frameCount: Self.count(frames), frame: frames.lowerBound))
        }
        return .parts(parts(of: sample, packet, frames))
    }

    /// Whether a splice to come needs it.
    private func isKept(_ packet: Int64) -> Bool {
        if !isOpen { return true }
        guard stretch + 1 < song.stretches.count else { return false }
        // Field by field: a copy of all costs more than the packet.
        return !song.stretches[stretch + 1].goesBack && packet >= song.stretches[stretch + 1].start
    }

    /// What the stretches give of a packet: the end of one, silence, the beginning of the next, or all of some.
    private mutating func parts(
        of sample: SamplePlace, _ packet: Int64, _ frames: Range<Int64>
    ) -> [SampleShare.Part] {
        var parts: [SampleShare.Part] = []
        while stretch < song.stretches.count {
            let current = song.stretches[stretch]
            let heard = frames.clamped(to: current.frames)
            if isOpen {
                guard spend(sample.byteCount, on: sample) else { break }
                parts.append(SampleShare.Part(bytes: nil, frameCount: Self.count(heard)))
            } else {
                while let first = kept.first, first.packet < current.start { kept.removeFirst() }
                guard packet >= current.first, let first = kept.first else { break }
                isOpen = true
                let splice = AudioPacketSplice.bytes(
                    dropping: Int(heard.lowerBound - first.frame), of: kept.map { ($0.bytes, $0.frameCount) },
                    streamFrame: first.frame)
                // A packet may be so long that nothing can be put before it: as it is, it is as long all the same.
                guard splice.count <= Limits.packetByteCount else { continue }
                guard spend(Int64(splice.count), on: sample) else { break }
                parts.append(SampleShare.Part(bytes: splice, frameCount: Self.count(heard)))
            }
            guard packet >= current.last else { break }
            parts += song.silence(behind: stretch)
            beginNextStretch(readUpTo: packet)
            if isAway { break }
        }
        return parts
    }

    /// Frames that a packet can have.
    private static func count(_ frames: Range<Int64>) -> Int {
        Int(max(1, min(frames.upperBound - frames.lowerBound, Int64(Limits.packetFrameCount))))
    }

    /// Whether so many bytes may still be given: a file that is read in its order is as long as what was read of it.
    private mutating func spend(_ byteCount: Int64, on sample: SamplePlace) -> Bool {
        let length = fileByteCount ?? (sample.offset &+ sample.byteCount)
        givenByteCount &+= byteCount
        isExhausted = givenByteCount / AudioFileStreamLimits.editedMultiple > length
        return !isExhausted
    }

    // MARK: As the table's

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
