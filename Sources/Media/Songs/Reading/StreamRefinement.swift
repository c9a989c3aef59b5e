import AudioCore

/// Passes on what a parser reports, in terms of the decoder's output: if a ``FormatProbe`` finds that the sample rate
/// doubles, so do all frame counts; if it finds a second channel, that is reported.
///
/// Until that is known, properties and the first packets are held back; for formats that need no probe, only the
/// properties up to `readyToProducePackets`. So nobody ever sees the format change.
final class StreamRefinement {
    /// The properties passed on.
    private(set) var summary = AudioStreamSummary()
    private let probe: FormatProbe?
    private var isHolding: Bool
    private var held: [Event] = []
    private var parsed = AudioStreamSummary()
    private var heldPacketCount = 0
    /// The stream's format as decoded, if it differs from the parsed one.
    private var decoded: AudioStreamFormat?
    private var factor = 1
    private var descriptions: [AudioPacketDescription] = []

    private enum Event {
        case property(AudioStreamProperty)
        case packet([UInt8], frameCount: Int)
    }

    init(_ probe: FormatProbe?) {
        self.probe = probe
        isHolding = probe != nil
    }

    func take<Sink: AudioStreamSink & ~Copyable>(_ property: AudioStreamProperty, into sink: inout Sink) {
        guard isHolding else { return pass(property, into: &sink) }
        parsed.note(property)
        held.append(.property(property))
        guard parsed.isReady, let format = parsed.format, !FormatProbe.isWorthTrying(format) else { return }
        release(into: &sink)
    }

    func take<Sink: AudioStreamSink & ~Copyable>(
        _ packets: Span<AudioPacketDescription>, _ data: RawSpan, into sink: inout Sink
    ) {
        guard isHolding else { return pass(packets, data, into: &sink) }
        for index in packets.indices {
            let packet = packets[index]
            let bytes = data.extracting(packet.startOffset..<packet.startOffset + packet.byteCount)
            held.append(.packet(bytes.withUnsafeBytes { Array($0) }, frameCount: packet.frameCount))
        }
        heldPacketCount += packets.count
        if heldPacketCount >= FormatProbe.packetCount { decide(into: &sink) }
    }

    /// Passes on what was held back, at the end or after an error.
    func finish<Sink: AudioStreamSink & ~Copyable>(into sink: inout Sink) {
        guard isHolding else { return }
        if heldPacketCount > 0 { decide(into: &sink) } else { release(into: &sink) }
    }

    private func decide<Sink: AudioStreamSink & ~Copyable>(into sink: inout Sink) {
        if let probe, let format = parsed.format, FormatProbe.isWorthTrying(format) {
            let packets: [[UInt8]] = held.compactMap { if case .packet(let bytes, _) = $0 { bytes } else { nil } }
            let found = probe.decodedFormat(format, parsed.magicCookie, Array(packets.prefix(FormatProbe.packetCount)))
            if found != format, found.sampleRate == format.sampleRate * 2 {
                decoded = found
                factor = 2
            } else if found.channelsPerFrame != format.channelsPerFrame, found.sampleRate == format.sampleRate {
                decoded = found
            }
        }
        release(into: &sink)
    }

    private func release<Sink: AudioStreamSink & ~Copyable>(into sink: inout Sink) {
        isHolding = false
        for event in held {
            switch event {
            case .property(let property): pass(property, into: &sink)
            case .packet(let bytes, let frameCount):
                let description = AudioPacketDescription(
                    startOffset: 0, byteCount: bytes.count, frameCount: frameCount)
                let descriptions = [description]
                pass(descriptions.span, bytes.span.bytes, into: &sink)
            }
        }
        held = []
    }

    // MARK: Passing on

    private func pass<Sink: AudioStreamSink & ~Copyable>(_ property: AudioStreamProperty, into sink: inout Sink) {
        for property in refined(property) {
            summary.note(property)
            sink.streamDidParse(property: property)
        }
    }

    private func pass<Sink: AudioStreamSink & ~Copyable>(
        _ packets: Span<AudioPacketDescription>, _ data: RawSpan, into sink: inout Sink
    ) {
        guard factor != 1 else { return sink.streamDidParse(packets: packets, data: data) }
        descriptions.removeAll(keepingCapacity: true)
        for index in packets.indices {
            var packet = packets[index]
            packet.frameCount *= factor
            descriptions.append(packet)
        }
        let refined = descriptions
        sink.streamDidParse(packets: refined.span, data: data)
    }

    private func refined(_ property: AudioStreamProperty) -> [AudioStreamProperty] {
        guard let decoded else { return [property] }
        switch property {
        case .dataFormat(let format):
            return factor == 1 ? [.dataFormat(decoded)] : [.dataFormat(decoded), .formatList([decoded, format])]
        // A layered stream has one more way to decode it.
        case .formatList(let formats): return factor == 1 ? [.formatList([decoded] + formats)] : []
        case .channelLayout(let layout):
            guard layout.labels.count != decoded.channelsPerFrame else { return [property] }
            // PS makes two channels of one.
            return [.channelLayout(AudioChannelLayout([.left, .right]))]
        case .packetTableInfo(let table): return [.packetTableInfo(table.multiplied(by: factor))]
        case .problem(let problem):
            guard case .lengthDiffers(let announced, let found, .frames) = problem.kind else { return [property] }
            let kind = AudioStreamProblem.Kind.lengthDiffers(
                announced: announced &* Int64(factor), found: found &* Int64(factor), .frames)
            return [.problem(AudioStreamProblem(kind, at: problem.byteOffset))]
        default: return [property]
        }
    }
}

extension AudioPacketTableInfo {
    fileprivate func multiplied(by factor: Int) -> AudioPacketTableInfo {
        AudioPacketTableInfo(
            validFrameCount: validFrameCount.map { $0 &* Int64(factor) },
            primingFrameCount: primingFrameCount &* factor, remainderFrameCount: remainderFrameCount &* factor)
    }
}

/// Passes what a parser reports through a refinement to the user's sink.
struct RefiningSink<Sink: AudioStreamSink & ~Copyable>: AudioStreamSink {
    /// Valid only while the parser is running.
    let sink: UnsafeMutablePointer<Sink>
    let refinement: StreamRefinement

    mutating func streamDidParse(property: AudioStreamProperty) {
        refinement.take(property, into: &sink.pointee)
    }

    mutating func streamDidParse(packets descriptions: Span<AudioPacketDescription>, data: RawSpan) {
        refinement.take(descriptions, data, into: &sink.pointee)
    }

    mutating func streamDidParse(lyrics: AudioStreamLyrics) { sink.pointee.streamDidParse(lyrics: lyrics) }
}
