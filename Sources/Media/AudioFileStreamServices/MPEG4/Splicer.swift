import AudioCore

// Packets of the media are taken once, in their order, as long as the stretches ascend: one that a stretch ends in may
// be what the decoder needs for the next stretch, or where that begins, or more of them. So packets are kept from where
// the next stretch's splice begins. Where that is, the tables tell in front. In fragments it is seen when the first
// packet of the stretch goes by: until then those are kept that may be needed then, no more than a splice can hold.

/// Takes the packets of the media one after another, and says what of them is given.
struct Splicer {
    /// A packet of the media.
    struct Packet {
        var number: Int64
        var frames: Range<Int64>
        var content: SampleShare.Content
        /// Those that it decodes to behind its frames.
        private(set) var excess: Int64 = 0

        init(number: Int64, frames: Range<Int64>, content: SampleShare.Content) {
            (self.number, self.frames, self.content) = (number, frames, content)
        }

        mutating func cut(at end: Int64) {
            let end = max(frames.lowerBound, end)
            excess = frames.upperBound - end
            frames = frames.lowerBound..<end
        }

        /// Frames that it can decode to.
        var frameCount: Int { Splicer.count(frames.lowerBound..<frames.upperBound + excess) }
    }

    private struct Kept {
        var packet: Int64
        var bytes: [UInt8]
        var frameCount: Int
        var frame: Int64
    }

    private(set) var song: EditedSong
    /// Of the stretch that is given, or comes next.
    private(set) var index = 0
    /// Something of the stretch was given.
    private(set) var isOpen = true
    /// The stretch is somewhere else in the media.
    private(set) var isAway = false
    private var kept: [Kept] = []
    /// Bytes of the file; where only what comes is known, of what has come.
    var fileByteCount: Int64 = 0
    private var givenByteCount: Int64 = 0
    /// More was asked for than the file is worth.
    private(set) var isExhausted = false

    /// Of the last stretch that goes back; -1 if none does.
    private let lastReturn: Int

    /// At the beginning.
    init(_ song: EditedSong) {
        self.song = song
        lastReturn = song.stretches.lastIndex(where: \.goesBack) ?? -1
    }

    /// A stretch is to come that goes back.
    var hasReturns: Bool { index < lastReturn }

    /// All stretches have been given.
    var isOver: Bool { index == song.stretches.count }

    mutating func begin(_ index: Int, isOpen: Bool) {
        (self.index, self.isOpen, isAway) = (index, isOpen, false)
        kept = []
    }

    /// - Parameter packet: the last of the media that has been read.
    mutating func beginNextStretch(readUpTo packet: Int64) {
        index += 1
        isOpen = false
        guard !isOver else { return }
        isAway = song.stretches[index].goesBack || !song.isStreamed && song.stretches[index].start > packet
    }

    /// The media of a song that is streamed ends: what its list has behind the end is not there.
    /// - Parameters:
    ///   - packet: behind the last one.
    ///   - frame: behind the last one.
    /// - Returns: the silence up to the next stretch if one goes back from here, which is away then.
    mutating func endMedia(packet: Int64, frame: Int64) -> [SampleShare.Part] {
        guard !isOver, song.stretches[(index + 1)...].contains(where: { $0.frames.lowerBound < frame }) else {
            return []
        }
        var parts: [SampleShare.Part] = []
        repeat {
            song.cut(index, atPacket: packet, frame: frame)
            parts += song.silence(behind: index)
            beginNextStretch(readUpTo: packet - 1)
        } while song.stretches[index].frames.lowerBound >= frame
        return parts
    }

    // MARK: Delivering packets

    /// Whether nothing is to be done with a packet but to give all of it.
    func isInside(_ packet: Packet) -> Bool {
        guard !isOver, isOpen, !isKept(packet) else { return false }
        return song.isStreamed
            ? packet.frames.upperBound < song.stretches[index].frames.upperBound
            : packet.number < song.stretches[index].last
    }

    /// Adds what the stretches give of a packet: the end of one, silence, the beginning of the next, or all of some.
    /// - Parameter last: of the media that has been read with it.
    mutating func give(
        _ packet: Packet, of bytes: RawSpan, readUpTo last: Int64, into parts: inout [SampleShare.Part]
    ) {
        if isKept(packet) { keep(packet, of: bytes) }
        while !isOver {
            if song.isStreamed { find(packet) }
            let current = song.stretches[index]
            let heard = packet.frames.clamped(to: current.frames)
            if isOpen {
                if let part = part(packet, heard) { parts.append(part) }
            } else {
                guard packet.number >= current.first else { break }
                isOpen = true
                // What is cut by its bytes, or is so long that nothing can be put before it, is no splice.
                guard let splice = splice(current, from: heard.lowerBound) else { continue }
                guard spend(splice.count) else { break }
                parts.append(SampleShare.Part(content: .made(splice), frameCount: Self.count(heard)))
            }
            guard !isExhausted, packet.number >= current.last else { break }
            parts += song.silence(behind: index)
            beginNextStretch(readUpTo: last)
            if isAway { break }
        }
    }

    /// What is heard of a packet without a splice; nil if that is nothing, or may not be given any more.
    private mutating func part(_ packet: Packet, _ heard: Range<Int64>) -> SampleShare.Part? {
        guard song.isCutByBytes, case .read(let range) = packet.content, !packet.frames.isEmpty else {
            guard spend(packet.content.byteCount) else { return nil }
            return SampleShare.Part(content: packet.content, frameCount: Self.count(heard))
        }
        guard !heard.isEmpty else { return nil }
        let bytesPerFrame = range.count / packet.frames.count
        let start = range.lowerBound + Int(heard.lowerBound - packet.frames.lowerBound) * bytesPerFrame
        let cut = start..<start + heard.count * bytesPerFrame
        guard spend(cut.count) else { return nil }
        return SampleShare.Part(content: .read(cut), frameCount: Self.count(heard))
    }

    /// The packets that are kept, as the beginning of a stretch; nil if there are none.
    private mutating func splice(_ stretch: EditedSong.Stretch, from frame: Int64) -> [UInt8]? {
        while let first = kept.first, first.packet < stretch.start || spliceByteCount > Limits.packetByteCount {
            kept.removeFirst()
        }
        guard let first = kept.first else { return nil }
        return AudioPacketSplice.bytes(
            dropping: Int(frame - first.frame), of: kept.map { ($0.bytes, $0.frameCount) }, streamFrame: first.frame)
    }

    /// Frames that a packet can have.
    private static func count(_ frames: Range<Int64>) -> Int {
        Int(max(1, min(frames.upperBound - frames.lowerBound, Int64(Limits.packetFrameCount))))
    }

    /// Whether so many bytes may still be given.
    mutating func spend(_ byteCount: Int) -> Bool {
        givenByteCount &+= Int64(byteCount)
        isExhausted = (givenByteCount - 1) / AudioFileStreamLimits.editedMultiple >= fileByteCount
        return !isExhausted
    }

    // MARK: Keeping

    private var spliceByteCount: Int {
        kept.reduce(AudioPacketSplice.headerByteCount) {
            $0 + AudioPacketSplice.packetHeaderByteCount + $1.bytes.count
        }
    }

    /// Whether a splice to come needs it, or may need it.
    private func isKept(_ packet: Packet) -> Bool {
        let next = isOpen ? index + 1 : index
        guard next < song.stretches.count, !song.isCutByBytes, !isOpen || !song.stretches[next].goesBack else {
            return false
        }
        return song.isStreamed
            ? packet.frames.upperBound > song.stretches[next].frames.lowerBound - song.prerollFrameCount
            : packet.number >= song.stretches[next].start
    }

    private mutating func keep(_ packet: Packet, of bytes: RawSpan) {
        if let last = kept.last, last.packet != packet.number - 1 { kept = [] }
        kept.append(
            Kept(
                packet: packet.number, bytes: packet.content.bytes(of: bytes), frameCount: packet.frameCount,
                frame: packet.frames.lowerBound))
        guard song.isStreamed else { return }
        // No splice can hold more.
        if kept.count > AudioPacketSplice.largestPacketCount { kept.removeFirst() }
        while kept.count > 1, spliceByteCount > Limits.packetByteCount { kept.removeFirst() }
    }

    /// Notes where a stretch of a song that is streamed begins and ends, if it does so in a packet.
    private mutating func find(_ packet: Packet) {
        let frames = song.stretches[index].frames
        if !isOpen {
            guard packet.frames.upperBound > frames.lowerBound else { return }
            song.noteBeginning(of: index, packet: packet.number, start: start(of: packet))
        }
        if packet.frames.upperBound >= frames.upperBound { song.noteEnd(of: index, packet: packet.number) }
    }

    /// The first of the packets that are kept with which a splice must begin.
    private func start(of packet: Packet) -> Int64 {
        guard let first = kept.first, kept.last?.packet == packet.number else { return packet.number }
        return song.preroll.start(
            of: packet.number, earliest: first.packet,
            firstFrame: { number in
                number > packet.number ? packet.frames.upperBound : kept[Int(number - first.packet)].frame
            },
            size: { number in Int64(kept[Int(number - first.packet)].bytes.count) })
    }
}
