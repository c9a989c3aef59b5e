import AudioCore

extension EditedSong {
    /// What there is to plan with.
    struct Media {
        var table: SampleTable
        /// As the first packet showed.
        var entry: SampleEntry
        var lengths: MovieLengths
        var totals: SampleTable.Totals

        /// Nil where packets are cut by bytes.
        fileprivate var frameCounts: FrameCounts? {
            if let blocks = entry.blocks {
                return blocks.framesPerBlock == 1 ? nil : .constant(Int(blocks.framesPerBlock * blocks.blocksPerPacket))
            }
            switch entry.counting {
            case .constant(let count): return .constant(count)
            case .mpeg: return .constant(max(1, entry.format.framesPerPacket))
            case .time, .opus, .alac: return .timed
            }
        }

        fileprivate enum FrameCounts {
            case constant(Int), timed
        }
    }

    /// Time and memory are linear in the tables, and in the stretches.
    /// - Parameter largestReturnCount: how often the media may be gone back in.
    /// - Returns: nil for stretches that are too many, or make too much of the media.
    init?(_ edited: [EditedStretch], of media: Media, largestReturnCount: Int) {
        guard edited.count > 1, edited.count <= AudioFileStreamLimits.editedStretchCount, media.totals.packetCount > 0
        else { return nil }
        let ranges = edited.map(\.frames)
        var media = media
        media.table.dropEmptyTimeRuns()
        let returnCount = zip(ranges, ranges.dropFirst()).count { $1.lowerBound < $0.upperBound }
        var frames = ranges
        frames[0] = 0..<ranges[0].upperBound
        let total = frames.reduce(Int128(0)) { $0 + Int128($1.upperBound - $1.lowerBound) }
        let end = frames.reduce(0) { max($0, $1.upperBound) }
        guard returnCount <= largestReturnCount, total <= Int128(end) * Int128(AudioFileStreamLimits.editedMultiple)
        else { return nil }

        var stretches: [Stretch]
        if let counts = media.frameCounts {
            guard let planned = Self.packets(frames, of: media, counts) else { return nil }
            stretches = planned
        } else {
            guard let planned = Self.blocks(frames, of: media) else { return nil }
            stretches = planned
        }
        for index in stretches.indices.dropFirst() {
            stretches[index].goesBack = ranges[index].lowerBound < ranges[index - 1].upperBound
            stretches[index].silence = edited[index].silence
        }
        let packets = stretches.reduce(0) { $0 + $1.packetCount }
        guard packets <= (media.totals.packetCount + Int64(frames.count)) * AudioFileStreamLimits.editedMultiple else {
            return nil
        }
        let (bytes, largest) = Self.byteCounts(stretches, of: media, frameCount: Int64(total))
        guard bytes <= media.totals.byteCount * AudioFileStreamLimits.editedMultiple else { return nil }

        let silentPackets = SilentPackets(media.entry)
        let silence = edited.reduce(Int128(0)) { $0 + Int128($1.silence) }
        guard silence <= Int128(AudioFileStreamLimits.editedSilenceFrameCount) else { return nil }
        let silentByteCount = edited.reduce(0) { $0 + silentPackets.byteCount(ofFrames: $1.silence) }
        guard silentByteCount <= AudioFileStreamLimits.editedSilenceByteCount else { return nil }
        self.init(
            stretches: stretches, silentPackets: silentPackets, priming: ranges[0].lowerBound,
            byteCount: bytes + silentByteCount,
            largestMadeByteCount: silence > 0 ? max(largest, silentPackets.largestByteCount) : largest)
    }

    /// Packets that are decoded as a whole.
    private static func packets(
        _ frames: [Range<Int64>], of media: Media, _ counts: Media.FrameCounts
    ) -> [Stretch]? {
        var frameCount: Int?
        if case .constant(let count) = counts { frameCount = count }
        guard
            let clock = PacketClock(
                media.table, frameCount: frameCount, timescale: media.lengths.mediaTimescale,
                sampleRate: media.lengths.sampleRate)
        else { return nil }
        let preroll = SplicePreroll(media.entry)
        let final = media.totals.packetCount - 1
        let fresh = SampleTableCursor(media.table, blocks: media.entry.blocks)
        var stretches = frames.map { Stretch(frames: $0, start: 0, first: 0, last: 0, cursor: fresh, clock: clock) }

        var ascending = clock
        for index in frames.indices.sorted(by: { frames[$0].upperBound < frames[$1].upperBound }) {
            stretches[index].last = min(final, ascending.packet(atFrame: frames[index].upperBound - 1))
        }
        ascending = clock
        var cursor = fresh
        let order = frames.indices.sorted {
            (frames[$0].lowerBound, $0) < (frames[$1].lowerBound, $1)
        }
        for index in order where index > 0 {
            let first = min(final, ascending.packet(atFrame: frames[index].lowerBound))
            let start = preroll.start(of: first, &ascending) { media.size(ofPacket: $0) }
            // A packet so long is none; all the same it must not be reckoned with.
            let length = ascending.frame(ofPacket: first + 1) - ascending.frame(ofPacket: first)
            guard length <= Int64(Limits.packetFrameCount), cursor.advance(toPacket: start), cursor.packet == start
            else { return nil }
            (stretches[index].start, stretches[index].first) = (start, first)
            stretches[index].cursor = cursor
            var clock = ascending
            _ = clock.frame(ofPacket: start)
            stretches[index].clock = clock
        }
        return stretches.allSatisfy { $0.first <= $0.last } ? stretches : nil
    }

    /// Packets that may be cut anywhere.
    private static func blocks(_ frames: [Range<Int64>], of media: Media) -> [Stretch]? {
        var cursor = SampleTableCursor(media.table, blocks: media.entry.blocks)
        var stretches: [(index: Int, stretch: Stretch)] = []
        for index in frames.indices.sorted(by: { frames[$0].lowerBound < frames[$1].lowerBound }) {
            guard cursor.advance(toFrame: frames[index].lowerBound) else { return nil }
            var end = cursor
            guard end.advance(toFrame: frames[index].upperBound - 1) else { return nil }
            let stretch = Stretch(
                frames: frames[index], start: cursor.packet, first: cursor.packet, last: end.packet, cursor: cursor)
            stretches.append((index, stretch))
        }
        return stretches.sorted { $0.index < $1.index }.map(\.stretch)
    }

    /// Bytes of all packets that are given, and of the largest splice.
    private static func byteCounts(
        _ stretches: [Stretch], of media: Media, frameCount: Int64
    ) -> (total: Int64, largest: Int64) {
        guard stretches[0].clock != nil else { return (frameCount * (media.entry.blocks?.bytesPerBlock ?? 0), 0) }
        var (total, largest) = (Int64(0), Int64(0))
        for (index, stretch) in stretches.enumerated() {
            var first = stretch.first
            if index > 0 {
                let splice = (stretch.start...stretch.first).reduce(Int64(AudioPacketSplice.headerByteCount)) {
                    $0 + Int64(AudioPacketSplice.packetHeaderByteCount) + media.size(ofPacket: $1)
                }
                largest = max(largest, splice)
                total += splice
                first += 1
            }
            total += media.byteCount(ofPackets: first..<stretch.last + 1)
        }
        return (total, largest)
    }
}

extension EditedSong.Media {
    fileprivate func size(ofPacket packet: Int64) -> Int64 {
        entry.blocks?.bytesPerPacket ?? table.size(ofSample: packet)
    }

    fileprivate func byteCount(ofPackets packets: Range<Int64>) -> Int64 {
        if entry.blocks != nil || table.constantSize > 0 { return Int64(packets.count) * size(ofPacket: 0) }
        return packets.reduce(0) { $0 + table.size(ofSample: $1) }
    }
}
