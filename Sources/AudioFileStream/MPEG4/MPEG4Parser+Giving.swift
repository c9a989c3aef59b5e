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
        _ share: SampleShare, of sample: SamplePlace, _ bytes: RawSpan, at place: Int, into sink: inout Sink
    ) {
        switch share {
        case .whole: give(sample, as: nil, bytes, at: place, into: &sink)
        case .part(let frameCount): giveCut(sample, frameCount, bytes, at: place, into: &sink)
        case .parts(let parts):
            for part in parts {
                guard let packet = part.bytes else {
                    giveCut(sample, part.frameCount, bytes, at: place, into: &sink)
                    continue
                }
                stream.countPacket(frameCount: part.frameCount)
                stream.count(byteCount: Int64(packet.count))
                group.flush(window: bytes, into: &sink)
                let window = packet.span.bytes
                group.add(at: 0, byteCount: packet.count, frameCount: part.frameCount, window: window, into: &sink)
                group.flush(window: window, into: &sink)
            }
        }
    }

    private mutating func giveCut<Sink: AudioStreamSink & ~Copyable>(
        _ sample: SamplePlace, _ frameCount: Int, _ bytes: RawSpan, at place: Int, into sink: inout Sink
    ) {
        stream.countPacket(frameCount: frameCount)
        stream.countSample(sample)
        add(at: place, byteCount: Int(sample.byteCount), frameCount: frameCount, bytes, into: &sink)
    }

    private mutating func unpack<Sink: AudioStreamSink & ~Copyable>(
        _ sample: SamplePlace, _ bundle: SampleBundle, _ bytes: RawSpan, at start: Int, into sink: inout Sink
    ) {
        let end = start + Int(sample.byteCount)
        let first = stream.nextPacket
        var place = start
        while place < end, let byteCount = bundle.packetByteCount(bytes, at: place, end: end) {
            stream.countPacket(frameCount: bundle.frameCount)
            add(at: place, byteCount: byteCount, frameCount: bundle.frameCount, bytes, into: &sink)
            place += byteCount
        }
        stream.countSample(sample)
        let announced = stream.bundledTable?.packetCount(ofTime: sample.duration)
        if let announced, announced != stream.nextPacket - first { firstMiscount = min(firstMiscount, first) }
        guard place < end else { return }
        // Where the next frame of this sample begins nobody can tell; the next sample is known.
        group.flush(window: bytes, into: &sink)
        let offset = sample.offset &+ Int64(place - start)
        sink.streamDidParse(property: .problem(AudioStreamProblem(.skipped(byteCount: Int64(end - place)), at: offset)))
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
