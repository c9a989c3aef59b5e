import Glibc
import HeardAnalysis

/// On the left something that never repeats itself, by which listeners are compared; on the right a sine, in which a
/// click is seen.
struct MeasuringSong {
    let seconds: Double
    static let pitch = 997.0
    private static let rate = 44_100.0

    func write(to path: String) throws {
        let count = Int(Self.rate * seconds)
        let noise = TestSong(duration: seconds, channels: 1).samples(from: 0, rate: Self.rate, count: count)
        var samples = [Float](repeating: 0, count: 2 * count)
        let turn = 2 * .pi * Self.pitch / Self.rate
        for frame in 0..<count {
            samples[2 * frame] = noise[frame] * 0.5
            samples[2 * frame + 1] = Float(0.5 * sin(turn * Double(frame)))
        }
        try HeardRecording(sampleRate: Self.rate, channels: 2, samples: samples)
            .write(to: path, format: .int16, sidecar: false)
    }
}
