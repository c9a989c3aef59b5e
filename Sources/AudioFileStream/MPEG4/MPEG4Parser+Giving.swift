import AudioCore

extension MPEG4Parser {
    /// Gives the packets of a sample that is all in the window: it is one, or holds several.
    @inline(__always)
    mutating func give<Sink: AudioStreamSink & ~Copyable>(
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
    mutating func give<Sink: AudioStreamSink & ~Copyable>(
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

    /// The end of a sample where no packet begins: where the next one of the sample does nobody can tell; the next
    /// sample is known.
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
