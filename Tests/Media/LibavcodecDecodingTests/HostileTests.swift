import AudioCore
import AudioDecoding
@testable import LibavcodecDecoding
import StreamTestKit
import Testing

/// Nothing that a stream holds does more harm than silence.
@Suite(.timeLimit(.minutes(5)))
struct HostileTests {
    static let shapes: [(codec: Codec, rate: Double, channels: Int, frames: Int, cookie: [UInt8])] = [
        (.aac, 44_100, 2, 1024, [0x12, 0x10]), (.aacHE, 44_100, 2, 2048, [0x13, 0x90]),
        (.opus, 48_000, 2, 960, Array("OpusHead".utf8) + [1, 2, 0, 0, 0x80, 0xBB, 0, 0, 0, 0, 0]),
        (.ac3, 48_000, 2, 1536, []), (.amrNarrowband, 8_000, 1, 160, []), (.amrWideband, 16_000, 1, 320, []),
        (
            .alac, 44_100, 2, 4096,
            [0, 0, 16, 0, 0, 16, 40, 10, 14, 2, 0, 255, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xAC, 0x44]
        ),
    ]

    @Test(arguments: shapes.indices) func randomPacketsMakeNoHarm(_ index: Int) throws {
        let shape = Self.shapes[index]
        let format = AudioStreamFormat(codec: shape.codec, sampleRate: shape.rate, channelsPerFrame: shape.channels)
        var generator = SeededGenerator(seed: UInt64(index) + 1)
        var decoder = try WorkerDecoder(format: format, magicCookie: shape.cookie, program: try .ofTests)
        for _ in 0..<300 {
            let count = Int.random(in: 0...2_000, using: &generator)
            let packet = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
            guard let output = try harmless({ try decodeAll([(packet, shape.frames)], with: decoder) }) else {
                decoder = try WorkerDecoder(format: format, magicCookie: shape.cookie, program: try .ofTests)
                continue
            }
            #expect(output.count == shape.frames * shape.channels)
            #expect(output.allSatisfy { $0.isFinite })
        }
        #expect(decoder.restartCount == 0)
    }

    /// A real song in which a few bytes of every fifth packet are wrong: what is whole sounds as ever.
    @Test func damagedFLACIsSilentWhereItIsDamaged() throws {
        let song = try WorkerTests.flac()
        var packets = song.packets
        for index in stride(from: 3, to: packets.count, by: 5) { packets[index].bytes[100] ^= 0x55 }
        let decoder = try song.makeDecoder()
        let output = try decodeAll(packets, with: decoder)
        var offset = 0
        for (index, packet) in packets.enumerated() {
            let range = offset..<(offset + packet.frameCount * 2)
            let isDamaged = index % 5 == 3
            #expect(isDamaged ? output[range].allSatisfy { $0 == 0 } : output[range] == song.reference[range])
            offset = range.upperBound
        }
        #expect(decoder.damagedPacketCount == (packets.count + 1) / 5)
    }

    @Test func randomCookiesAreRefusedOrHarmless() throws {
        var generator = SeededGenerator(seed: 11)
        for codec in LibraryDecoderSetup.codecs {
            for _ in 0..<4 {
                let count = Int.random(in: 0...200, using: &generator)
                let cookie = (0..<count).map { _ in UInt8.random(in: 0...255, using: &generator) }
                let format = AudioStreamFormat(codec: codec, sampleRate: 48_000, channelsPerFrame: 2)
                _ = try harmless {
                    let decoder = try WorkerDecoder(format: format, magicCookie: cookie, program: try .ofTests)
                    return try decodeAll([(cookie, 1024)], with: decoder)
                }
            }
        }
    }

    /// Nil where the stream was refused, or turned out to be another.
    private func harmless(_ body: () throws -> [Float]) throws -> [Float]? {
        do {
            return try body()
        } catch let error as AudioDecodingError {
            switch error {
            case .formatChanged, .unsupportedFormat: return nil
            case .unsupportedCodec, .packetExceedsLimits, .libraryFailed, .interrupted: throw error
            }
        }
    }
}
