import AudioCore

/// Delivers the packets of an MPEG-4 file that a cursor iterates over, from the window.
struct SamplePlayer {
    enum Outcome: Equatable {
        /// Delivered packets of this many bytes; perhaps none, but something changed.
        case took(Int)
        case needsMore(Int)
        /// The next packet lies elsewhere in the file.
        case away(Int64)
        /// The rest is not played; the sink was told why.
        case gaveUp(took: Int)
        /// The last packet was delivered.
        case ended
    }

    /// Nil in a pure stream.
    private let fileByteCount: Int64?
    /// How often an edit list may go back in the media.
    private let largestReturnCount: Int
    var stream = MovieStream()
    private var group = PacketGroup()
    /// The file ended before an announced packet.
    private var truncation: AudioStreamProblem?
    /// The first packet of the first sample that contains more or fewer packets than its time says.
    private(set) var firstMiscount = Int64.max

    init(fileByteCount: Int64?, largestReturnCount: Int) {
        self.fileByteCount = fileByteCount
        self.largestReturnCount = largestReturnCount
    }

    /// Gives the packets of a table or a fragment, up to where one is not in the window, or what is made of them where
    /// the song is put together as they go by.
    /// - Parameters:
    ///   - bundle: how a sample holds several packets; nil where each is one.
    ///   - offset: of the window in the file.
    mutating func playSong<Cursor: SampleCursor, Sink: AudioStreamSink & ~Copyable>(
        _ cursor: inout Cursor, _ bundle: SampleBundle?, _ bytes: RawSpan, at start: Int, offset: Int64, isAtEnd: Bool,
        into sink: inout Sink
    ) throws(AudioStreamError) -> Outcome {
        guard let song = stream.streamedSong.take() else {
            return try play(&cursor, bundle, bytes, at: start, offset: offset, isAtEnd: isAtEnd, into: &sink)
        }
        var streamed = StreamedCursor(base: cursor, song: song, fileByteCount: fileByteCount)
        defer { (cursor, stream.streamedSong) = (streamed.base, streamed.song) }
        return try play(&streamed, bundle, bytes, at: start, offset: offset, isAtEnd: isAtEnd, into: &sink)
    }

    /// Delivers packets up to the first one that is not in the window.
    mutating func play<Cursor: SampleCursor, Sink: AudioStreamSink & ~Copyable>(
        _ cursor: inout Cursor, _ bundle: SampleBundle?, _ bytes: RawSpan, at start: Int, offset: Int64, isAtEnd: Bool,
        into sink: inout Sink
    ) throws(AudioStreamError) -> Outcome {
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
                    // It lies before the window, in a pure stream.
                    cursor.dropExtent()
                    continue
                }
                if place > start { return .took(place - start) }
                let end = offset &+ Int64(bytes.byteCount)
                if isAtEnd, fileByteCount == nil, packet.offset >= end { noteTruncation(at: end, before: packet) }
                return .away(packet.offset)
            }
            let byteCount = Int(packet.byteCount)
            guard byteCount <= bytes.byteCount - place else {
                if place > start { return .took(place - start) }
                guard isAtEnd else { return .needsMore(byteCount) }
                noteTruncation(at: offset + Int64(bytes.byteCount), before: packet)
                cursor.dropExtent()
                continue
            }
            // Packets that do not overlap cannot exceed the file.
            if !isEdited, let fileByteCount, stream.byteCount > fileByteCount - packet.byteCount {
                giveUp("MPEG-4 packets that overlap", at: packet.offset, bytes, into: &sink)
                return .gaveUp(took: place - start)
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
                    giveUp(ReturnBudget.excessiveEdits, at: packet.offset, bytes, into: &sink)
                    return .gaveUp(took: place - start)
                }
            } else {
                give(packet, as: bundle, bytes, at: place, into: &sink)
            }
            cursor.pass(packet)
            place += byteCount
        }
        return place > start ? .took(place - start) : .ended
    }

    /// Delivers pending packets. Must be called before the window changes.
    mutating func flush<Sink: AudioStreamSink & ~Copyable>(_ bytes: RawSpan, into sink: inout Sink) {
        group.flush(window: bytes, into: &sink)
    }

    /// Reports why no more is played.
    mutating func giveUp<Sink: AudioStreamSink & ~Copyable>(
        _ reason: String, at offset: Int64, _ bytes: RawSpan, into sink: inout Sink
    ) {
        group.flush(window: bytes, into: &sink)
        sink.streamDidParse(property: .problem(AudioStreamProblem(.damaged(reason), at: offset)))
    }

    /// Reports what is certain at the end of the file.
    func finish<Sink: AudioStreamSink & ~Copyable>(into sink: inout Sink) throws(AudioStreamError) {
        guard stream.hasGap || stream.packetCount > 0 else { throw .dataUnavailable }
        if let truncation, !stream.hasGap { sink.streamDidParse(property: .problem(truncation)) }
        for property in stream.finalProperties() { sink.streamDidParse(property: property) }
    }

    // MARK: Unplayable packets

    private func isPlayable(_ packet: SamplePlace) -> Bool {
        guard packet.offset >= 0, packet.byteCount <= Int64(Limits.packetByteCount) else { return false }
        guard let fileByteCount else { return packet.offset <= .max - packet.byteCount }
        return packet.offset <= fileByteCount - packet.byteCount
    }

    /// Skips unplayable packets: one that is too large, with all others of its extent if they have the same size; one
    /// beyond the file's end, with all that follow in its extent.
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

    // MARK: Delivering packets

    /// Delivers the packets of a sample that is completely in the window: the sample itself, or those it contains.
    @inline(__always)
    private mutating func give<Sink: AudioStreamSink & ~Copyable>(
        _ sample: SamplePlace, as bundle: SampleBundle?, _ bytes: RawSpan, at place: Int, into sink: inout Sink
    ) {
        if let bundle {
            unpack(sample, bundle, bytes, at: place, into: &sink)
        } else {
            let frameCount = stream.count(sample, bytes, at: place)
            add(at: place, byteCount: Int(sample.byteCount), frameCount: frameCount, bytes, into: &sink)
        }
    }

    /// Gives what an edit list leaves of a sample.
    @inline(never)
    private mutating func give<Sink: AudioStreamSink & ~Copyable>(
        _ share: SampleShare, of sample: SamplePlace, as bundle: SampleBundle?, _ bytes: RawSpan, at place: Int,
        into sink: inout Sink
    ) {
        let range = place..<place + Int(sample.byteCount)
        switch share {
        case .whole: give(sample, as: bundle, bytes, at: place, into: &sink)
        case .part(let frameCount):
            give(SampleShare.Part(content: .read(range), frameCount: frameCount), bytes, into: &sink)
        case .parts(let parts):
            for part in parts { give(part, bytes, into: &sink) }
            guard let bundle else { return }
            tellSkipped(of: sample, bytes, bundle.packets(bytes, range).end..<range.upperBound, into: &sink)
        }
    }

    /// Gives a packet that an edit list leaves or makes.
    mutating func give<Sink: AudioStreamSink & ~Copyable>(
        _ part: SampleShare.Part, _ bytes: RawSpan, into sink: inout Sink
    ) {
        stream.countPacket(frameCount: part.frameCount)
        stream.count(byteCount: Int64(part.content.byteCount))
        switch part.content {
        case .read(let range):
            add(at: range.lowerBound, byteCount: range.count, frameCount: part.frameCount, bytes, into: &sink)
        case .made(let packet):
            group.flush(window: bytes, into: &sink)
            let window = packet.span.bytes
            add(at: 0, byteCount: packet.count, frameCount: part.frameCount, window, into: &sink)
            group.flush(window: window, into: &sink)
        }
    }

    private mutating func unpack<Sink: AudioStreamSink & ~Copyable>(
        _ sample: SamplePlace, _ bundle: SampleBundle, _ bytes: RawSpan, at start: Int, into sink: inout Sink
    ) {
        let end = start + Int(sample.byteCount)
        let first = stream.nextPacket
        var place = start
        while let byteCount = bundle.packetByteCount(bytes, at: place, end: end) {
            stream.countPacket(frameCount: bundle.frameCount)
            add(at: place, byteCount: byteCount, frameCount: bundle.frameCount, bytes, into: &sink)
            place += byteCount
        }
        stream.countSample(sample)
        let announced = stream.bundledTable?.packetCount(ofTime: sample.duration)
        if let announced, announced != stream.nextPacket - first { firstMiscount = min(firstMiscount, first) }
        tellSkipped(of: sample, bytes, place..<end, into: &sink)
    }

    /// Reports the rest of a sample where no packet begins: the next packet in the sample cannot be found, but the next
    /// sample can.
    private mutating func tellSkipped<Sink: AudioStreamSink & ~Copyable>(
        of sample: SamplePlace, _ bytes: RawSpan, _ rest: Range<Int>, into sink: inout Sink
    ) {
        guard !rest.isEmpty else { return }
        group.flush(window: bytes, into: &sink)
        let offset = sample.offset &+ sample.byteCount - Int64(rest.count)
        sink.streamDidParse(property: .problem(AudioStreamProblem(.skipped(byteCount: Int64(rest.count)), at: offset)))
    }

    @inline(__always)
    private mutating func add<Sink: AudioStreamSink & ~Copyable>(
        at place: Int, byteCount: Int, frameCount: Int, _ bytes: RawSpan, into sink: inout Sink
    ) {
        if let property = stream.overrun {
            group.flush(window: bytes, into: &sink)
            sink.streamDidParse(property: property)
            stream.overrun = nil
        }
        group.add(at: place, byteCount: byteCount, frameCount: frameCount, window: bytes, into: &sink)
    }
}
