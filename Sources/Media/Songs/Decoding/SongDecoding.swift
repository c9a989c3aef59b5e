import AudioCore
import AudioDecoding
import AudioFileWriting

// Two passes. The first counts frames: the WAVE header is then exact, even when written to a pipe, and a file that
// cannot be played leaves nothing behind. The second decodes.

/// Decodes a song to a WAVE file with what a listener would play, at full speed. Of a file with several songs it
/// decodes all, up to the first that does not fit into the same WAVE file.
public struct SongDecoding: Sendable {
    public var path: String
    /// "-" is standard output.
    public var output: String
    /// Whether to write 32-bit floats even for integer songs.
    public var asFloat = false
    /// Determines the song's format as decoded.
    public var probe: FormatProbe?

    /// The result of a run.
    public struct Outcome: Hashable, Sendable {
        public var frameCount: Int64
        /// Packets that became silence.
        public var damagedPacketCount: Int
        public var problems: [AudioStreamProblem]
        /// What part of the file was left out, and why: one line; nil if everything was written.
        public var omission: String?
    }

    public init(path: String, output: String) {
        self.path = path
        self.output = output
    }

    /// - Parameter isStopped: called between pieces; if it returns true, decoding stops and leaves nothing behind.
    /// - Throws: what is wrong with the song, or why it cannot be written.
    public func run(
        decoders: DecoderCatalog, isStopped: () -> Bool = { false }
    ) throws(SongFailure) -> Outcome {
        let plan = try DecodingPlan.read(
            path: path, asFloat: asFloat, probe: probe, codecs: decoders.codecs, isStopped: isStopped)
        let file = try SongFile(path: path)
        let identity = file.identity
        var stream = SongStream(file, probe: probe)
        var sink = try DecodingSink(plan, path: path, decoders: decoders) { () throws(SongFailure) in
            try OutputTarget(path: output, input: identity)
        }
        for (index, song) in plan.songs.enumerated() {
            if index > 0 { stream.beginNext() }
            sink.begin(song)
            while !stream.isFinished, sink.failure == nil {
                if isStopped() { throw SongFailure(.stopped, "stopped") }
                let passedCount = stream.passedCount
                _ = try stream.advance(into: &sink)
                if stream.passedCount != passedCount { sink.begin(song) }
            }
            if let failure = sink.failure { throw failure }
            let isMissing = index + 1 < plan.songs.count && !stream.hasNext
            guard sink.isSongWhole, !isMissing else {
                throw SongFailure(.unusable, "'\(path)' changed while it was read")
            }
        }
        try sink.finish()
        return Outcome(
            frameCount: sink.frameCount, damagedPacketCount: sink.damagedPacketCount, problems: plan.problems,
            omission: plan.omission)
    }
}

extension AudioDecodingError {
    /// A text for people, to append to the file's name.
    public var explanation: String {
        switch self {
        case .unsupportedCodec(let codec):
            "holds \(codec.commonName), for which this machine has no decoder" + Self.remedy(for: codec)
        default: "\(self)"
        }
    }
}
