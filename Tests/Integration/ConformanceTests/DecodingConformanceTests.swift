import AudioDecoding
import Testing

/// What we decode beside what ffmpeg does, on every song of the corpus.
@Suite(.timeLimit(.minutes(5)))
struct DecodingConformanceTests {
    /// Songs of codecs that have no decoder in this process.
    static let pendingLimit = 0

    @Test func everyCodecIsDecoded() throws {
        let pending = try Corpus.songs.filter { song in
            guard let format = Reading(ofFile: try contents(of: song.path)).summary.format else { return true }
            return !Decoding.catalog.codecs.contains(format.codec)
        }
        let codecs = Set(pending.map(\.codec)).sorted().joined(separator: ", ")
        #expect(pending.count <= Self.pendingLimit, "\(pending.count) songs are pending: \(codecs)")
    }

    @Test(arguments: Corpus.containers)
    func sameAsFFmpeg(container: String) throws {
        var judge = DifferenceJudge(aspects: [.audibleFrames, .samples, .meanSamples, .damage])
        for song in Corpus.songs(in: container) {
            let reading = try Reading.of(song)
            guard let format = reading.summary.format, Decoding.catalog.codecs.contains(format.codec) else { continue }
            let decoding = try Decoding(reading)
            let priming = song.isUntrimmed ? reading.summary.packetTable?.primingFrameCount ?? 0 : 0
            let trimmed = reading.summary.packetTable?.primingFrameCount ?? 0
            var found = try differences(decoding.samples, song, skipping: priming, trimmed: trimmed)
            if decoding.damagedPacketCount > 0 {
                found.append(Difference(aspect: .damage, text: "\(decoding.damagedPacketCount) packets"))
            }
            judge.judge(song, found)
        }
        judge.expectEveryExcuseIsNeeded(in: container)
    }

    /// - Parameters:
    ///   - priming: frames that ffmpeg did not trim.
    ///   - trimmed: frames that we did.
    private func differences(
        _ ours: [Float], _ song: Song, skipping priming: Int, trimmed: Int
    ) throws -> [Difference] {
        let theirs = Array(try song.samplesOfReference().dropFirst(priming * song.channels))
        var found: [Difference] = []
        if ours.count != theirs.count {
            let text = "\(ours.count / song.channels), ffmpeg \(theirs.count / song.channels)"
            found.append(Difference(aspect: .audibleFrames, text: text))
        }
        // Lossless codecs leave no room.
        let (largestLimit, meanLimit) = song.isLossless ? (0, 0) : (Accuracy.largestLimit, Accuracy.meanLimit)
        let references = try song.accurateSamples(skipping: trimmed) ?? theirs
        let accuracy = Accuracy(ours, references)
        if accuracy.largest > largestLimit {
            let place = zip(ours, references).enumerated().first { !(abs($1.0 - $1.1) <= largestLimit) }?.offset ?? 0
            found.append(Difference(aspect: .samples, text: "\(accuracy), first in frame \(place / song.channels)"))
        }
        if accuracy.mean > meanLimit { found.append(Difference(aspect: .meanSamples, text: "\(accuracy)")) }
        return found
    }
}
