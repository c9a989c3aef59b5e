import AudioCore
import AudioDecoding
import AudioFileWriting

/// The planned contents of a WAVE file: a song, and the ones that follow it in the same file as long as they have its
/// sample rate and channels.
struct DecodingPlan {
    /// A song's frames that are heard, and the priming before them.
    struct Song {
        var frameCount: Int64
        var primingFrameCount: Int
    }

    private(set) var songs: [Song] = []
    private(set) var frameCount: Int64 = 0
    /// Facts of the first song that has frames.
    private(set) var first: SongFacts?
    private(set) var samples = SampleFormat.float32
    private(set) var problems: [AudioStreamProblem] = []
    /// What part of the file is left out, and why: one line.
    private(set) var omission: String?

    private let asFloat: Bool

    private static let largestProblemCount = 256

    /// Reads the file.
    /// - Parameter asFloat: whether to use 32-bit floats even for integer songs.
    /// - Throws: why not even the first song can be decoded.
    static func read(
        path: String, asFloat: Bool, probe: FormatProbe?, codecs: Set<Codec>, isStopped: () -> Bool
    ) throws(SongFailure) -> DecodingPlan {
        var (plan, failure): (DecodingPlan, SongFailure?) = (DecodingPlan(asFloat: asFloat), nil)
        var start: Int64 = 0
        SongFacts.readSongs(path: path, probe: probe, isStopped: isStopped) { facts in
            if let problem = facts.failure, plan.songs.isEmpty || problem.kind == .stopped {
                failure = problem
                return false
            }
            guard plan.take(facts, from: start, codecs) else { return false }
            start = facts.nextSongOffset ?? start
            return true
        }
        if let failure { throw failure }
        guard plan.frameCount > 0 else { throw SongFailure(.unusable, "'\(path)' holds no audio") }
        return plan
    }

    private init(asFloat: Bool) { self.asFloat = asFloat }

    /// - Returns: whether the song is included; otherwise the omission was noted.
    private mutating func take(_ facts: SongFacts, from start: Int64, _ codecs: Set<Codec>) -> Bool {
        guard facts.failure == nil, let format = facts.summary.format else {
            omission =
                "the song at byte \(start), and all behind it, is left out: \(facts.failure?.message ?? "no audio")"
            return false
        }
        if facts.frameCount > 0 {
            if let objection = objection(to: facts, format, codecs) {
                omission =
                    "what follows from byte \(start) on (\(format.codec.commonName), \(Int(format.sampleRate.rounded())) Hz, "
                    + "\(format.channelsPerFrame) channel\(format.channelsPerFrame == 1 ? "" : "s")) is left out: "
                    + objection
                return false
            }
            let own = asFloat ? .float32 : SampleFormat(of: format, cookie: facts.summary.magicCookie)
            samples = first == nil ? own : samples.wide(enoughFor: own)
            first = first ?? facts
        }
        songs.append(Song(frameCount: facts.frameCount, primingFrameCount: facts.primingFrameCount))
        frameCount += facts.frameCount
        problems += facts.problems.prefix(Self.largestProblemCount - problems.count)
        return true
    }

    private func objection(to facts: SongFacts, _ format: AudioStreamFormat, _ codecs: Set<Codec>) -> String? {
        guard let first, let wanted = first.summary.format else { return nil }
        guard codecs.contains(format.codec) else { return "this machine has no decoder for it" }
        let isSame =
            wanted.sampleRate == format.sampleRate && wanted.channelsPerFrame == format.channelsPerFrame
            && (format.channelsPerFrame <= 2 || first.speakers.mask == facts.speakers.mask)
        return isSame ? nil : "a WAVE file has one sample rate and one set of channels"
    }
}

extension SongFacts {
    fileprivate var speakers: SpeakerOrder {
        SpeakerOrder(
            summary.channelLayout, channelCount: summary.format?.channelsPerFrame ?? 0,
            codec: summary.format?.codec ?? .linearPCM)
    }
}

extension SampleFormat {
    /// Returns a format for the samples of both, lossless for integers up to 32 bits.
    fileprivate func wide(enoughFor other: SampleFormat) -> SampleFormat {
        if self == other { return self }
        guard !isFloat, !other.isFloat else { return .float32 }
        return .integer(bits: max(validBits, other.validBits)) ?? .float32
    }
}
