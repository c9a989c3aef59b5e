import AudioCore
import AudioDecoding
import AudioFileWriting

// Two passes. The first counts: after it the WAVE header can say exactly what follows, also into a pipe, and a file
// that cannot be played leaves nothing behind. The second decodes.

/// Writes what a listener would put out to a WAVE file, at full speed. Where a file holds several songs, all of them, up to
/// one that a WAVE file cannot hold behind the first.
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
        /// What of the file was left out, and why: one line; nil where all of it was written.
        public var omission: String?
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
    /// For people, to follow the file's name.
    public var explanation: String {
        switch self {
        case .unsupportedCodec(let codec):
            "holds \(codec.commonName), for which this machine has no decoder" + Self.remedy(for: codec)
        default: "\(self)"
        }
    }
}
