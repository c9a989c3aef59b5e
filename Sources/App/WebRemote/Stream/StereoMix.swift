import AudioCore
import AudioDecoding
import NIOCore

/// Makes two channels of PCM of any kind. Used from one thread at a time.
final class StereoMix {
    let format: AudioStreamFormat
    private let decoder: PCMDecoder
    /// What each channel gives to the left and to the right.
    private let weights: [(left: Float, right: Float)]

    /// Frames that are decoded at a time.
    private static let chunkFrameCount = 4_096

    /// - Returns: nil for a format that cannot be decoded.
    init?(_ format: AudioStreamFormat, _ layout: AudioChannelLayout?) {
        guard Limits.channelRange.contains(format.channelsPerFrame), Limits.sampleRateRange.contains(format.sampleRate)
        else { return nil }
        do throws(AudioDecodingError) {
            decoder = try PCMDecoder(format: format)
        } catch { return nil }
        self.format = format
        weights = Self.weights(format.channelsPerFrame, layout)
    }

    /// The usual equations (ITU-R BS.775-4, annex 4: what is in neither front corner counts 0.707), so scaled that
    /// nothing clips; without the low-frequency effects.
    private static func weights(_ count: Int, _ layout: AudioChannelLayout?) -> [(left: Float, right: Float)] {
        if count == 1 { return [(1, 1)] }
        if count == 2 { return [(1, 0), (0, 1)] }
        let labels = (0..<count).map { index in
            layout.flatMap { $0.labels.count == count ? $0.labels[index] : nil }
                ?? AudioChannelLabel(rawValue: UInt32(index) + 1) ?? .unknown
        }
        let plain = labels.map { label -> (left: Float, right: Float) in
            switch label {
            case .left: (1, 0)
            case .right: (0, 1)
            case .leftSurround, .leftCenter, .leftSurroundDirect, .verticalHeightLeft, .topBackLeft: (0.707, 0)
            case .rightSurround, .rightCenter, .rightSurroundDirect, .verticalHeightRight, .topBackRight: (0, 0.707)
            case .lfe: (0, 0)
            default: (0.707, 0.707)
            }
        }
        let loudest = max(1, plain.reduce(0) { $0 + $1.left }, plain.reduce(0) { $0 + $1.right })
        return plain.map { ($0.left / loudest, $0.right / loudest) }
    }

    /// Returns frames of two samples.
    func stereo(_ piece: HeldEpoch.Piece) -> [Float] {
        let (bytesPerFrame, channels) = (format.bytesPerFrame, format.channelsPerFrame)
        guard bytesPerFrame > 0 else { return [] }
        var (stereo, bytes) = ([Float](), piece.bytes)
        stereo.reserveCapacity(2 * bytes.readableBytes / bytesPerFrame)
        var samples = [Float](repeating: 0, count: Self.chunkFrameCount * channels)
        while bytes.readableBytes >= bytesPerFrame {
            let count = min(Self.chunkFrameCount, bytes.readableBytes / bytesPerFrame)
            guard let chunk = bytes.readSlice(length: count * bytesPerFrame) else { break }
            do throws(AudioDecodingError) {
                var span = samples.mutableSpan
                try decoder.decode(packet: chunk.readableBytesSpan, frameCount: count, into: &span)
            } catch { return stereo }
            for frame in 0..<count { append(samples[frame * channels..<(frame + 1) * channels], to: &stereo) }
        }
        return stereo
    }

    private func append(_ frame: ArraySlice<Float>, to stereo: inout [Float]) {
        var (left, right) = (Float(0), Float(0))
        for (sample, weight) in zip(frame, weights) {
            left += sample * weight.left
            right += sample * weight.right
        }
        stereo.append(left)
        stereo.append(right)
    }
}
