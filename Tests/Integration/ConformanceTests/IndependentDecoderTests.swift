import AudioCore
import Glibc
import Testing

/// Compares our samples with those of decoders that share no code with ours, where ffmpeg cannot judge because we
/// decode with its library.
@Suite(.timeLimit(.minutes(5)))
struct IndependentDecoderTests {
    static let heAAC = Corpus.songs.filter { $0.isHEAAC && ["adts", "m4a"].contains($0.container) }
    static let layerOne = Corpus.songs.filter { $0.codec == "mp1" }

    /// faad decodes spectral band replication and parametric stereo to the same samples, within the limits of a full
    /// accuracy decoder.
    @Test(arguments: heAAC) func sameAsFAAD(_ song: Song) throws {
        let reading = try Reading.of(song)
        let ours = try Decoding(reading, isTrimmed: false)
        #expect(ours.damagedPacketCount == 0)
        let format = try #require(reading.summary.format)
        // It plays mono on two channels, and leaves out the first packet.
        var theirs = try song.samples(from: "faad -q -b 4 -f 2 -w \(quoted(song.path))")
        if format.channelsPerFrame == 1 { theirs = stride(from: 0, to: theirs.count, by: 2).map { theirs[$0] } }
        let samplesPerPacket = format.framesPerPacket * format.channelsPerFrame
        #expect(ours.samples.count == theirs.count + samplesPerPacket)
        // The next packet overlaps with the one that it left out.
        let accuracy = Accuracy(ours.samples.dropFirst(2 * samplesPerPacket), theirs.dropFirst(samplesPerPacket))
        #expect(accuracy.isFull, "\(accuracy)")
    }

    /// Only spectral band replication can produce frequencies above half of the core's rate.
    @Test(arguments: heAAC) func theHighBandIsAudible(_ song: Song) throws {
        let reading = try Reading.of(song)
        let channels = try #require(reading.summary.format).channelsPerFrame
        let all = try Decoding(reading, isTrimmed: false).samples
        let first = stride(from: 0, to: all.count, by: channels).map { all[$0] }
        let (low, high) = bandPowers(of: first)
        let decibels = 10 * log10(high / low)
        #expect(decibels > -50, "\(decibels) dB")
    }

    /// The format list has all ways to decode a song, the richest first.
    @Test(arguments: Corpus.songs.filter(\.isHEAAC)) func allFormatsAreListed(_ song: Song) throws {
        let summary = try Reading.of(song).summary
        let isExplicit = !song.variant.contains("implicit")
        let (rate, core) = (Double(song.rate), Double(song.rate / 2))
        let coreChannels = song.codec == "he_aac_v2" ? 1 : song.channels
        var expected = [
            AudioStreamFormat(codec: .aacHEv2, sampleRate: rate, framesPerPacket: 2_048, channelsPerFrame: 2),
            AudioStreamFormat(
                codec: .aacHE, sampleRate: rate, framesPerPacket: 2_048, channelsPerFrame: coreChannels),
            AudioStreamFormat(codec: .aac, sampleRate: core, framesPerPacket: 1_024, channelsPerFrame: coreChannels),
        ]
        if song.codec == "he_aac" { expected.removeFirst() }
        // Trial decoding finds one way besides the core.
        if !isExplicit { expected = [expected[0], expected[expected.count - 1]] }
        #expect(summary.formatList == expected)
        #expect(summary.format == expected[0])
    }

    /// libmad, which decodes in integers, gives the same samples of layer I, within the limits of a full accuracy
    /// decoder.
    @Test(arguments: layerOne) func sameAsMAD(_ song: Song) throws {
        let ours = try Decoding(try Reading.of(song))
        let theirs = try song.samplesOfMAD()
        #expect(ours.damagedPacketCount == 0)
        // libmad leaves out the last MPEG frame, 384 samples per channel.
        #expect(theirs.count == ours.samples.count - 384 * song.channels)
        let accuracy = Accuracy(ours.samples, theirs)
        #expect(accuracy.isFull, "\(accuracy)")
        #expect(ours.samples.contains { abs($0) > 0.01 })
    }

    /// Power below and above a quarter of the rate, in blocks throughout the song.
    private func bandPowers(of samples: [Float]) -> (low: Double, high: Double) {
        let size = 512
        var (low, high) = (0.0, 0.0)
        for block in stride(from: size, to: samples.count - size, by: max(size, samples.count / 12)) {
            let windowed = (0..<size).map { index in
                Double(samples[block + index]) * (0.5 - 0.5 * cos(2 * .pi * Double(index) / Double(size)))
            }
            for bin in 1..<size / 2 where !(120...136).contains(bin) {
                var (real, imaginary) = (0.0, 0.0)
                for (index, sample) in windowed.enumerated() {
                    let angle = 2 * .pi * Double(bin * index % size) / Double(size)
                    real += sample * cos(angle)
                    imaginary += sample * sin(angle)
                }
                let power = real * real + imaginary * imaginary
                if bin < size / 4 { low += power } else { high += power }
            }
        }
        return (low, high)
    }
}
