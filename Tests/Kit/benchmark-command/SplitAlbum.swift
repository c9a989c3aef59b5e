import Glibc
import HeardAnalysis
import LANKit

/// A recording in parts that follow each other without a gap: a sine of 997 Hz on the left, on the right something that
/// never repeats itself. Each part is FLAC; the joints are where the sine is far from zero.
struct SplitAlbum {
    /// The whole, in 16 bits.
    let unsplit: HeardRecording
    /// The frames at which parts follow each other.
    let joints: [Int]

    static let rate = 44_100.0
    static let pitch = 997.0
    static let partSeconds = 7.0

    init(ofJoints jointCount: Int) {
        let seconds = Self.partSeconds * Double(jointCount + 1)
        let count = Int(Self.rate * seconds)
        joints = (1...jointCount).map { Self.frameOffZero(near: Int(Self.rate * Self.partSeconds) * $0) }
        let noise = TestSong(duration: seconds, channels: 1).samples(from: 0, rate: Self.rate, count: count)
        let fade = Self.rate * 0.03
        var samples = [Float](repeating: 0, count: 2 * count)
        for frame in 0..<count {
            let edge = min(1, Double(min(frame, count - 1 - frame)) / fade)
            samples[2 * frame] = Self.rounded(Float(0.5 * edge * Self.sine(frame)))
            samples[2 * frame + 1] = Self.rounded(noise[frame] * 0.5)
        }
        unsplit = HeardRecording(sampleRate: Self.rate, channels: 2, samples: samples)
    }

    /// Frames half a second apart, and at least a second and a half from the joints, the beginning and the end.
    var midSongFrames: [Int] {
        let (away, step) = (Int(1.5 * Self.rate), Int(0.5 * Self.rate))
        return zip([0] + joints, joints + [unsplit.frameCount]).flatMap { start, end in
            Array(stride(from: start + away, to: end - away, by: step))
        }
    }

    /// Writes the parts into the LAN's directory, and returns their paths.
    func writeParts(in lan: LAN) throws -> [String] {
        let ends = joints + [unsplit.frameCount]
        return try zip([0] + joints, ends).enumerated().map { number, span in
            let path = lan.path("part\(number)")
            try HeardRecording(
                sampleRate: Self.rate, channels: 2, samples: Array(unsplit.samples[2 * span.0..<2 * span.1])
            ).write(to: path + ".wav", format: .int16, sidecar: false)
            let encode = ["flac", "-s", "-f", "-o", path + ".flac", path + ".wav"]
            guard try lan[0].run(encode, within: 60).status == .exited(0) else {
                throw LANError.commandFailed(encode.joined(separator: " "))
            }
            return path + ".flac"
        }
    }

    private static func rounded(_ sample: Float) -> Float { (sample * 32_768).rounded() / 32_768 }

    private static func sine(_ frame: Int) -> Double { sin(2 * .pi * pitch * Double(frame) / rate) }

    /// The next frame at which the sine is above nine tenths of its peak, or below.
    private static func frameOffZero(near frame: Int) -> Int { (frame...).first { abs(sine($0)) > 0.9 } ?? frame }
}
