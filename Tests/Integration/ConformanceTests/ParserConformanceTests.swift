import AudioCore
import AudioFileStreamServices
import Testing

/// Our parser beside ffprobe, on every song of the corpus.
@Suite(.timeLimit(.minutes(5)))
struct ParserConformanceTests {
    /// Songs that may be in a container that the parser does not know yet.
    static let pendingLimit = 0

    @Test func corpusCoversWhatItClaims() {
        let songs = Corpus.songs
        #expect(songs.count >= 120)
        #expect(Set(songs.map(\.rate)).isSuperset(of: [8_000, 11_025, 22_050, 44_100, 48_000, 96_000, 192_000]))
        #expect(Set(songs.map(\.channels)) == Set(1...8))
        #expect(Set(songs.map(\.container)).count >= 22)
        #expect(Set(songs.map(\.codec)).count >= 22)
    }

    @Test func everyContainerIsKnown() throws {
        let pending = try Corpus.songs.filter { song in
            Reading(ofFile: try contents(of: song.path)).isUnsupported
        }
        let containers = Set(pending.map(\.container)).sorted().joined(separator: ", ")
        #expect(pending.count <= Self.pendingLimit, "\(pending.count) songs are pending: \(containers)")
    }

    @Test(arguments: Corpus.containers)
    func sameAsFFprobe(container: String) throws {
        var judge = DifferenceJudge(aspects: [
            .readable, .codec, .sampleRate, .channels, .packetCount, .packetBytes, .packetFrames, .source,
        ])
        for song in Corpus.songs(in: container) {
            let file = try contents(of: song.path)
            let reading = try Reading.of(song)
            if reading.isUnsupported { continue }
            guard reading.failure == nil else {
                Issue.record("\(song): \(reading.failure!)")
                continue
            }
            let source = song.differences(from: reading)
            let probe = (try? Probe(song))?.differences(from: reading, of: song, in: file)
            let refusal = Difference(aspect: .readable, text: "ffprobe refuses it")
            judge.judge(song, source + (probe ?? [refusal]))
        }
        judge.expectEveryExcuseIsNeeded(in: container)
    }

    /// A pure stream gives the same, or says that it cannot be one.
    @Test(arguments: Corpus.containers)
    func streamedLikeAtHand(container: String) throws {
        for song in Corpus.songs(in: container) {
            let file = try contents(of: song.path)
            let streamed = Reading(ofStream: file)
            if streamed.isUnsupported { continue }
            if streamed.failure == .notOptimized {
                #expect(["mp4-tail", "3gp", "3g2", "mov", "caf"].contains(container), "\(song)")
                continue
            }
            let atHand = Reading(ofFile: file)
            #expect(streamed.failure == atHand.failure, "\(song)")
            #expect(streamed.audibleFrameCount == atHand.audibleFrameCount, "\(song)")
            #expect(streamed.packets.map(\.range) == atHand.packets.map(\.range), "\(song)")
        }
    }
}
