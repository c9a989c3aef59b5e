import StreamTestKit
import Testing

@testable import AudioCore

/// How levels are measured, compared with the definition.
@Suite(.timeLimit(.minutes(5))) struct LevelEnvelopeBuilderTests {
    /// Returns noise that is loud and soft by turns, from silence to beyond full scale.
    private func samples(
        _ count: Int, _ random: inout SeededGenerator, scales: [Float] = [0, 1e-7, 1e-3, 0.1, 1, 3]
    ) -> [Float] {
        (0..<count).map { index in
            let scale = scales[index / 997 % scales.count]
            return Float.random(in: -scale...scale, using: &random)
        }
    }

    private func envelope(
        _ samples: [Float], rate: Double, channels: Int, layout: AudioChannelLayout? = nil, byteLimit: Int = 1 << 20,
        pieces: () -> Int = { 4_096 }
    ) throws -> LevelEnvelope {
        var builder = try #require(
            LevelEnvelopeBuilder(sampleRate: rate, channelCount: channels, layout: layout, byteLimit: byteLimit))
        var rest = samples[...]
        while !rest.isEmpty {
            let piece = Array(rest.prefix(pieces() * channels))
            builder.add(piece.span)
            rest = rest.dropFirst(piece.count)
        }
        return builder.finish()
    }

    /// Peaks and powers of intervals, straight from the definition: frame f belongs to interval f / rate / length.
    private func reference(
        _ samples: [Float], rate: Int, channels: Int, milliseconds: Int
    ) -> [[(peak: Double, power: Double)]] {
        var sums: [[(peak: Double, sum: Double, count: Int)]] = []
        for frame in 0..<samples.count / channels {
            let interval = frame * 1_000 / (rate * milliseconds)
            if interval == sums.count { sums.append(Array(repeating: (0, 0, 0), count: channels)) }
            for channel in 0..<channels {
                let square = Double(samples[frame * channels + channel]) * Double(samples[frame * channels + channel])
                sums[interval][channel].peak = max(sums[interval][channel].peak, square)
                sums[interval][channel].sum += square
                sums[interval][channel].count += 1
            }
        }
        return sums.map { $0.map { (peak: $0.peak, power: $0.sum / Double($0.count)) } }
    }

    @Test(arguments: [8_000, 11_025, 22_050, 44_100, 48_000, 96_000], [1, 2])
    func levelsAreThoseOfTheDefinition(rate: Int, channels: Int) throws {
        var random = SeededGenerator(seed: UInt64(rate + channels))
        let samples = samples(rate * channels * 7 / 4, &random)
        let envelope = try envelope(samples, rate: Double(rate), channels: channels) {
            Int.random(in: 1...3_000, using: &random)
        }
        let reference = reference(samples, rate: rate, channels: channels, milliseconds: 50)
        #expect(envelope.interval == .milliseconds(50) && envelope.channelCount == channels)
        #expect(envelope.intervalCount == reference.count)
        for (index, levels) in reference.enumerated() {
            for (channel, level) in levels.enumerated() {
                let found = envelope.level(ofInterval: index, channel: channel)
                #expect(found.peak == LevelScale.byte(ofPower: level.peak))
                #expect(found.rms == LevelScale.byte(ofPower: level.power))
            }
        }
    }

    @Test func howSamplesAreCutDoesNotMatter() throws {
        var random = SeededGenerator(seed: 3)
        let samples = samples(30_000, &random)
        let whole = try envelope(samples, rate: 44_100, channels: 2) { 15_000 }
        #expect(try envelope(samples, rate: 44_100, channels: 2) { 1 } == whole)
    }

    /// Each time that the buffer is full, intervals double; what comes out is near to what longer intervals had given.
    @Test(arguments: [1, 2])
    func intervalsDoubleWhenTheBufferIsFull(channels: Int) throws {
        var random = SeededGenerator(seed: 4)
        var lengths: Set<Int> = []
        for frameCount in [400, 8_000, 8_799, 20_000, 77_777, 200_000] {
            // What is beyond full scale is not told apart.
            let samples = samples(frameCount * channels, &random, scales: [0, 1e-3, 0.1, 1])
            let envelope = try envelope(samples, rate: 8_000, channels: channels, byteLimit: 100)
            let milliseconds = Int(envelope.interval.nanoseconds / 1_000_000)
            let reference = reference(samples, rate: 8_000, channels: channels, milliseconds: milliseconds)
            lengths.insert(milliseconds)
            #expect(envelope.encoded.count <= 100 && envelope.intervalCount == reference.count)
            for (index, levels) in reference.enumerated() {
                for (channel, level) in levels.enumerated() {
                    let found = envelope.level(ofInterval: index, channel: channel)
                    #expect(found.peak == LevelScale.byte(ofPower: level.peak))
                    // Half a step by the first rounding, and by each doubling.
                    let doublings = (milliseconds / 50).trailingZeroBitCount
                    let error = Int(found.rms) - Int(LevelScale.byte(ofPower: level.power))
                    #expect(abs(error) <= (doublings + 2) / 2)
                }
            }
        }
        #expect(lengths.count >= 4 && lengths.allSatisfy { $0 % 50 == 0 && ($0 / 50).nonzeroBitCount == 1 })
    }

    @Test func aLastIntervalThatIsShortHasItsOwnMean() throws {
        let envelope = try envelope([Float](repeating: 0.1, count: 401), rate: 8_000, channels: 1)
        #expect(envelope.intervalCount == 2)
        #expect(envelope.level(ofInterval: 1, channel: 0) == .init(peak: 215, rms: 215))
    }

    @Test func samplesThatAreNoNumbersAreSilent() throws {
        var samples = [Float](repeating: 0, count: 800)
        for (index, value) in [Float.nan, .infinity, -.infinity, .signalingNaN].enumerated() { samples[index] = value }
        samples[400] = -.greatestFiniteMagnitude
        let envelope = try envelope(samples, rate: 8_000, channels: 1)
        #expect(envelope.level(ofInterval: 0, channel: 0) == .silence)
        #expect(envelope.level(ofInterval: 1, channel: 0) == .init(peak: 255, rms: 255))
    }

    /// One channel of many is loud: which sides hear it.
    @Test func manyChannelsBecomeTwo() throws {
        func sides(_ loud: Int, of count: Int, _ labels: [AudioChannelLabel]? = nil) throws -> [Bool] {
            let samples = (0..<count * 400).map { $0 % count == loud ? 0.1 as Float : 0.01 }
            let envelope = try envelope(
                samples, rate: 8_000, channels: count, layout: labels.map(AudioChannelLayout.init))
            #expect(envelope.channelCount == 2 && envelope.intervalCount == 1)
            return (0..<2).map { channel in
                let level = envelope.level(ofInterval: 0, channel: channel)
                #expect(level == .init(peak: 215, rms: 215) || level == .init(peak: 175, rms: 175))
                return level.peak == 215
            }
        }
        let surround: [AudioChannelLabel] = [.left, .right, .center, .lfe, .leftSurround, .rightSurround]
        let expected = [[true, false], [false, true], [true, true], [true, true], [true, false], [false, true]]
        for (channel, expected) in expected.enumerated() {
            #expect(try sides(channel, of: 6, surround) == expected)
            #expect(try sides(5 - channel, of: 6, surround.reversed()) == expected)
        }
        // Sides alternate where nothing is known, or what is said does not fit.
        let useless: [[AudioChannelLabel]?] = [nil, [.right, .left], [.unknown, .unknown, .unknown, .unknown]]
        for labels in useless {
            #expect(try sides(2, of: 4, labels) == [true, false])
            #expect(try sides(3, of: 4, labels) == [false, true])
        }
    }

    @Test func aDayIsTheLimit() throws {
        var builder = try #require(LevelEnvelopeBuilder(sampleRate: 8_000, channelCount: 1))
        let minute = [Float](repeating: 0.1, count: 8_000 * 60)
        for _ in 0..<24 * 60 { builder.add(minute.span) }
        #expect(!builder.isOverlong)
        builder.add(minute.span.extracting(first: 1))
        #expect(builder.isOverlong)
        let envelope = builder.finish()
        #expect(envelope.duration == .seconds(86_400) && envelope.interval == .milliseconds(200))
        #expect(envelope.encoded.count <= LevelEnvelope.largestByteCount)
        #expect(envelope.level(at: .seconds(86_399)).left == .init(peak: 215, rms: 215))
    }

    @Test func whatIsBeyondTheLimitsIsRefused() {
        for rate in [0, -1, 7_999, 192_001, .nan, .infinity] as [Double] {
            #expect(LevelEnvelopeBuilder(sampleRate: rate, channelCount: 2) == nil)
        }
        for count in [Int.min, 0, 9, Int.max] {
            #expect(LevelEnvelopeBuilder(sampleRate: 48_000, channelCount: count) == nil)
        }
    }

    @Test func nothingIsAnEnvelopeWithoutIntervals() throws {
        let envelope = try envelope([], rate: 48_000, channels: 2)
        #expect(envelope.intervalCount == 0 && envelope.duration == .zero && envelope.encoded.count == 12)
        #expect(LevelEnvelope(encoded: envelope.encoded) == envelope)
    }
}
