import AudioCore
import AudioDecoding
import Glibc
import MPEGDecoding
import NIOCore
import Testing
import WireProtocol

@testable import WebRemote

/// Gives a byte for each frame, and says what it took.
private final class StubEncoder: StreamEncoder {
    private(set) var samples: [Float] = []
    private(set) var isFlushed = false

    func encode(_ samples: [Float]) -> ByteBuffer {
        self.samples += samples
        return ByteBuffer(repeating: 1, count: samples.count / 2)
    }

    func flush() -> ByteBuffer {
        isFlushed = true
        return ByteBuffer(string: "flushed")
    }
}

private final class EncoderBox {
    var encoders: [StubEncoder] = []
    var rates: [[Int]] = []
}

// Used by one test.
extension EncoderBox: @unchecked Sendable {}

@Suite(.timeLimit(.minutes(5)))
struct StreamEncoderTests {
    private static func tone(_ frameCount: Int) -> [Int16] {
        (0..<frameCount).flatMap { frame -> [Int16] in
            let sample = Int16(8_000 * sin(2 * Double.pi * 997 * Double(frame) / 44_100))
            return [sample, sample]
        }
    }

    @Test func oneEncoderServesSongsOfOneFormatAndEndsBeforeMP3() throws {
        let box = EncoderBox()
        var scene = try StreamScene { input, output in
            let encoder = StubEncoder()
            box.encoders.append(encoder)
            box.rates.append([input, output])
            return encoder
        }
        for index in 1...2 {
            let epoch = Epoch(UInt32(index))
            try scene.say(
                BroadcastScript.begin(epoch, BroadcastScript.pcmFormat),
                BroadcastScript.pcm(epoch, at: .zero, [Int16](repeating: Int16(index), count: 20_000)),
                BroadcastScript.anchor(epoch, .zero, at: 0.1 + Double(index - 1) * 10_000 / 44_100))
        }
        scene.wait(1)
        let encoder = try #require(box.encoders.first)
        #expect(box.encoders.count == 1 && box.rates == [[44_100, 44_100]] && !encoder.isFlushed)
        let sounding = encoder.samples.drop { $0 == 0 }
        #expect(sounding.prefix(20_000).allSatisfy { $0 == 1 / 32_768 })
        #expect(sounding.dropFirst(20_000).prefix(20_000).allSatisfy { $0 == 2 / 32_768 })
        // Silence goes through the encoder, too.
        #expect(encoder.samples.count > 2 * 44_100 && encoder.samples.last == 0)
        let song = BroadcastScript.Song(seconds: 1)
        try scene.say(
            BroadcastScript.begin(Epoch(3), song.format), BroadcastScript.packets(Epoch(3), song.frames[...]),
            BroadcastScript.anchor(Epoch(3), .zero, at: scene.seconds + 0.2))
        let bytes = scene.wait(1)
        #expect(encoder.isFlushed)
        let expected = Array("flushed".utf8) + song.frames.flatMap { $0 }
        #expect(bytes.indices.contains { bytes[$0...].starts(with: expected) })
    }

    @Test func manyChannelsBecomeTwo() throws {
        let format = AudioStreamFormat.linearPCM(
            sampleRate: 48_000, channels: 6, bitsPerChannel: 16, bytesPerSample: 2, layout: .signedInteger)
        let mix = try #require(StereoMix(format, nil))
        // Each channel alone, at full scale.
        for (channel, expected) in [(0, [1, 0]), (1, [0, 1]), (2, [0.707, 0.707]), (3, [0, 0]), (4, [0.707, 0])]
            as [(Int, [Float])]
        {
            var bytes = [UInt8](repeating: 0, count: 12)
            bytes[2 * channel + 1] = 0x80
            let stereo = mix.stereo(
                HeldEpoch.Piece(bytes: ByteBuffer(bytes: bytes), position: .zero, frameCount: 1))
            #expect(zip(stereo, expected).allSatisfy { abs($0 + $1 / 2.414) < 0.001 }, "channel \(channel): \(stereo)")
        }
        let mono = AudioStreamFormat.linearPCM(
            sampleRate: 48_000, channels: 1, bitsPerChannel: 16, bytesPerSample: 2, layout: .signedInteger)
        let piece = HeldEpoch.Piece(bytes: ByteBuffer(bytes: [0, 0x40]), position: .zero, frameCount: 1)
        #expect(StereoMix(mono, nil)?.stereo(piece) == [0.5, 0.5])
        var broken = mono
        broken.bytesPerFrame = 0
        #expect(StereoMix(broken, nil) == nil)
    }

    @Test(.enabled(if: LAMEEncoder.maker() != nil, "libmp3lame0 is not installed"))
    func otherSongsAreEncoded() throws {
        var scene = try StreamScene(LAMEEncoder.maker())
        try scene.say(
            BroadcastScript.begin(Epoch(1), BroadcastScript.pcmFormat), BroadcastScript.anchor(Epoch(1), .zero, at: 0.1)
        )
        let tone = Self.tone(2 * 44_100)
        for start in stride(from: 0, to: tone.count, by: 16_000) {
            let part = Array(tone[start..<min(tone.count, start + 16_000)])
            try scene.say(BroadcastScript.pcm(Epoch(1), at: FramePosition(Int64(start / 2)), part))
        }
        scene.wait(4)
        let frames = try #require(StreamScene.frames(scene.streamed + scene.output.finish().readableBytesView))
        #expect(abs(Double(frames.count) * 1_152 / 44_100 - 4.5) < 0.2)
        let decoder = try MPEGDecoder(
            format: AudioStreamFormat(
                codec: .mpegLayer3, sampleRate: 44_100, framesPerPacket: 1_152, channelsPerFrame: 2))
        var all: [Float] = []
        for frame in frames {
            var samples = [Float](repeating: 0, count: 2 * 1_152)
            var span = samples.mutableSpan
            try decoder.decode(packet: frame.span.bytes, frameCount: 1_152, into: &span)
            all += samples
        }
        #expect(decoder.damagedPacketCount == 0)
        // The power of a sine of 8,000 in 32,768, for two seconds of both channels; LAME scales by 0.97 at this bit
        // rate.
        let power = all.reduce(0.0) { $0 + Double($1 * $1) }
        let amplitude = 0.97 * 8_000 / 32_768
        #expect(abs(power / (amplitude * amplitude / 2 * 4 * 44_100) - 1) < 0.02)
    }

    @Test(.enabled(if: LAMEEncoder.maker() != nil, "libmp3lame0 is not installed"))
    func everyRateIsEncoded() throws {
        let make = try #require(LAMEEncoder.maker())
        for rate in [8_000, 11_025, 32_000, 44_100, 48_000, 88_200, 96_000, 176_400, 192_000] {
            for output in [44_100, 48_000] {
                let encoder = try #require(make(rate, output), "\(rate) to \(output)")
                var bytes = Array(encoder.encode([Float](repeating: 0.1, count: 2 * rate)).readableBytesView)
                bytes += encoder.flush().readableBytesView
                let frames = try #require(StreamScene.frames(bytes))
                #expect(abs(Double(frames.count) * 1_152 / Double(output) - 1) < 0.1, "\(rate) to \(output)")
            }
        }
        #expect(make(0, 44_100) == nil && make(44_100, 12_345) == nil)
    }
}
