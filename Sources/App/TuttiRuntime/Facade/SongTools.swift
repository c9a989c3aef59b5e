import AudioDecoding
import Songs

/// What can be done with a song's file without playing it: explained, or decoded into another.
public enum SongTools {
    /// What decoding a song into a file came to.
    public struct DecodingOutcome: Hashable, Sendable {
        public var frameCount: Int64
        /// Packets that became silence.
        public var damagedPacketCount: Int
        /// What was passed over, each in a few words with its place.
        public var problems: [String]
        /// What of the file was left out, and why; nil where all of it was written.
        public var omission: String?
    }

    /// Reads a file whole. What is wrong with it is in the answer.
    public static func inspect(path: String) -> SongFacts {
        var facts = SongFacts.read(path: path, probe: .trial)
        if facts.failure == nil, let format = facts.summary.format,
            let obstacle = DecoderCatalog.complete.obstacle(to: format.codec)
        {
            facts.failure = SongFailure(.unusable, "'\(path)' \(obstacle.explanation)")
        }
        return facts
    }

    /// Writes what a listener would put out to a WAVE file.
    /// - Parameters:
    ///   - output: its path; "-" is standard output.
    ///   - asFloat: 32-bit floats also where the song has integers.
    ///   - isStopped: asked from time to time; after true nothing is left behind.
    public static func decode(
        path: String, to output: String, asFloat: Bool, isStopped: () -> Bool
    ) throws(RuntimeFailure) -> DecodingOutcome {
        var decoding = SongDecoding(path: path, output: output)
        decoding.asFloat = asFloat
        decoding.probe = .trial
        do throws(SongFailure) {
            let outcome = try decoding.run(decoders: .complete, isStopped: isStopped)
            return DecodingOutcome(
                frameCount: outcome.frameCount, damagedPacketCount: outcome.damagedPacketCount,
                problems: outcome.problems.map(\.description), omission: outcome.omission)
        } catch {
            throw RuntimeFailure(error)
        }
    }
}
