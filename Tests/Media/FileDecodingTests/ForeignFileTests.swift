import AudioCore
import AudioFileStreamServices
import StreamTestKit
import Testing

/// Files that ffmpeg and sox write, in every codec that is decoded without a library: as long as ffprobe says, and
/// decoded to the very samples that ffmpeg decodes.
@Suite(.timeLimit(.minutes(5)))
struct ForeignFileTests {
    @Test(arguments: EncodedFile.waves + EncodedFile.aiffs + EncodedFile.nextSuns + EncodedFile.cafs)
    func equalsReference(
        file: EncodedFile
    ) throws {
        let (bytes, reference, probedFrameCount) = try file.make()
        for isAtHand in [false, true] {
            let decoded = try DecodedFile(bytes, isAtHand: isAtHand)
            #expect(decoded.stream.failure == nil)
            #expect(decoded.stream.properties.contains(.fileFormat(file.type)))
            #expect(decoded.stream.format?.codec == file.codec)
            #expect(decoded.stream.format?.sampleRate == Double(file.sampleRate))
            #expect(decoded.stream.format?.channelsPerFrame == file.channels)
            #expect(decoded.damagedPacketCount == 0)
            #expect(decoded.stream.table?.validFrameCount == probedFrameCount ?? Int64(file.frameCount))
            #expect(decoded.stream.announcedTable == decoded.stream.table)
            let problems = decoded.stream.properties.contains { if case .problem = $0 { true } else { false } }
            #expect(!problems)
            let audible = decoded.audible
            #expect(audible.count >= file.frameCount * file.channels && audible.count <= reference.count)
            let difference = zip(audible, reference).enumerated().first { $0.element.0 != $0.element.1 }
            #expect(difference == nil)
        }
    }
}

@Suite(.timeLimit(.minutes(5)))
/// Files of codecs that only libraries decode: the packets are those that ffprobe finds.
struct ForeignPacketTests {
    @Test(arguments: EncodedFile.compressed) func equalsProbe(file: EncodedFile) throws {
        let (bytes, packetSizes) = try file.makeAndProbe()
        let stream = DecodedFile.parseAtHand(bytes)
        #expect(stream.failure == nil)
        #expect(stream.properties.contains(.fileFormat(file.type)))
        #expect(stream.format?.codec == file.codec)
        #expect(stream.format?.sampleRate == Double(file.sampleRate))
        #expect(stream.format?.channelsPerFrame == file.channels)
        #expect(stream.packets.map(\.bytes.count) == packetSizes)
        #expect(packetSizes.count > 1)
        let frameCount = stream.packets.reduce(0) { $0 + $1.frameCount }
        #expect(frameCount >= file.frameCount)
        if file.codec == .alac { #expect(stream.table?.validFrameCount == Int64(file.frameCount)) }
    }
}

extension EncodedFile {
    static let compressed: [EncodedFile] =
        [("alac", .alac), ("libopus", .opus), ("libmp3lame", .mpegLayer3), ("mp2", .mpegLayer2), ("ac3", .ac3)].map {
            EncodedFile(
                name: "a.caf", arguments: "-c:a \($0)", type: .caf, codec: $1, sampleRate: 48_000, frameCount: 20_001)
        }
        + [("libmp3lame", .mpegLayer3), ("mp2", .mpegLayer2), ("ac3", .ac3)].map {
            EncodedFile(
                name: "a.wav", arguments: "-c:a \($0)", type: .wave, codec: $1, sampleRate: 44_100, channels: 1,
                frameCount: 20_001)
        }

    static let waves: [EncodedFile] =
        ["u8", "s16le", "s24le", "s32le", "s64le", "f32le", "f64le"].map {
            EncodedFile(name: "a.wav", arguments: "-c:a pcm_\($0)", type: .wave)
        } + [
            EncodedFile(name: "a.wav", arguments: "-c:a pcm_mulaw", type: .wave, codec: .muLaw, sampleRate: 8_000),
            EncodedFile(name: "a.wav", arguments: "-c:a pcm_alaw", type: .wave, codec: .aLaw, channels: 1),
            EncodedFile(name: "a.wav", arguments: "-c:a pcm_s16le -rf64 always", type: .wave, sampleRate: 48_000),
            EncodedFile(
                name: "a.wav", arguments: "-c:a pcm_f64le", type: .wave, sampleRate: 192_000, channels: 8),
            EncodedFile(name: "a.wav", program: "sox", arguments: "-B -b 16", type: .wave, isReferenceSox: true),
            EncodedFile(
                name: "a.wav", program: "sox", arguments: "-B -b 24", type: .wave, channels: 6, isReferenceSox: true),
            EncodedFile(
                name: "a.wav", program: "sox", arguments: "-B -e float -b 32", type: .wave, isReferenceSox: true),
            EncodedFile(name: "a.wav", program: "sox", arguments: "-e mu-law", type: .wave, codec: .muLaw),
            EncodedFile(name: "a.wav", program: "sox", arguments: "-b 24", type: .wave, channels: 5),
            EncodedFile(name: "a.wav", arguments: "-c:a adpcm_ima_wav", type: .wave, codec: .waveIMA),
            EncodedFile(
                name: "a.wav", arguments: "-c:a adpcm_ima_wav -block_size 256", type: .wave, codec: .waveIMA,
                sampleRate: 8_000, channels: 1),
            EncodedFile(
                name: "a.wav", program: "sox", arguments: "-e ima-adpcm", type: .wave, codec: .waveIMA,
                sampleRate: 32_000),
        ]

    static let aiffs: [EncodedFile] =
        ["s8", "s16be", "s24be", "s32be"].map {
            EncodedFile(name: "a.aiff", arguments: "-c:a pcm_\($0)", type: .aiff)
        }
        + ["s16le", "u8", "f32be", "f64be"].map {
            EncodedFile(name: "a.aifc", arguments: "-f aiff -c:a pcm_\($0)", type: .aifc, channels: 3)
        } + [
            EncodedFile(name: "a.aifc", arguments: "-f aiff -c:a pcm_mulaw", type: .aifc, codec: .muLaw),
            EncodedFile(
                name: "a.aifc", arguments: "-f aiff -c:a pcm_alaw", type: .aifc, codec: .aLaw, sampleRate: 8_000,
                channels: 1),
            EncodedFile(name: "a.aifc", arguments: "-f aiff -c:a adpcm_ima_qt", type: .aifc, codec: .ima4),
            EncodedFile(
                name: "a.aifc", arguments: "-f aiff -c:a adpcm_ima_qt", type: .aifc, codec: .ima4, sampleRate: 22_050,
                channels: 1),
            EncodedFile(name: "a.aiff", program: "sox", arguments: "-b 24", type: .aiff, channels: 6),
            EncodedFile(
                name: "a.aiff", program: "sox", arguments: "-b 8", type: .aiff, sampleRate: 11_025, channels: 1),
            EncodedFile(name: "a.aifc", program: "sox", arguments: "-b 16", type: .aifc),
        ]

    static let nextSuns: [EncodedFile] =
        ["s8", "s16be", "s24be", "s32be", "f32be", "f64be"].map {
            EncodedFile(name: "a.au", arguments: "-c:a pcm_\($0)", type: .nextSun)
        } + [
            EncodedFile(name: "a.au", arguments: "-c:a pcm_mulaw", type: .nextSun, codec: .muLaw, sampleRate: 8_000),
            EncodedFile(name: "a.au", arguments: "-c:a pcm_alaw", type: .nextSun, codec: .aLaw, channels: 1),
            EncodedFile(
                name: "a.snd", program: "sox", arguments: "-t au -b 16 -L", type: .nextSun, channels: 4,
                isReferenceSox: true),
            EncodedFile(name: "a.au", program: "sox", arguments: "-b 24", type: .nextSun, sampleRate: 96_000),
        ]

    static let cafs: [EncodedFile] =
        ["s8", "s16le", "s16be", "s24le", "s24be", "s32le", "s32be", "f32le", "f32be", "f64le", "f64be"].map {
            EncodedFile(name: "a.caf", arguments: "-c:a pcm_\($0)", type: .caf)
        } + [
            EncodedFile(name: "a.caf", arguments: "-c:a pcm_mulaw", type: .caf, codec: .muLaw, sampleRate: 16_000),
            EncodedFile(name: "a.caf", arguments: "-c:a pcm_alaw", type: .caf, codec: .aLaw, channels: 1),
            EncodedFile(name: "a.caf", arguments: "-c:a adpcm_ima_qt", type: .caf, codec: .ima4),
            EncodedFile(name: "a.caf", arguments: "-c:a pcm_s24le", type: .caf, sampleRate: 192_000, channels: 8),
        ]
}
