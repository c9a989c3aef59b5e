import AudioCore

extension EditedSong {
    /// What there is to plan with.
    struct Media {
        var table: SampleTable
        /// As the first packet showed.
        var entry: SampleEntry
        var lengths: MovieLengths
        var totals: SampleTable.Totals
        /// Where samples are bundles.
        var bundles: BundledTable?

        fileprivate var packetCount: Int64 { bundles?.packetCount(ofFirst: totals.packetCount) ?? totals.packetCount }

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
        // No packet is without a byte, whatever the times of bundles say.
        guard media.bundles == nil || media.packetCount <= media.totals.byteCount else { return nil }
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

        guard let silentByteCount = Self.silentByteCount(edited, SilentPackets(media.entry)),
            var stretches = media.frameCounts.map({ Self.packets(frames, of: media, $0) })
                ?? Self.blocks(frames, of: media)
        else { return nil }
        for index in stretches.indices.dropFirst() {
            stretches[index].0.goesBack = ranges[index].lowerBound < ranges[index - 1].upperBound
            stretches[index].0.silence = edited[index].silence
        }
        let packets = stretches.reduce(0) { $0 + $1.0.packetCount }
        guard packets <= (media.packetCount + Int64(frames.count)) * AudioFileStreamLimits.editedMultiple else {
            return nil
        }
        let (bytes, largest) = Self.byteCounts(stretches.map(\.0), of: media, frameCount: Int64(total))
        // Of bundles that is no more than a bound; it is counted when they are given.
        let isCounted = media.bundles == nil
        guard !isCounted || bytes <= media.totals.byteCount * AudioFileStreamLimits.editedMultiple else { return nil }
        self.init(
            stretches, of: media.entry, priming: ranges[0].lowerBound,
            byteCount: isCounted ? bytes + silentByteCount : nil,
            largestMadeByteCount: silentByteCount > 0
                ? max(largest, SilentPackets(media.entry).largestByteCount) : largest)
    }

    /// Bytes of all silence; nil if that is too much.
    static func silentByteCount(_ edited: [EditedStretch], _ packets: SilentPackets) -> Int64? {
        let frameCount = edited.reduce(Int128(0)) { $0 + Int128($1.silence) }
        guard frameCount <= Int128(AudioFileStreamLimits.editedSilenceFrameCount) else { return nil }
        let byteCount = edited.reduce(0) { $0 + packets.byteCount(ofFrames: $1.silence) }
        return byteCount <= AudioFileStreamLimits.editedSilenceByteCount ? byteCount : nil
    }

    /// Packets that are decoded as a whole.
    private static func packets(
        _ frames: [Range<Int64>], of media: Media, _ counts: Media.FrameCounts
    ) -> [(Stretch, Origin)]? {
        var frameCount: Int?
        if case .constant(let count) = counts { frameCount = count }
        guard
            let clock = PacketClock(
                media.table, frameCount: frameCount, timescale: media.lengths.mediaTimescale,
                sampleRate: media.lengths.sampleRate)
        else { return nil }
        let preroll = SplicePreroll(media.entry)
        let final = media.packetCount - 1
        var cursor = SampleTableCursor(media.table, blocks: media.entry.blocks)
        var bundles = media.bundles.map { BundleClock($0) }
        let origin = Origin(cursor: cursor, clock: clock, bundles: bundles)
        var stretches = frames.map { (Stretch(frames: $0, start: 0, first: 0, last: 0), origin) }

        var ascending = clock
        for index in frames.indices.sorted(by: { frames[$0].upperBound < frames[$1].upperBound }) {
            stretches[index].0.last = min(final, ascending.packet(atFrame: frames[index].upperBound - 1))
        }
        ascending = clock
        let order = frames.indices.sorted {
            (frames[$0].lowerBound, $0) < (frames[$1].lowerBound, $1)
        }
        for index in order where index > 0 {
            let first = min(final, ascending.packet(atFrame: frames[index].lowerBound))
            let start = preroll.start(
                of: first, firstFrame: { ascending.frame(ofPacket: $0) }, size: { media.size(ofPacket: $0) })
            // A packet so long is none; all the same it must not be reckoned with.
            let length = ascending.frame(ofPacket: first + 1) - ascending.frame(ofPacket: first)
            let sample = bundles?.sample(ofPacket: start).sample ?? start
            guard length <= Int64(Limits.packetFrameCount), cursor.advance(toPacket: sample), cursor.packet == sample
            else { return nil }
            (stretches[index].0.start, stretches[index].0.first) = (start, first)
            var clock = ascending
            _ = clock.frame(ofPacket: start)
            stretches[index].1 = Origin(cursor: cursor, clock: clock, bundles: bundles)
        }
        return stretches.allSatisfy { $0.0.first <= $0.0.last } ? stretches : nil
    }

    /// Packets that may be cut anywhere.
    private static func blocks(_ frames: [Range<Int64>], of media: Media) -> [(Stretch, Origin)]? {
        var cursor = SampleTableCursor(media.table, blocks: media.entry.blocks)
        var stretches: [(index: Int, stretch: (Stretch, Origin))] = []
        for index in frames.indices.sorted(by: { frames[$0].lowerBound < frames[$1].lowerBound }) {
            guard cursor.advance(toFrame: frames[index].lowerBound) else { return nil }
            var end = cursor
            guard end.advance(toFrame: frames[index].upperBound - 1) else { return nil }
            let stretch = Stretch(
                frames: frames[index], start: cursor.packet, first: cursor.packet, last: end.packet)
            stretches.append((index, (stretch, Origin(cursor: cursor))))
        }
        return stretches.sorted { $0.index < $1.index }.map(\.stretch)
    }

    /// Bytes of all packets that are given, and of the largest splice.
    private static func byteCounts(
        _ stretches: [Stretch], of media: Media, frameCount: Int64
    ) -> (total: Int64, largest: Int64) {
        guard media.frameCounts != nil else { return (frameCount * (media.entry.blocks?.bytesPerBlock ?? 0), 0) }
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
    /// Of a bundle's packet what none exceeds.
    fileprivate func size(ofPacket packet: Int64) -> Int64 {
        if let bundle = entry.bundle { return Int64(bundle.largestByteCount) }
        return entry.blocks?.bytesPerPacket ?? table.size(ofSample: packet)
    }

    fileprivate func byteCount(ofPackets packets: Range<Int64>) -> Int64 {
        if entry.blocks != nil || entry.bundle != nil || table.constantSize > 0 {
            return Int64(packets.count) * size(ofPacket: 0)
        }
        return packets.reduce(0) { $0 + table.size(ofSample: $1) }
    }
}
