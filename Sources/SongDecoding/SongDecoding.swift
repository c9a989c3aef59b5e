import AudioCore
import AudioDecoding
import AudioFileWriting
import SongReading

// Two passes. The first counts: after it the WAVE header can say exactly what follows, also into a pipe, and a file
// that cannot be played leaves nothing behind. The second decodes.

/// Writes what a listener would put out to a WAVE file, at full speed.
public struct SongDecoding: Sendable {
    public var path: String
    /// "-" is standard output.
    public var output: String
    /// 32-bit floats also where the song has integers.
    public var asFloat = false
    /// Tells what the song is as decoded.
    public var probe: FormatProbe?

    /// What was done.
    public struct Outcome: Hashable, Sendable {
        public var frameCount: Int64
        /// Packets that became silence.
        public var damagedPacketCount: Int
        public var problems: [AudioStreamProblem]
    }

    public init(path: String, output: String) {
        self.path = path
        self.output = output
    }

    /// - Parameter isStopped: asked between pieces; where it answers true, nothing is left behind.
    /// - Throws: what is wrong with the song, or why it cannot be written.
    public func run(
        decoders: DecoderCatalog, isStopped: () -> Bool = { false }
    ) throws(SongFailure) -> Outcome {
        let facts = SongFacts.read(path: path, probe: probe, isStopped: isStopped)
        if let failure = facts.failure { throw failure }
        guard let format = facts.summary.format, facts.frameCount > 0 else {
            throw SongFailure(.unusable, "'\(path)' holds no audio")
        }
        let decoder: any AudioPacketDecoder
        do throws(AudioDecodingError) {
            decoder = try decoders.makeDecoder(for: format, magicCookie: facts.summary.magicCookie)
        } catch {
            throw SongFailure(.unusable, "'\(path)' \(error.explanation)")
        }
        let samples = asFloat ? .float32 : SampleFormat(of: format, cookie: facts.summary.magicCookie)
        let speakers = SpeakerOrder(
            facts.summary.channelLayout, channelCount: decoder.channelCount, codec: format.codec)
        let header = WAVEHeader(
            sampleRate: decoder.sampleRate, channelCount: decoder.channelCount, samples: samples,
            speakerMask: speakers.mask, frameCount: facts.frameCount)

        let file = try SongFile(path: path)
        let identity = file.identity
        var stream = SongStream(file, probe: probe)
        var sink = DecodingSink(
            facts: facts, format: format, samples: samples, speakers: speakers, decoder: decoder, header: header.bytes,
            target: try OutputTarget(path: output, input: identity))
        while !stream.isFinished, sink.failure == nil {
            if isStopped() { throw SongFailure(.stopped, "stopped") }
            _ = try stream.advance(into: &sink)
        }
        if let failure = sink.failure { throw failure }
        guard sink.frameCount == facts.frameCount else {
            throw SongFailure(.unusable, "'\(path)' changed while it was read")
        }
        try sink.finish(padding: header.paddingByteCount)
        return Outcome(
            frameCount: sink.frameCount, damagedPacketCount: decoder.damagedPacketCount, problems: facts.problems)
    }
}

extension AudioDecodingError {
    /// For people, to follow the file's name.
    public var explanation: String {
        switch self {
        case .unsupportedCodec(let codec):
            "holds \(codec.commonName), for which this machine has no decoder" + Self.remedy(for: codec)
        default: "\(self)"
        }
    }
}
