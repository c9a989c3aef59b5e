import AudioCore

// A song of which an edit list plays several stretches is given as these packets:
//
//   of the first stretch   those from the media's beginning on: what lies before the stretch is priming, as ever
//   of every other one     a splice: what the decoder needs, and the packet with the first frame; then the rest
//   of all of them         the last is cut off by its frame count
//   silence between        ``SilentPackets``, given together with the last packet before it
//
// So no frame is given that is not heard, but for the priming. Linear PCM and G.711 are cut by their bytes, without a
// splice. Which packet of the media is where in that order the tables tell alone, so that seeks are exact; where what
// is in the packets contradicts the tables, the tables hold. Where a sample is a bundle of packets its time tells how
// many.
//
// Of fragments nothing is known before they come. There the packets of a stretch are noted as they go by
// (``StreamedSong``).

/// The stretches of a media that are heard one after another, and where their packets are.
struct EditedSong {
    struct Stretch {
        /// Frames of the media; of the first stretch from 0 on.
        var frames: Range<Int64>
        /// Packets of the media: the first that is decoded, those with the first and the last frame. Those that have
        /// not come yet are ``unknown``.
        var start = Self.unknown
        var first = Self.unknown
        var last = Self.unknown
        /// Frames of silence in front of it.
        var silence: Int64 = 0
        /// Of its first packet among those that are given, and of its first frame among theirs.
        var number: Int64 = Self.unknown
        var frame: Int64 = 0
        /// Begins in the media before the one before ended.
        var goesBack = false

        static let unknown = Int64.max

        var packetCount: Int64 { last - first + 1 }
        var frameCount: Int64 { frames.upperBound - frames.lowerBound }
    }

    /// Where in the tables a stretch begins: before its ``Stretch/start``.
    struct Origin {
        var cursor: SampleTableCursor
        /// Nil where packets are cut by bytes.
        var clock: PacketClock?
        /// Where samples are bundles.
        var bundles: BundleClock?
    }

    private(set) var stretches: [Stretch]
    /// Of each stretch; none where no table tells.
    private(set) var origins: [Origin] = []
    let primingFrameCount: Int64
    /// Of what is given; packets only where tables tell.
    private(set) var packetCount: Int64 = 0
    private(set) var frameCount: Int64 = 0
    /// Nil where only the packets themselves tell.
    private(set) var byteCount: Int64?
    /// No packet that is made here has more; 0 where that is not known.
    private(set) var largestMadeByteCount: Int64 = 0
    let silentPackets: SilentPackets
    let preroll: SplicePreroll
    /// Frames that a splice can need before its stretch, where no table tells.
    let prerollFrameCount: Int64
    /// How samples are cut into packets.
    let bundle: SampleBundle?
    /// Whether packets are cut by their bytes.
    let isCutByBytes: Bool

    /// Of tables.
    init(
        _ stretches: [(Stretch, Origin)], of entry: SampleEntry, priming: Int64, byteCount: Int64?,
        largestMadeByteCount: Int64
    ) {
        self.init(stretches.map(\.0), of: entry, priming: priming)
        origins = stretches.map(\.1)
        self.byteCount = byteCount
        self.largestMadeByteCount = largestMadeByteCount
        for index in stretches.indices {
            packetCount += silentPackets.packetCount(ofFrames: self.stretches[index].silence)
            self.stretches[index].number = packetCount
            packetCount += self.stretches[index].packetCount
        }
    }

    init(_ stretches: [Stretch], of entry: SampleEntry, priming: Int64, prerollFrameCount: Int64 = 0) {
        self.stretches = stretches
        silentPackets = SilentPackets(entry)
        preroll = SplicePreroll(entry)
        bundle = entry.bundle
        isCutByBytes = entry.blocks?.framesPerBlock == 1
        primingFrameCount = priming
        self.prerollFrameCount = prerollFrameCount
        countFrames()
    }

    private mutating func countFrames() {
        frameCount = 0
        for index in stretches.indices {
            frameCount += stretches[index].silence
            stretches[index].frame = frameCount
            frameCount += stretches[index].frameCount
        }
    }

    /// Whether it goes on to the end of a media whose end is not known.
    var isOpenEnded: Bool { stretches.last?.frames.upperBound == MovieLengths.unknownEnd }

    /// Whether packets are known only when they come.
    var isStreamed: Bool { origins.isEmpty }

    // Where no table tells.

    mutating func noteBeginning(of index: Int, packet: Int64, start: Int64) {
        stretches[index].first = packet
        stretches[index].start = start
    }

    mutating func noteEnd(of index: Int, packet: Int64) {
        stretches[index].last = packet
        guard index + 1 < stretches.count else { return }
        stretches[index + 1].number =
            stretches[index].number + stretches[index].packetCount
            + silentPackets.packetCount(ofFrames: stretches[index + 1].silence)
    }

    /// Ends a stretch where the media does: behind the packet and the frame before these.
    mutating func cut(_ index: Int, atPacket packet: Int64, frame: Int64) {
        let frames = stretches[index].frames
        stretches[index].frames = frames.lowerBound..<max(frames.lowerBound, min(frames.upperBound, frame))
        countFrames()
        stretches[index].first = min(stretches[index].first, packet)
        noteEnd(of: index, packet: packet - 1)
    }

    var table: AudioPacketTableInfo { table(givenFrameCount: frameCount) }

    /// Of a song of which so much was given.
    /// - Parameter remainder: the last frames, which are not heard.
    func table(givenFrameCount count: Int64, remainder: Int64 = 0) -> AudioPacketTableInfo {
        let priming = min(primingFrameCount, count)
        let valid = max(0, count - priming - remainder)
        return AudioPacketTableInfo(
            validFrameCount: valid, primingFrameCount: Int(priming),
            remainderFrameCount: Int(clamping: count - priming - valid))
    }
}

extension EditedSong.Origin {
    /// Packet of the media with a frame of the stretch.
    fileprivate func packet(atFrame frame: Int64) -> Int64? {
        if var clock { return clock.packet(atFrame: frame) }
        var cursor = cursor
        return cursor.advance(toFrame: frame) ? cursor.packet : nil
    }

    /// Where in the media a packet of it begins.
    fileprivate func frame(ofPacket packet: Int64) -> Int64? {
        if var clock { return clock.frame(ofPacket: packet) }
        var cursor = cursor
        return cursor.advance(toPacket: packet) ? cursor.frame : nil
    }
}

// MARK: Places, in packets and frames as they are given

extension EditedSong {
    /// The stretch with a packet; of one of silence the stretch in front of it.
    func stretch(ofPacket number: Int64) -> Int? {
        guard number >= 0, number < packetCount else { return nil }
        return stretches.lastIndex { $0.number <= number }
    }

    func packet(containingFrame frame: Int64) -> (packet: Int64, frameOffset: Int)? {
        guard frame >= 0, frame < frameCount, let index = stretches.lastIndex(where: { $0.frame <= frame }) else {
            return nil
        }
        let stretch = stretches[index]
        let place = frame - stretch.frame
        guard place < stretch.frameCount else {
            let (number, offset) = (place - stretch.frameCount).quotientAndRemainder(
                dividingBy: silentPackets.frameCount)
            return (stretch.number + stretch.packetCount + number, Int(offset))
        }
        guard let found = origins[index].packet(atFrame: stretch.frames.lowerBound + place) else { return nil }
        let packet = stretch.number + min(max(found, stretch.first), stretch.last) - stretch.first
        guard let first = firstFrame(ofPacket: packet) else { return nil }
        return (packet, Int(clamping: frame - first))
    }

    func firstFrame(ofPacket number: Int64) -> Int64? {
        guard let index = stretch(ofPacket: number) else { return nil }
        let stretch = stretches[index]
        let packet = stretch.first + number - stretch.number
        guard packet <= stretch.last else {
            return stretch.frame + stretch.frameCount + (packet - stretch.last - 1) * silentPackets.frameCount
        }
        guard packet > stretch.first else { return stretch.frame }
        return origins[index].frame(ofPacket: packet).map { stretch.frame + $0 - stretch.frames.lowerBound }
    }

    /// What is given behind a stretch.
    func silence(behind stretch: Int) -> [SampleShare.Part] {
        guard stretch + 1 < stretches.count, stretches[stretch + 1].silence > 0 else { return [] }
        return silentPackets.packets(ofFrames: stretches[stretch + 1].silence)
    }

    /// The packet that one of these of the media is first given as, or as a part of; nil if they are left out.
    func packet(ofMedia packets: ClosedRange<Int64>) -> Int64? {
        if let stretch = stretches.first(where: { ($0.first...$0.last).overlaps(packets) }) {
            return stretch.number + max(0, packets.lowerBound - stretch.first)
        }
        return stretches.first { ($0.start...$0.last).overlaps(packets) }?.number
    }
}
