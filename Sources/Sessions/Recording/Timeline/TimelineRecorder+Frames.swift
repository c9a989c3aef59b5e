import AudioCore
import AudioDecoding
import AudioFileWriting

/// Writing frames to the file.
extension TimelineRecorder {
    /// Writes silence from the end of what was written to `target`.
    mutating func fill(_ epoch: inout RecordedEpoch, to target: FramePosition) throws(RecordingFailure) {
        guard target > epoch.position, let rate = present?.format.sampleRate else { return }
        let gap = target - epoch.position
        guard Double(gap) <= Self.longestGap.seconds * rate else {
            throw .skips(seconds: Int64(saturating: Double(gap) / rate))
        }
        let count = min(gap, remainingFrameCount ?? gap)
        try attempt { writer throws(AudioFileWritingError) in try writer.appendSilence(frameCount: count) }
        summary.missingFrameCount += count
        epoch.position += count
        if isFull { summary.isComplete = true }
    }

    mutating func write(
        _ packet: RawSpan, frameCount: Int, _ heard: Range<Int>, _ epoch: inout RecordedEpoch
    ) throws(RecordingFailure) {
        guard let format = present?.format, format.channelCount == epoch.decoder.channelCount else { return }
        let count = Int(min(Int64(heard.count), remainingFrameCount ?? .max))
        let wanted = heard.lowerBound..<heard.lowerBound + count
        if format.encoding.passes(epoch.format), packet.byteCount == frameCount * epoch.format.bytesPerFrame {
            let bytes = packet.extracting(
                wanted.lowerBound * epoch.format.bytesPerFrame..<wanted.upperBound * epoch.format.bytesPerFrame)
            let source = epoch.format
            try attempt { writer throws(AudioFileWritingError) in try writer.append(pcm: bytes, of: source) }
        } else {
            do throws(AudioDecodingError) {
                try epoch.decode(packet, frameCount: frameCount)
            } catch {
                throw .decoding(error)
            }
            try append(wanted, of: epoch.scratch, channelCount: format.channelCount)
        }
        epoch.position += Int64(count)
        if isFull { summary.isComplete = true }
    }

    private mutating func append(
        _ frames: Range<Int>, of samples: [Float], channelCount: Int
    ) throws(RecordingFailure) {
        guard !frames.isEmpty else { return }
        try samples.withUnsafeBufferPointer { samples throws(RecordingFailure) in
            let range = frames.lowerBound * channelCount..<frames.upperBound * channelCount
            try attempt { writer throws(AudioFileWritingError) in
                try writer.append(UnsafeBufferPointer(rebasing: samples[range]))
            }
        }
    }
}
