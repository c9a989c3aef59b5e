import AudioCore

// The tables cover all packets of `moov`. Of the fragments, those parsed and those in an index are known. A seek to one
// of them goes to the fragment's `moof`.

/// Finds packets of an MPEG-4 file and their frames; a snapshot of what is known at one moment.
struct MovieSeekIndex {
    /// Where a packet is, and how to continue from there.
    enum Way {
        case table(SampleTableCursor)
        /// From a fragment's `moof`, with this frame.
        case fragment(firstFrame: Int64)
    }

    let stream: MovieStream
    let movie: Movie
    let entry: SampleEntry?
    let fragments: FragmentSeekIndex
    /// Nil in a pure stream.
    let fileByteCount: Int64?
    /// Where the box after `moov` begins.
    let movieEnd: Int64
    /// A pure stream cannot walk the boxes from `moov` on again. It continues to the fragments from this box, which
    /// lies after the parsed packets; packets beyond it are reached from there.
    let streamedTableEnd: Int64
    /// From here on, packets of the table may not be where the times say.
    let firstMiscount: Int64

    var table: SampleTable? {
        guard let table = movie.track?.table, !table.isEmpty else { return nil }
        return table
    }

    /// Returns the place of a packet, or of the last one known before it.
    func locate(packet: Int64) throws(AudioStreamError) -> AudioFileStreamSeek {
        let (place, way) = try find(packet: packet)
        if case .table = way, let fileByteCount, place.byteOffset >= fileByteCount { throw .invalidPacketOffset }
        return place
    }

    /// Returns also how to get there; works even where a packet of the table is cut off, since fragments may follow.
    func find(packet: Int64) throws(AudioStreamError) -> (place: AudioFileStreamSeek, way: Way) {
        guard packet >= 0 else { throw .invalidPacketOffset }
        let sample = stream.bundledTable?.sample(ofPacket: packet)
        if let (cursor, place) = cursor(atSample: sample?.sample ?? packet) {
            let first = sample?.firstPacket ?? cursor.packet
            let isOfStream = movie.isFragmented && fileByteCount == nil
            let seek = AudioFileStreamSeek(
                packet: first, byteOffset: isOfStream ? min(place.offset, streamedTableEnd) : place.offset,
                isEstimate: first > firstMiscount)
            return (seek, .table(cursor))
        }
        guard movie.isFragmented else { throw .invalidPacketOffset }
        let (place, frame) = try fragments.place(
            atOrBefore: packet, framesPerPacket: constantFrameCount, fileEnd: fileByteCount)
        return (place, .fragment(firstFrame: frame))
    }

    /// Nil where packets are not equally long.
    var constantFrameCount: Int? {
        if case .constant(let count) = entry?.counting { count } else { nil }
    }

    /// Returns a cursor at a sample, which is a packet or a bundle of packets.
    private func cursor(atSample sample: Int64) -> (SampleTableCursor, SamplePlace)? {
        guard let table, sample >= 0 else { return nil }
        var cursor = SampleTableCursor(table, blocks: entry?.blocks)
        guard cursor.advance(toPacket: sample), let place = cursor.next(), place.offset >= 0 else { return nil }
        return (cursor, place)
    }

    // MARK: Frames

    func packet(
        containingFrame frame: Int64, _ summary: AudioStreamSummary
    ) throws(AudioStreamError) -> (packet: Int64, frameOffset: Int) {
        if let format = summary.format, format.framesPerPacket > 0 {
            let (packet, offset) = frame.quotientAndRemainder(dividingBy: Int64(format.framesPerPacket))
            return (packet, Int(offset))
        }
        guard let table else {
            guard let entry = fragments.seen.last(where: { $0.frame <= frame }) else { throw .valueUnknown }
            return (entry.packet, Int(clamping: frame - entry.frame))
        }
        guard entry?.blocks != nil else { return try packet(containingTimedFrame: frame, table) }
        var cursor = SampleTableCursor(table, blocks: entry?.blocks)
        guard cursor.advance(toFrame: frame) else { throw .invalidPacketOffset }
        return (cursor.packet, Int(frame - cursor.frame))
    }

    private func packet(
        containingTimedFrame frame: Int64, _ table: SampleTable
    ) throws(AudioStreamError) -> (packet: Int64, frameOffset: Int) {
        guard let timescale = movie.track?.timescale, let rate = entry?.format.sampleRate, rate > 0 else {
            throw .valueUnknown
        }
        let time = Int64(clamping: Int128(frame) * Int128(timescale) / Int128(rate))
        var packet = table.sample(atTime: time).sample
        // Frames are rounded, times are not.
        let start = try tableFrame(ofPacket: packet)
        if packet > 0, start > frame { packet -= 1 }
        if try tableFrame(ofPacket: packet + 1) <= frame { packet += 1 }
        guard packet < table.sampleCount else { throw .invalidPacketOffset }
        return (packet, Int(clamping: frame - (try tableFrame(ofPacket: packet))))
    }

    func firstFrame(ofPacket packet: Int64, _ summary: AudioStreamSummary) throws(AudioStreamError) -> Int64 {
        if let format = summary.format, format.framesPerPacket > 0 {
            let (frame, overflows) = packet.multipliedReportingOverflow(by: Int64(format.framesPerPacket))
            guard !overflows else { throw .invalidPacketOffset }
            return frame
        }
        if table != nil { return try tableFrame(ofPacket: packet) }
        guard let entry = fragments.seen.last(where: { $0.packet <= packet }), entry.packet == packet else {
            throw .valueUnknown
        }
        return entry.frame
    }

    /// The first frame of a packet of the table.
    func tableFrame(ofPacket packet: Int64) throws(AudioStreamError) -> Int64 {
        guard let table, let track = movie.track, let entry else { throw .valueUnknown }
        if let constantFrameCount { return packet * Int64(constantFrameCount) }
        if entry.blocks != nil {
            guard let (cursor, _) = cursor(atSample: packet) else { throw .invalidPacketOffset }
            return cursor.frame
        }
        let product = Int128(table.duration(ofFirst: packet)) * Int128(entry.format.sampleRate)
        return Int64(clamping: (product + Int128(track.timescale / 2)) / Int128(track.timescale))
    }

    // MARK: Bytes

    func packet(atByteOffset offset: Int64) throws(AudioStreamError) -> (packet: Int64, isEstimate: Bool) {
        if let table {
            var cursor = SampleTableCursor(table, blocks: entry?.blocks)
            if cursor.advance(toByte: offset) {
                // In a bundle only the sample is known.
                var bundles = stream.bundledTable.map { BundleClock($0) }
                return (bundles?.firstPacket(ofSample: cursor.packet) ?? cursor.packet, bundles != nil)
            }
        }
        guard let entry = fragments.seen.last(where: { $0.byteOffset <= offset }) else { throw .invalidPacketOffset }
        return (entry.packet, true)
    }
}
