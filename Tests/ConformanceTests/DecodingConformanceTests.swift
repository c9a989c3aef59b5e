import AudioDecoding
import Testing

/// What we decode beside what ffmpeg does, on every song of the corpus.
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
            let reading = Reading(ofFile: try contents(of: song.path))
            guard let format = reading.summary.format, Decoding.catalog.codecs.contains(format.codec) else { continue }
            let decoding = try Decoding(reading)
            // ffmpeg takes no notice of an edit list in a fragmented file.
            let isUntrimmed = song.variant.contains("delay_moov")
            let priming = isUntrimmed ? reading.summary.packetTable?.primingFrameCount ?? 0 : 0
            var found = try differences(decoding.samples, song, skipping: priming)
            if decoding.damagedPacketCount > 0 {
                found.append(Difference(aspect: .damage, text: "\(decoding.damagedPacketCount) packets"))
            }
            judge.judge(song, found)
        }
        judge.expectEveryExcuseIsNeeded(in: container)
    }

    /// - Parameter priming: frames that ffmpeg did not trim.
    private func differences(_ ours: [Float], _ song: Song, skipping priming: Int) throws -> [Difference] {
        let theirs = Array(try song.samplesOfFFmpeg().dropFirst(priming * song.channels))
        var found: [Difference] = []
        if ours.count != theirs.count {
            let text = "\(ours.count / song.channels), ffmpeg \(theirs.count / song.channels)"
            found.append(Difference(aspect: .audibleFrames, text: text))
        }
        // What a full accuracy decoder may differ from the reference decoder (ISO 11172-4 section 2.6.3): 2^-14 of full
        // scale in any sample, 2^-15 / sqrt(12) in the mean. Lossless codecs leave no room.
        let (largestLimit, meanLimit): (Float, Double) =
            song.isLossless ? (0, 0) : (0x1p-14, 0x1p-15 / 12.0.squareRoot())
        let distances = zip(ours, try song.accurateSamples() ?? theirs).map { abs($0 - $1) }
        if let largest = distances.max(), !(largest <= largestLimit) {
            let place = distances.firstIndex { !($0 <= largestLimit) } ?? 0
            let text = "up to \(largest * 32_768) steps of 16 bits, first in frame \(place / song.channels)"
            found.append(Difference(aspect: .samples, text: text))
        }
        let power = distances.reduce(0.0) { $0 + Double($1) * Double($1) } / Double(max(1, distances.count))
        if !(power.squareRoot() <= meanLimit) {
            let text = "\(power.squareRoot() * 32_768) steps of 16 bits RMS"
            found.append(Difference(aspect: .meanSamples, text: text))
        }
        return found
    }
}
