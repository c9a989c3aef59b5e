import AudioCore

// Only where stretches go back in the media is the file gone back in.

/// Goes through the packets of a table that an edited song is made of, and says what of them is given.
struct EditedCursor: EditingCursor {
    private var splicer: Splicer
    /// Nil where only what comes is known.
    private let fileByteCount: Int64?
    var base: SampleTableCursor
    private var clock: PacketClock?
    /// Where samples are bundles.
    private var bundles: BundleClock?

    /// From the beginning.
    init(_ song: EditedSong, from base: SampleTableCursor, fileByteCount: Int64?) {
        splicer = Splicer(song)
        self.fileByteCount = fileByteCount
        self.base = base
        clock = song.origins[0].clock
        bundles = song.origins[0].bundles
    }

    /// From a packet that is given, or from one before it: silence comes with what is in front of it, packets that the
    /// next stretch needs must be read all, and a bundle is read as a whole.
    /// - Returns: nil if there is no such packet.
    init?(_ song: EditedSong, atPacket number: Int64, fileByteCount: Int64?) {
        guard let index = song.stretch(ofPacket: number) else { return nil }
        let target = song.stretches[index]
        self.init(song, from: song.origins[index].cursor, fileByteCount: fileByteCount)
        clock = song.origins[index].clock
        bundles = song.origins[index].bundles
        var packet = min(target.last, target.first + number - target.number)
        if let next = song.stretches.dropFirst(index + 1).first, !next.goesBack {
            packet = max(target.first, min(packet, next.start))
        }
        let sample = bundles?.sample(ofPacket: packet)
        let isOpen = index == 0 || sample?.firstPacket ?? packet > target.first
        splicer.begin(index, isOpen: isOpen)
        if isOpen { guard base.advance(toPacket: sample?.sample ?? packet) else { return nil } }
    }

    /// Of the packet that is given next, among those that are.
    var number: Int64 {
        mutating get {
            let stretch = splicer.song.stretches[min(splicer.index, splicer.song.stretches.count - 1)]
            return stretch.number + max(0, packet - stretch.first)
        }
    }

    /// Of the media, the next one.
    private var packet: Int64 {
        mutating get { bundles?.firstPacket(ofSample: base.packet) ?? base.packet }
    }

    // MARK: Reading

    mutating func next() -> SamplePlace? {
        while !splicer.isOver {
            if splicer.isAway { goToStretch() }
            if let place = base.next(), packet <= splicer.song.stretches[splicer.index].last { return place }
            // It went by, or cannot be had.
            splicer.beginNextStretch(readUpTo: packet - 1)
        }
        return nil
    }

    private mutating func goToStretch() {
        splicer.begin(splicer.index, isOpen: false)
        base = splicer.song.origins[splicer.index].cursor
        clock = splicer.song.origins[splicer.index].clock
        bundles = splicer.song.origins[splicer.index].bundles
    }

    // MARK: Delivering packets

    mutating func share(of sample: SamplePlace, _ bytes: RawSpan, at place: Int) -> SampleShare {
        splicer.fileByteCount = fileByteCount ?? (sample.offset &+ sample.byteCount)
        let range = place..<place + Int(sample.byteCount)
        if let bundle = splicer.song.bundle { return share(of: bundle, sample, bytes, range) }
        let packet = packet
        let given = Splicer.Packet(number: packet, frames: frames(of: packet, sample), content: .read(range))
        if splicer.isInside(given) {
            return splicer.spend(range.count) ? .part(frameCount: given.frameCount) : .parts([])
        }
        var parts: [SampleShare.Part] = []
        splicer.give(given, of: bytes, readUpTo: packet, into: &parts)
        return .parts(parts)
    }

    private mutating func frames(of packet: Int64, _ sample: SamplePlace) -> Range<Int64> {
        guard let first = clock?.frame(ofPacket: packet), let end = clock?.frame(ofPacket: packet + 1) else {
            return base.frame..<base.frame + sample.duration
        }
        return first..<max(first, end)
    }

    /// A bundle is as many packets as its time says. Those that it lacks are such without speech.
    private mutating func share(
        of bundle: SampleBundle, _ sample: SamplePlace, _ bytes: RawSpan, _ range: Range<Int>
    ) -> SampleShare {
        let (first, count) = (packet, bundles?.table.packetCount(ofTime: sample.duration) ?? 1)
        func given(_ number: Int64, _ content: SampleShare.Content) -> Splicer.Packet {
            let frame = number * Int64(bundle.frameCount)
            return Splicer.Packet(number: number, frames: frame..<frame + Int64(bundle.frameCount), content: content)
        }
        if splicer.isInside(given(first, .read(range))), splicer.isInside(given(first + count - 1, .read(range))),
            bundle.packets(bytes, range) == (count, range.upperBound)
        {
            return splicer.spend(range.count) ? .whole : .parts([])
        }
        var parts: [SampleShare.Part] = []
        var place = range.lowerBound
        for number in first..<first + count {
            var content = SampleShare.Content.made(SampleBundle.emptyPacket)
            if let byteCount = bundle.packetByteCount(bytes, at: place, end: range.upperBound) {
                content = .read(place..<place + byteCount)
                place += byteCount
            } else {
                place = range.upperBound
            }
            splicer.give(given(number, content), of: bytes, readUpTo: first + count - 1, into: &parts)
            if splicer.isAway || splicer.isOver || splicer.isExhausted { break }
        }
        return .parts(parts)
    }

    var isExhausted: Bool { splicer.isExhausted }
}
