import AudioCore
import AudioDecoding
import AudioFileWriting

/// Measures how loud a song is over its time, at full speed. Memory does not depend on the file.
public enum SongLevels {
    /// Decodes a file, of which it reads the first song only, and measures the frames that are heard.
    ///
    /// Blocks for as long as decoding takes. Pipes are refused; what is longer than
    /// ``AudioCore/LevelEnvelopeBuilder/longestDuration`` is, too, once that much was decoded. What the encoder padded
    /// is cut off as far as the file says so before the end.
    /// - Parameters:
    ///   - probe: determines the song's format as decoded.
    ///   - isStopped: called between pieces; if it returns true, the failure is `stopped`.
    /// - Throws: why the song cannot be decoded, or not to its end.
    public static func measure(
        path: String, decoders: DecoderCatalog, probe: FormatProbe? = nil, isStopped: () -> Bool = { false }
    ) throws(SongFailure) -> LevelEnvelope {
        var stream = SongStream(try SongFile(path: path), probe: probe)
        var sink = LevelSink(path: path, decoders: decoders)
        while !stream.isFinished, sink.failure == nil {
            if isStopped() { throw SongFailure(.stopped, "stopped") }
            let passedCount = stream.passedCount
            _ = try stream.advance(into: &sink)
            if stream.passedCount != passedCount { sink = LevelSink(path: path, decoders: decoders) }
        }
        return try sink.finish()
    }
}

/// Decodes packets, and measures their audible frames.
private struct LevelSink: AudioStreamSink {
    private(set) var failure: SongFailure?
    private let path: String
    private let decoders: DecoderCatalog
    private var summary = AudioStreamSummary()
    private var decoder: (any AudioPacketDecoder)?
    private var builder: LevelEnvelopeBuilder?
    /// Begins with the first packet.
    private var timeline: PacketTimeline?
    private var scratch: [Float] = []

    init(path: String, decoders: DecoderCatalog) {
        self.path = path
        self.decoders = decoders
    }

    /// Returns what was measured.
    consuming func finish() throws(SongFailure) -> LevelEnvelope {
        if let failure { throw failure }
        guard let envelope = builder?.finish(), envelope.intervalCount > 0 else {
            throw SongFailure(.unusable, "'\(path)' holds no audio")
        }
        return envelope
    }

    mutating func streamDidParse(property: AudioStreamProperty) {
        summary.note(property)
        switch property {
        case .packetTableInfo(let table): timeline?.revise(table)
        case .readyToProducePackets where decoder == nil && failure == nil: begin()
        default: break
        }
    }

    private mutating func begin() {
        guard let format = summary.format else { return }
        do throws(AudioDecodingError) {
            let decoder = try decoders.makeDecoder(for: format, magicCookie: summary.magicCookie)
            builder = LevelEnvelopeBuilder(
                sampleRate: decoder.sampleRate, channelCount: decoder.channelCount,
                layout: decodedLayout(channelCount: decoder.channelCount, codec: format.codec))
            self.decoder = decoder
        } catch {
            failure = SongFailure(.unusable, "'\(path)' \(error.explanation)")
        }
    }

    /// The loudspeakers in the order in which the decoder has the channels.
    private func decodedLayout(channelCount: Int, codec: Codec) -> AudioChannelLayout? {
        let speakers = SpeakerOrder(summary.channelLayout, channelCount: channelCount, codec: codec)
        // If nothing is left to be arranged, they are in the order of the mask.
        guard speakers.mask != 0, speakers.permutation == nil else { return summary.channelLayout }
        return AudioChannelLayout(speakerMask: speakers.mask)
    }

    mutating func streamDidParse(packets: Span<AudioPacketDescription>, data: RawSpan) {
        for index in packets.indices {
            guard failure == nil else { return }
            let packet = packets[index]
            do throws(AudioDecodingError) {
                try take(
                    data.extracting(packet.startOffset..<packet.startOffset + packet.byteCount),
                    frameCount: packet.frameCount)
            } catch {
                failure = SongFailure(.unusable, "'\(path)' \(error.explanation)")
            }
        }
    }

    private mutating func take(_ packet: RawSpan, frameCount: Int) throws(AudioDecodingError) {
        guard let decoder else { return }
        guard (0...Limits.packetFrameCount).contains(frameCount) else {
            throw .packetExceedsLimits(byteCount: packet.byteCount, frameCount: frameCount)
        }
        let heard = place(frameCount: frameCount)
        // Also what is not heard: the decoder needs it for what comes next.
        let count = frameCount * decoder.channelCount
        if scratch.count < count { scratch += repeatElement(0, count: count - scratch.count) }
        var output = scratch.mutableSpan
        try decoder.decode(packet: packet, frameCount: frameCount, into: &output)
        let samples = heard.lowerBound * decoder.channelCount..<heard.upperBound * decoder.channelCount
        let decoded = scratch
        builder?.add(decoded.span.extracting(samples))
        guard builder?.isOverlong == true else { return }
        failure = SongFailure(
            .unusable, "'\(path)' is longer than 24 hours: that much has no levels; choose a shorter song")
    }

    /// Places a packet on the timeline, and returns its frames that are heard.
    private mutating func place(frameCount: Int) -> Range<Int> {
        var timeline = self.timeline ?? PacketTimeline(table: summary.packetTable)
        let start = timeline.place(frameCount: frameCount)
        self.timeline = timeline
        let all = 0...Int64(frameCount)
        let first = min(max(0 &- start.index, all.lowerBound), all.upperBound)
        let end = min(max(timeline.end.map { $0 - start } ?? all.upperBound, first), all.upperBound)
        return Int(first)..<Int(end)
    }
}
