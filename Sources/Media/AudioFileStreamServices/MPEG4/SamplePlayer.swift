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
    var stream = MovieStream()
    private var group = PacketGroup()
    /// The file ended before an announced packet.
    private var truncation: AudioStreamProblem?
    /// The first packet of the first sample that contains more or fewer packets than its time says.
    private(set) var firstMiscount = Int64.max

    init(fileByteCount: Int64?) { self.fileByteCount = fileByteCount }

    /// Gives packets up to where one is not in the window.
    /// - Parameters:
    ///   - bundle: how a sample holds several packets; nil where each is one.
    ///   - offset: of the window in the file.
    mutating func play<Cursor: SampleCursor, Sink: AudioStreamSink & ~Copyable>(
        _ cursor: inout Cursor, _ bundle: SampleBundle?, _ bytes: RawSpan, at start: Int, offset: Int64, isAtEnd: Bool,
        into sink: inout Sink
    ) -> Outcome {
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
            // Without packets that overlap all of them are no more than the file.
            if let fileByteCount, stream.byteCount > fileByteCount - packet.byteCount {
                giveUp("MPEG-4 packets that overlap", at: packet.offset, bytes, into: &sink)
                return .gaveUp(took: place - start)
            }
            if !stream.isReady {
                let properties = stream.open(firstPacket: bytes.extracting(place..<place + byteCount), packet)
                for property in properties { sink.streamDidParse(property: property) }
            }
            give(packet, as: bundle, bytes, at: place, into: &sink)
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
