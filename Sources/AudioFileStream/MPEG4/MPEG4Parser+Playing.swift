import AudioCore

extension MPEG4Parser {
    /// Gives the packets that lie in the window, up to where one does not.
    mutating func play<Sink: AudioStreamSink & ~Copyable>(
        _ bytes: RawSpan, at place: Int, offset: Int64, isAtEnd: Bool, into sink: inout Sink
    ) throws(AudioStreamError) -> Step {
        if let song = stream.streamedSong {
            stream.streamedSong = nil
            if let step = try play(song, bytes, at: place, offset: offset, isAtEnd: isAtEnd, into: &sink) {
                return step
            }
        } else if var cursor = editedCursor {
            editedCursor = nil
            defer { editedCursor = cursor }
            if let step = try play(&cursor, bytes, at: place, offset: offset, isAtEnd: isAtEnd, into: &sink) {
                return step
            }
        } else if var cursor = tableCursor {
            tableCursor = nil
            defer { tableCursor = cursor }
            if let step = try play(&cursor, bytes, at: place, offset: offset, isAtEnd: isAtEnd, into: &sink) {
                if let song = stream.song {
                    editedCursor = EditedCursor(song, from: cursor, fileByteCount: fileByteCount)
                }
                return step
            }
        } else {
            var cursor = Fragment()
            swap(&cursor, &fragment)
            defer { swap(&cursor, &fragment) }
            if let step = try play(&cursor, bytes, at: place, offset: offset, isAtEnd: isAtEnd, into: &sink) {
                return step
            }
        }
        leaveTable()
        editedCursor = nil
        guard movie.isFragmented, stream.streamedSong?.splicer.isOver != true else {
            mood = .done
            return .took(0)
        }
        mood = .walking
        if stream.streamedSong?.splicer.isAway == true { goToStretch() }
        return .took(0)
    }

    mutating func leaveTable() {
        if tableCursor != nil { tableEnd = max(tableEnd, walker.next) }
        tableCursor = nil
    }

    /// Of an edited song in fragments. Nil after the last packet of a fragment, or of the table in front of them.
    private mutating func play<Sink: AudioStreamSink & ~Copyable>(
        _ song: consuming StreamedSong, _ bytes: RawSpan, at place: Int, offset: Int64, isAtEnd: Bool,
        into sink: inout Sink
    ) throws(AudioStreamError) -> Step? {
        if let base = tableCursor {
            tableCursor = nil
            var cursor = StreamedCursor(base: base, song: song, fileByteCount: fileByteCount)
            defer { (tableCursor, stream.streamedSong) = (cursor.base, cursor.song) }
            return try play(&cursor, bytes, at: place, offset: offset, isAtEnd: isAtEnd, into: &sink)
        }
        var cursor = StreamedCursor(base: Fragment(), song: song, fileByteCount: fileByteCount)
        swap(&cursor.base, &fragment)
        defer {
            swap(&cursor.base, &fragment)
            stream.streamedSong = cursor.song
        }
        return try play(&cursor, bytes, at: place, offset: offset, isAtEnd: isAtEnd, into: &sink)
    }

    /// Nil after the last packet.
    private mutating func play<Cursor: SampleCursor, Sink: AudioStreamSink & ~Copyable>(
        _ cursor: inout Cursor, _ bytes: RawSpan, at start: Int, offset: Int64, isAtEnd: Bool, into sink: inout Sink
    ) throws(AudioStreamError) -> Step? {
        let position = offset &+ Int64(start)
        let bundle = entry?.bundle
        let isEdited = Cursor.isEdited
        var place = start
        while let packet = cursor.next() {
            guard isPlayable(packet) else {
                group.flush(window: bytes, into: &sink)
                drop(packet, of: &cursor, into: &sink)
                continue
            }
            let target = packet.offset - offset
            if target != Int64(place) {
                guard target > Int64(place) || fileByteCount != nil else {
                    // Behind us, in a pure stream.
                    cursor.dropExtent()
                    continue
                }
                if place > start { return .took(place - start) }
                let end = offset &+ Int64(bytes.byteCount)
                if isAtEnd, fileByteCount == nil, packet.offset >= end { noteTruncation(at: end, before: packet) }
                return passBox(before: packet.offset, bytes, at: place, position, isAtEnd: isAtEnd)
            }
            let byteCount = Int(packet.byteCount)
            guard byteCount <= bytes.byteCount - place else {
                if place > start { return .took(place - start) }
                guard isAtEnd else { return .needsMore(byteCount) }
                noteTruncation(at: offset + Int64(bytes.byteCount), before: packet)
                cursor.dropExtent()
                continue
            }
            // Without packets that overlap all of them are no more than the file.
            if !isEdited, let fileByteCount, stream.byteCount > fileByteCount - packet.byteCount {
                group.flush(window: bytes, into: &sink)
                giveUp("MPEG-4 packets that overlap", at: packet.offset, into: &sink)
                return .took(place - start)
            }
            if !stream.isReady {
                let properties = try stream.open(
                    firstPacket: bytes.extracting(place..<place + byteCount), packet,
                    largestReturnCount: largestReturnCount)
                for property in properties { sink.streamDidParse(property: property) }
                // What is known now may be how to go on.
                if stream.song != nil || stream.streamedSong != nil { return .took(place - start) }
            }
            if isEdited {
                let share = cursor.share(of: packet, bytes, at: place)
                give(share, of: packet, as: bundle, bytes, at: place, into: &sink)
                if cursor.isExhausted {
                    group.flush(window: bytes, into: &sink)
                    giveUp(Self.excessiveEdits, at: packet.offset, into: &sink)
                    return .took(place - start)
                }
            } else {
                give(packet, as: bundle, bytes, at: place, into: &sink)
            }
            cursor.pass(packet)
            place += byteCount
        }
        return place > start ? .took(place - start) : nil
    }

    private func isPlayable(_ packet: SamplePlace) -> Bool {
        guard packet.offset >= 0, packet.byteCount <= Int64(Limits.packetByteCount) else { return false }
        guard let fileByteCount else { return packet.offset <= .max - packet.byteCount }
        return packet.offset <= fileByteCount - packet.byteCount
    }

    /// Passes over a packet that cannot be had: one too large with those of its size, one beyond the end with all that
    /// follow it there.
    private mutating func drop<Cursor: SampleCursor, Sink: AudioStreamSink & ~Copyable>(
        _ packet: SamplePlace, of cursor: inout Cursor, into sink: inout Sink
    ) {
        guard packet.offset >= 0, packet.offset <= (fileByteCount ?? .max) - packet.byteCount else {
            if let fileByteCount { noteTruncation(at: fileByteCount, before: packet) }
            cursor.dropExtent()
            return
        }
        let problem = AudioStreamProblem(
            .damaged("MPEG-4 packet of \(packet.byteCount) bytes that is too large"), at: packet.offset)
        sink.streamDidParse(property: .problem(problem))
        if cursor.hasEqualSizes { cursor.dropExtent() } else { cursor.pass(packet) }
    }

    private mutating func noteTruncation(at end: Int64, before packet: SamplePlace) {
        guard truncation == nil, packet.offset >= 0 else { return }
        let missing = packet.offset.addingReportingOverflow(packet.byteCount)
        truncation = AudioStreamProblem(
            .truncated(missingByteCount: missing.overflow ? nil : missing.partialValue - end), at: end)
    }

    /// Goes towards a packet; where a box begins on the way, its head is read, so that the walk can go on behind it.
    private mutating func passBox(
        before target: Int64, _ bytes: RawSpan, at place: Int, _ position: Int64, isAtEnd: Bool
    ) -> Step {
        guard movie.isFragmented, walker.next >= position, walker.next <= target else { return .goTo(target) }
        guard walker.next == position else { return .goTo(walker.next) }
        switch BoxHeader.read(bytes, at: place) {
        case .needsMore(let count): return isAtEnd ? .goTo(target) : .needsMore(count)
        case .invalid: walker.skipToEndOfLevel()
        case .header(let header):
            // A fragment's turn comes when what came before it was played; in a pure stream it is lost.
            if header.type == .moof, fileByteCount != nil { return .goTo(target) }
            walker.skip(header, at: position)
        }
        return .took(0)
    }
}
