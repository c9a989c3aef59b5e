import StreamTestKit
import Testing

@testable import AudioCore

/// The encoded form, and what is read from it.
@Suite(.timeLimit(.minutes(5))) struct LevelEnvelopeTests {
    private func encoded(
        magic: String = "TLEV", version: UInt8 = 1, channels: UInt8 = 1, milliseconds: Int = 50, count: Int? = nil,
        _ levels: [UInt8]
    ) -> [UInt8] {
        let count = count ?? levels.count / max(1, 2 * Int(channels))
        return Array(magic.utf8) + [version, channels] + [8, 0].map { UInt8(milliseconds >> $0 & 255) }
            + [24, 16, 8, 0].map { UInt8(count >> $0 & 255) } + levels
    }

    private func envelope(channels: UInt8 = 1, milliseconds: Int = 50, _ levels: [UInt8]) throws -> LevelEnvelope {
        try #require(LevelEnvelope(encoded: encoded(channels: channels, milliseconds: milliseconds, levels)))
    }

    @Test func whatIsEncodedComesBack() throws {
        var random = SeededGenerator(seed: 1)
        for _ in 0..<300 {
            let channels = Int.random(in: 1...3, using: &random)
            let samples = (0..<Int.random(in: 0...9_000, using: &random) * channels).map { _ in
                Float.random(in: -1...1, using: &random)
            }
            var builder = try #require(
                LevelEnvelopeBuilder(sampleRate: 8_000, channelCount: channels, layout: nil, byteLimit: 64))
            builder.add(samples.span)
            let built = builder.finish()
            let decoded = try #require(LevelEnvelope(encoded: built.encoded))
            #expect(decoded == built && decoded.encoded == built.encoded)
        }
    }

    @Test func wrongNumbersAreRefused() {
        let levels = [UInt8](repeating: 9, count: 8)
        #expect(LevelEnvelope(encoded: encoded(levels)) != nil)
        #expect(LevelEnvelope(encoded: encoded(channels: 2, milliseconds: 65_535, levels)) != nil)
        let wrong = [
            encoded(magic: "TLEW", levels), encoded(version: 0, levels), encoded(version: 2, levels),
            encoded(channels: 0, count: 4, levels), encoded(channels: 3, count: 1, levels),
            encoded(channels: 255, levels), encoded(milliseconds: 0, levels), encoded(count: 3, levels),
            encoded(count: 5, levels), encoded(count: 0, levels), encoded(count: 0xFFFF_FFFF, levels),
            encoded(count: 0x8000_0004, levels), encoded(levels) + [9], encoded(levels).dropLast(), [],
        ]
        for bytes in wrong { #expect(LevelEnvelope(encoded: Array(bytes)) == nil) }
        for length in 0..<20 { #expect(LevelEnvelope(encoded: Array(encoded(levels).prefix(length))) == nil) }
    }

    @Test func oneMebibyteIsTheLimit() {
        let room = LevelEnvelope.largestByteCount - 12
        #expect(LevelEnvelope(encoded: encoded([UInt8](repeating: 1, count: room)))?.intervalCount == room / 2)
        #expect(LevelEnvelope(encoded: encoded([UInt8](repeating: 1, count: room + 2))) == nil)
    }

    /// Whatever is taken can be used.
    @Test func randomBytesDoNoHarm() {
        var random = SeededGenerator(seed: 2)
        var takenCount = 0
        for round in 0..<20_000 {
            let levels = (0..<Int.random(in: 0...40, using: &random)).map { _ in
                UInt8.random(in: 0...255, using: &random)
            }
            var bytes = round % 2 == 0 ? levels : encoded(channels: UInt8(round / 2 % 3), levels)
            if round % 5 < 2, !bytes.isEmpty {
                bytes[Int.random(in: 0..<min(12, bytes.count), using: &random)] = .random(in: 0...255, using: &random)
            }
            guard let envelope = LevelEnvelope(encoded: bytes) else { continue }
            takenCount += 1
            #expect(envelope.encoded == bytes)
            for nanoseconds in [Int64.min, -1, 0, 50_000_000, envelope.duration.nanoseconds, .max] {
                _ = envelope.level(at: TimeSpan(nanoseconds: nanoseconds))
            }
            #expect(envelope.overview(columns: round % 90).count == round % 90)
        }
        #expect(takenCount > 1_000)
    }

    @Test func levelsAtATime() throws {
        let envelope = try envelope(channels: 2, [1, 2, 3, 4, 5, 6, 7, 8])
        func level(_ nanoseconds: Int64) -> [UInt8] {
            let (left, right) = envelope.level(at: TimeSpan(nanoseconds: nanoseconds))
            return [left.peak, left.rms, right.peak, right.rms]
        }
        #expect(envelope.duration == .milliseconds(100))
        #expect(level(0) == [1, 2, 3, 4] && level(49_999_999) == [1, 2, 3, 4])
        #expect(level(50_000_000) == [5, 6, 7, 8] && level(99_999_999) == [5, 6, 7, 8])
        for outside in [-1, .min, 100_000_000, .max] as [Int64] { #expect(level(outside) == [0, 0, 0, 0]) }
    }

    @Test func oneChannelIsOnBothSides() throws {
        let (left, right) = try envelope(milliseconds: 400, [7, 5]).level(at: .milliseconds(399))
        #expect(left == .init(peak: 7, rms: 5) && right == left)
    }

    @Test func anOverviewHasTheLoudestOfEachColumn() throws {
        let loudness: [UInt8] = [1, 9, 2, 3, 8, 4, 5]
        let envelope = try envelope(loudness.flatMap { [255, $0] })
        #expect(envelope.overview(columns: 1) == [9])
        #expect(envelope.overview(columns: 2) == [9, 8])
        #expect(envelope.overview(columns: 7) == loudness)
        #expect(envelope.overview(columns: 14) == loudness.flatMap { [$0, $0] })
        #expect(envelope.overview(columns: 0) == [] && envelope.overview(columns: .min) == [])
        #expect(envelope.overview(columns: .max).count == LevelEnvelope.largestColumnCount)
        // The louder side counts.
        #expect(try self.envelope(channels: 2, [255, 1, 255, 6]).overview(columns: 1) == [6])
        #expect(try self.envelope([]).overview(columns: 3) == [0, 0, 0])
    }

    /// No interval is left out, and none counts twice.
    @Test func columnsPartTheSong() throws {
        var random = SeededGenerator(seed: 5)
        for count in 1...60 {
            let loudness = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
            let envelope = try envelope(loudness.flatMap { [0, $0] })
            for columns in 1...count {
                var expected = [UInt8](repeating: 0, count: columns)
                for (index, level) in loudness.enumerated() {
                    // The last column that begins at this interval or before.
                    let column = ((index + 1) * columns - 1) / count
                    expected[column] = max(expected[column], level)
                }
                #expect(envelope.overview(columns: columns) == expected)
            }
        }
    }
}
