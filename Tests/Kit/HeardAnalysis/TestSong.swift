import AudioCore
import Glibc

/// A song to test with, known exactly at every instant: inharmonic partials between 60 Hz and 12 kHz that swell and
/// fade, each channel its own, with a soft beginning and end. It never repeats itself, so a correlation has one peak.
public struct TestSong: Sendable {
    /// In seconds.
    public var duration: Double
    public var channels: Int
    public var seed: UInt64
    /// Of the beginning and the end, in seconds.
    public var fade = 0.03

    public init(duration: Double, channels: Int = 2, seed: UInt64 = 1) {
        self.duration = duration
        self.channels = channels
        self.seed = seed
    }

    /// Interleaved samples at the times `start + n / rate`, n = 0 ..< count, in seconds of the song; silence outside
    /// it.
    public func samples(from start: Double, rate: Double, count: Int) -> [Float] {
        var random = SplitMix64(seed: seed)
        var result = [Float](repeating: 0, count: count * channels)
        result.withUnsafeMutableBufferPointer { target in
            for channel in 0..<channels {
                for partial in 0..<Self.partialCount {
                    add(Partial(partial, &random), to: target, channel: channel, from: start, rate: rate, count: count)
                }
            }
            applyEnvelope(target, from: start, rate: rate, count: count)
        }
        return result
    }

    /// The whole song as a recording: what a perfect card at this true rate would hold.
    public func recording(sampleRate: Double) -> HeardRecording {
        let count = Int((duration * sampleRate).rounded())
        return HeardRecording(
            sampleRate: sampleRate, channels: channels, samples: samples(from: 0, rate: sampleRate, count: count))
    }

    private static let partialCount = 24

    private struct Partial {
        var (frequency, phase, amplitude) = (0.0, 0.0, 0.0)
        var (swell, swellPhase) = (0.0, 0.0)

        init(_ index: Int, _ random: inout SplitMix64) {
            let place = (Double(index) + random.unit()) / Double(TestSong.partialCount)
            frequency = 60 * pow(200, place)
            phase = 2 * .pi * random.unit()
            amplitude = 0.11 * pow(60 / frequency, 0.25)
            swell = 0.2 + 2.3 * random.unit()
            swellPhase = 2 * .pi * random.unit()
        }
    }

    /// Both oscillators turn by multiplication, which is exact enough for hours and quick without an optimizer.
    private func add(
        _ partial: Partial, to target: UnsafeMutableBufferPointer<Float>, channel: Int, from start: Double,
        rate: Double, count: Int
    ) {
        let turn = 2 * Double.pi * partial.frequency
        let swellTurn = 2 * Double.pi * partial.swell
        var (x, y) = (cos(partial.phase + turn * start), sin(partial.phase + turn * start))
        var (u, v) = (cos(partial.swellPhase + swellTurn * start), sin(partial.swellPhase + swellTurn * start))
        let (c, s) = (cos(turn / rate), sin(turn / rate))
        let (d, e) = (cos(swellTurn / rate), sin(swellTurn / rate))
        var n = 0
        while n < count {
            target[n &* channels &+ channel] += Float(partial.amplitude * y * (0.5 + 0.5 * v))
            (x, y) = (x * c - y * s, x * s + y * c)
            (u, v) = (u * d - v * e, u * e + v * d)
            n &+= 1
        }
    }

    private func applyEnvelope(
        _ target: UnsafeMutableBufferPointer<Float>, from start: Double, rate: Double, count: Int
    ) {
        for n in 0..<count {
            let time = start + Double(n) / rate
            let edge = min(time, duration - time) / fade
            guard edge < 1 else { continue }
            let gain = edge <= 0 ? 0 : Float(0.5 - 0.5 * cos(.pi * edge))
            for channel in 0..<channels { target[n * channels + channel] *= gain }
        }
    }
}

extension SplitMix64 {
    /// 0 ..< 1.
    fileprivate mutating func unit() -> Double { Double(next() >> 11) * 0x1p-53 }
}
