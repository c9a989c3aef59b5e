import AudioCore
import AudioDecoding
import Songs

/// What can be done with a song's file besides playing it: explain it, show its picture, measure how loud it is, or
/// decode it into another.
public enum SongTools {
    /// The result of decoding a song into a file.
    public struct DecodingOutcome: Hashable, Sendable {
        public var frameCount: Int64
        /// Packets that became silence.
        public var damagedPacketCount: Int
        /// Damage that was skipped, each in a few words with its place.
        public var problems: [String]
        /// What part of the file was left out, and why; nil if all of it was written.
        public var omission: String?
    }

    /// Reads a file whole. The result lists what is wrong with it.
    public static func inspect(path: String) -> SongFacts {
        var facts = SongFacts.read(path: path, probe: .trial)
        if facts.failure == nil, let format = facts.summary.format,
            let obstacle = DecoderCatalog.complete.obstacle(to: format.codec)
        {
            facts.failure = SongFailure(.unusable, "'\(path)' \(obstacle.explanation)")
        }
        return facts
    }

    /// Reads the picture of a song, from its file or from beside it.
    /// - Returns: nil if there is none.
    /// - Throws: why the song's file cannot be opened.
    public static func artwork(path: String) throws(RuntimeFailure) -> SongArtwork? {
        do throws(SongFailure) {
            _ = try SongFile(path: path)
        } catch {
            throw RuntimeFailure(error)
        }
        return SongArtwork(ofSong: path)
    }

    /// Decodes a song's file, and measures how loud it is over its time. Of several songs in a file, the first.
    /// - Throws: why it cannot be decoded to its end; also if it is longer than a day.
    public static func levels(path: String) throws(RuntimeFailure) -> LevelEnvelope {
        do throws(SongFailure) {
            return try SongLevels.measure(path: path, decoders: .complete, probe: .trial)
        } catch {
            throw RuntimeFailure(error)
        }
    }

    /// Writes what a listener would put out to a WAVE file.
    /// - Parameters:
    ///   - output: its path; "-" is standard output.
    ///   - asFloat: whether to write 32-bit floats even if the song has integers.
    ///   - isStopped: asked from time to time; if it returns true, no file is left behind.
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
