import AudioCore

// Places. The tables tell all about the packets of `moov`; of fragments those are known that went by, and those that an
// index tells of. A seek among them goes to the fragment's `moof`.

extension MPEG4Parser {
    var table: SampleTable? {
        guard let table = movie.track?.table, !table.isEmpty else { return nil }
        return table
    }

    /// A sample is a packet, unless it is a bundle of them.
    private func cursor(atSample sample: Int64) -> (SampleTableCursor, SamplePlace)? {
        guard let table, sample >= 0 else { return nil }
        var cursor = SampleTableCursor(table, blocks: entry?.blocks)
        guard cursor.advance(toPacket: sample), let place = cursor.next(), place.offset >= 0 else { return nil }
        return (cursor, place)
    }

    /// A pure stream cannot go from box to box from `moov` on once more. It goes on to the fragments from a box that
    /// lies behind the packets that went by; packets still further on are gone for from there.
    private var streamedTableEnd: Int64 { max(movieEnd, tableEnd, tableCursor == nil ? 0 : walker.next) }

    func locate(packet: Int64) throws(AudioStreamError) -> AudioFileStreamSeek {
        guard packet >= 0 else { throw .invalidPacketOffset }
        if let song = stream.song { return try locate(packet: packet, in: song).place }
        if let song = stream.streamedSong { return try locate(packet: packet, in: song).place }
        let sample = stream.bundledTable?.sample(ofPacket: packet)
        if let (cursor, place) = cursor(atSample: sample?.sample ?? packet) {
            guard fileByteCount.map({ place.offset < $0 }) ?? true else { throw .invalidPacketOffset }
            let first = sample?.firstPacket ?? cursor.packet
            let isOfStream = movie.isFragmented && fileByteCount == nil
            return AudioFileStreamSeek(
                packet: first, byteOffset: isOfStream ? min(place.offset, streamedTableEnd) : place.offset,
                isEstimate: first > firstMiscount)
        }
        guard movie.isFragmented else { throw .invalidPacketOffset }
        return try fragment(atOrBefore: packet).place
    }

    /// The last fragment known that begins with a packet or before it: one that went by, or one that an index tells of.
    private func fragment(
        atOrBefore packet: Int64
    ) throws(AudioStreamError) -> (place: AudioFileStreamSeek, frame: Int64) {
        let seen = fragments.last { $0.packet <= packet }
        if let ahead = announced?.entry(atOrBefore: packet), ahead.packet > seen?.packet ?? -1,
            ahead.byteOffset < fileByteCount ?? .max, case .constant(let count) = entry?.counting
        {
            let place = AudioFileStreamSeek(
                packet: ahead.packet, byteOffset: ahead.byteOffset, isEstimate: !ahead.isExact)
            return (place, Int64(clamping: Int128(ahead.packet) * Int128(count)))
        }
        guard let seen else { throw .valueUnknown }
        return (AudioFileStreamSeek(packet: seen.packet, byteOffset: seen.byteOffset), seen.frame)
    }

    mutating func resume(at place: AudioFileStreamSeek) throws(AudioStreamError) {
        leaveTable()
        editedCursor = nil
        fragment.restart(at: place.byteOffset)
        isAstray = false
        // Another time.
        if mood == .indexing { randomAccess = nil }
        (returnCount, returnedByteCount) = (0, 0)
        if let song = stream.song {
            editedCursor = try locate(packet: place.packet, in: song).cursor
            walker.restart(at: movieEnd)
            mood = .playing
            stream.goTo(packet: place.packet, sample: 0, frame: song.firstFrame(ofPacket: place.packet) ?? 0)
            return
        }
        if let song = stream.streamedSong {
            let entry = try locate(packet: place.packet, in: song).entry
            stream.streamedSong?.resume(at: entry)
            begin(at: entry)
            stream.goTo(packet: entry.packet, sample: 0, frame: entry.frame)
            return
        }
        let sample = stream.bundledTable?.sample(ofPacket: place.packet)
        if let (cursor, _) = cursor(atSample: sample?.sample ?? place.packet) {
            walker.restart(at: fileByteCount == nil ? streamedTableEnd : movieEnd)
            tableCursor = cursor
            mood = .playing
            let first = sample?.firstPacket ?? cursor.packet
            stream.goTo(packet: first, sample: cursor.packet, frame: (try? tableFrame(ofPacket: first)) ?? 0)
        } else {
            let (place, frame) = try fragment(atOrBefore: place.packet)
            walker.restart(at: place.byteOffset)
            mood = .walking
            isAstray = place.isEstimate
            stream.goTo(packet: place.packet, sample: place.packet, frame: frame)
        }
    }

    /// A packet of those that an edit list leaves, and how to read on from there.
    private func locate(
        packet: Int64, in song: EditedSong
    ) throws(AudioStreamError) -> (place: AudioFileStreamSeek, cursor: EditedCursor) {
        guard var cursor = EditedCursor(song, atPacket: packet, fileByteCount: fileByteCount),
            let place = cursor.next(),
            place.offset >= 0, fileByteCount.map({ place.offset < $0 }) ?? true
        else { throw .invalidPacketOffset }
        return (AudioFileStreamSeek(packet: cursor.number, byteOffset: place.offset), cursor)
    }

    /// The same of one in fragments, by those that went by. Indexes are of no use there: their times are those of what
    /// is heard, by whatever list their writer knew.
    private func locate(
        packet: Int64, in song: StreamedSong
    ) throws(AudioStreamError) -> (place: AudioFileStreamSeek, entry: StreamedSong.Entry) {
        guard let entry = song.entry(atOrBefore: packet, of: fragments) else { throw .valueUnknown }
        // From the boxes in front of the table's packets on a stream finds the fragments behind.
        let tableOffset = cursor(atSample: 0).map { min($0.1.offset, movieEnd) }
        guard let offset = entry.fragment?.byteOffset ?? tableOffset else { throw .valueUnknown }
        return (AudioFileStreamSeek(packet: entry.packet, byteOffset: offset), entry)
    }

    func packet(
        containingFrame frame: Int64, _ summary: AudioStreamSummary
    ) throws(AudioStreamError) -> (packet: Int64, frameOffset: Int) {
        if let song = stream.song {
            guard let found = song.packet(containingFrame: frame) else { throw .invalidPacketOffset }
            return found
        }
        if let song = stream.streamedSong {
            guard let entry = song.entry(atOrBeforeFrame: frame, of: fragments) else { throw .valueUnknown }
            return (entry.packet, Int(clamping: frame - entry.frame))
        }
        if let format = summary.format, format.framesPerPacket > 0 {
            let (packet, offset) = frame.quotientAndRemainder(dividingBy: Int64(format.framesPerPacket))
            return (packet, Int(offset))
        }
        guard let table else {
            guard let entry = fragments.last(where: { $0.frame <= frame }) else { throw .valueUnknown }
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
        if let song = stream.song {
            guard let frame = song.firstFrame(ofPacket: packet) else { throw .invalidPacketOffset }
            return frame
        }
        if let song = stream.streamedSong {
            guard let entry = song.entry(atOrBefore: packet, of: fragments), entry.packet == packet else {
                throw .valueUnknown
            }
            return entry.frame
        }
        if let format = summary.format, format.framesPerPacket > 0 {
            let (frame, overflows) = packet.multipliedReportingOverflow(by: Int64(format.framesPerPacket))
            guard !overflows else { throw .invalidPacketOffset }
            return frame
        }
        if table != nil { return try tableFrame(ofPacket: packet) }
        guard let entry = fragments.last(where: { $0.packet <= packet }), entry.packet == packet else {
            throw .valueUnknown
        }
        return entry.frame
    }

    private func tableFrame(ofPacket packet: Int64) throws(AudioStreamError) -> Int64 {
        guard let table, let track = movie.track, let entry else { throw .valueUnknown }
        if case .constant(let count) = entry.counting { return packet * Int64(count) }
        if entry.blocks != nil {
            guard let (cursor, _) = cursor(atSample: packet) else { throw .invalidPacketOffset }
            return cursor.frame
        }
        let product = Int128(table.duration(ofFirst: packet)) * Int128(entry.format.sampleRate)
        return Int64(clamping: (product + Int128(track.timescale / 2)) / Int128(track.timescale))
    }

    func packet(
        atByteOffset offset: Int64, _ summary: AudioStreamSummary
    ) throws(AudioStreamError) -> (packet: Int64, isEstimate: Bool) {
        if let song = stream.streamedSong {
            guard let entry = fragments.last(where: { $0.byteOffset <= offset }) else { throw .valueUnknown }
            return (song.packet(ofMedia: entry.packet), true)
        }
        if let table {
            var cursor = SampleTableCursor(table, blocks: entry?.blocks)
            if cursor.advance(toByte: offset) {
                // Of a bundle only the sample is known.
                var bundles = stream.bundledTable.map { BundleClock($0) }
                let first = bundles?.firstPacket(ofSample: cursor.packet) ?? cursor.packet
                guard let song = stream.song else { return (first, bundles != nil) }
                let next = bundles?.firstPacket(ofSample: cursor.packet + 1) ?? first + 1
                guard let packet = song.packet(ofMedia: first...next - 1) else { throw .invalidPacketOffset }
                return (packet, bundles != nil)
            }
        }
        guard let entry = fragments.last(where: { $0.byteOffset <= offset }) else { throw .invalidPacketOffset }
        return (entry.packet, true)
    }
}
