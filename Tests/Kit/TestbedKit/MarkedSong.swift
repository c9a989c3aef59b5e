import Glibc
import HeardAnalysis

/// A song of which a listener can tell by ear which one it is, and which place: on the left something that never
/// repeats itself, by which listeners are compared; on the right a tone whose pitch rises with time.
public struct MarkedSong: Sendable {
    public let number: Int
    public let seconds: Double
    public static let rate = 44_100.0
    /// The tones of song n begin at 2 kHz + n * 4 kHz, and rise by 40 Hz a second.
    public static let slope = 40.0

    public init(number: Int, seconds: Double = 60) {
        self.number = number
        self.seconds = seconds
    }

    var firstPitch: Double { 2_000 + Double(number) * 4_000 }

    /// Its left channel.
    var left: [Float] {
        TestSong(duration: seconds, channels: 1, seed: UInt64(number + 1))
            .samples(from: 0, rate: Self.rate, count: Int(Self.rate * seconds)).map { $0 * 0.5 }
    }

    public func write(to path: String) throws {
        let noise = left
        var samples = [Float](repeating: 0, count: noise.count * 2)
        var phase = 0.0
        for frame in noise.indices {
            samples[frame * 2] = noise[frame]
            samples[frame * 2 + 1] = Float(sin(phase)) * 0.5
            phase += 2 * .pi * (firstPitch + Self.slope * Double(frame) / Self.rate) / Self.rate
        }
        try HeardRecording(sampleRate: Self.rate, channels: 2, samples: samples)
            .write(to: path, format: .int16, sidecar: false)
    }
}
