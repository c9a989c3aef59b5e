import AudioCore

extension MPEG4Parser {
    /// Gives the packets that lie in the window, up to where one does not.
    func play<Sink: AudioStreamSink & ~Copyable>(
        _ bytes: RawSpan, at place: Int, offset: Int64, isAtEnd: Bool, into sink: inout Sink
    ) throws(AudioStreamError) -> Step {
        if var cursor = tableCursor {
            tableCursor = nil
            defer { tableCursor = cursor }
            if let step = try play(&cursor, bytes, at: place, offset: offset, isAtEnd: isAtEnd, into: &sink) {
                return step
            }
        } else if var cursor = fragmentCursor {
            fragmentCursor = nil
            defer { fragmentCursor = cursor }
            if let step = try play(&cursor, bytes, at: place, offset: offset, isAtEnd: isAtEnd, into: &sink) {
                return step
            }
        }
        tableCursor = nil
        fragmentCursor = nil
        mood = movie.isFragmented ? .walking : .done
        return .took(0)
    }

    /// Nil after the last packet.
    private func play<Cursor: SampleCursor, Sink: AudioStreamSink & ~Copyable>(
        _ cursor: inout Cursor, _ bytes: RawSpan, at start: Int, offset: Int64, isAtEnd: Bool, into sink: inout Sink
    ) throws(AudioStreamError) -> Step? {
        let position = offset &+ Int64(start)
        var place = start
        while let packet = cursor.next() {
            guard isPlayable(packet) else {
                drop(packet, of: &cursor)
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
                return passBox(before: packet.offset, bytes, at: place, position, isAtEnd: isAtEnd)
            }
            let byteCount = Int(packet.byteCount)
            guard byteCount <= bytes.byteCount - place else {
                if place > start { return .took(place - start) }
                guard isAtEnd else { return .needsMore(byteCount) }
                cursor.dropExtent()
                continue
            }
            if !stream.isReady {
                let properties = try stream.open(firstPacket: bytes.extracting(place..<place + byteCount), packet)
                for property in properties { sink.streamDidParse(property: property) }
            }
            let frameCount = stream.count(packet, bytes, at: place)
            if let property = stream.overrun {
                group.flush(window: bytes, into: &sink)
                sink.streamDidParse(property: property)
                stream.overrun = nil
            }
            group.add(at: place, byteCount: byteCount, frameCount: frameCount, window: bytes, into: &sink)
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

    /// Passes over a packet that cannot be had: one too large alone, one beyond the end with all that follow it there.
    private func drop<Cursor: SampleCursor>(_ packet: SamplePlace, of cursor: inout Cursor) {
        if packet.offset >= 0, packet.byteCount > Int64(Limits.packetByteCount),
            packet.offset <= (fileByteCount ?? .max) - packet.byteCount
        {
            cursor.pass(packet)
        } else {
            cursor.dropExtent()
        }
    }

    /// Goes towards a packet; where a box begins on the way, its head is read, so that the walk can go on behind it.
    private func passBox(
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
