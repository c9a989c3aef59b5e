import StreamTestKit
import TOML
import Testing

/// The same documents as Python's reader, and the same values in them.
@Suite(.timeLimit(.minutes(5))) struct TomllibTests {
    @Test func documentsOfTheSpecificationAreRead() throws {
        for document in TOMLSamples.valid {
            #expect(TOMLDocument(parsing: Array(document.utf8)).problems == [], "\(document)")
        }
        for document in TOMLSamples.invalid {
            #expect(TOMLDocument(parsing: Array(document.utf8)).problems != [], "\(document)")
        }
        #expect(try Tomllib.differences((TOMLSamples.valid + TOMLSamples.invalid).map { Array($0.utf8) }) == [])
    }

    /// Two documents in a row, as sections may stand in any order.
    @Test func sectionsInARowAreRead() throws {
        let documents = TOMLSamples.valid + TOMLSamples.invalid
        var pairs: [[UInt8]] = []
        for seed: UInt64 in 1...2_000 {
            var generator = SeededGenerator(seed: seed)
            let parts = (0..<3).compactMap { _ in documents.randomElement(using: &generator) }
            pairs.append(Array(parts.joined(separator: "\n").utf8))
        }
        #expect(try Tomllib.differences(pairs) == [])
    }

    @Test func hurtDocumentsAreJudgedAlike() throws {
        let documents = (TOMLSamples.valid + TOMLSamples.invalid).map { Array($0.utf8) }
        var hurt: [[UInt8]] = []
        for seed: UInt64 in 1...20_000 {
            var generator = SeededGenerator(seed: seed)
            var document = try #require(documents.randomElement(using: &generator))
            for _ in 0...Int.random(in: 0..<3, using: &generator) {
                document.hurt(with: try #require(documents.randomElement(using: &generator)), using: &generator)
            }
            hurt.append(document)
        }
        #expect(try Tomllib.differences(hurt) == [])
    }
}
