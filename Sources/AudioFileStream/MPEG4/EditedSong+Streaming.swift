import AudioCore

// Songs of which no table knows the packets.

extension EditedSong {
    /// Of stretches that ascend.
    /// - Parameter longestPacketFrameCount: of the media.
    /// - Returns: nil for stretches that are too many, or go back, or have too much silence between.
    init?(streaming edited: [EditedStretch], of entry: SampleEntry, longestPacketFrameCount: Int64) {
        guard edited.count > 1, edited.count <= AudioFileStreamLimits.editedStretchCount,
            zip(edited, edited.dropFirst()).allSatisfy({ $0.frames.upperBound <= $1.frames.lowerBound }),
            Self.silentByteCount(edited, SilentPackets(entry)) != nil
        else { return nil }
        var stretches = edited.map { Stretch(frames: $0.frames, silence: $0.silence) }
        let priming = stretches[0].frames.lowerBound
        stretches[0].frames = 0..<stretches[0].frames.upperBound
        (stretches[0].number, stretches[0].start, stretches[0].first) = (0, 0, 0)
        self.init(
            stretches, of: entry, priming: priming,
            prerollFrameCount: SplicePreroll(entry).largestFrameCount(longest: longestPacketFrameCount))
    }
}
