import AudioCore

// Songs of which no table knows the packets.

extension EditedSong {
    /// - Parameters:
    ///   - longestPacketFrameCount: of the media.
    ///   - largestReturnCount: how often the media may be gone back in.
    /// - Returns: nil for stretches that are too many, or go back too often, or make too much of the media, or have too
    ///   much silence between.
    init?(
        streaming edited: [EditedStretch], of entry: SampleEntry, longestPacketFrameCount: Int64,
        largestReturnCount: Int
    ) {
        guard edited.count > 1, edited.count <= AudioFileStreamLimits.editedStretchCount,
            Self.silentByteCount(edited, SilentPackets(entry)) != nil
        else { return nil }
        var stretches = edited.map { Stretch(frames: $0.frames, silence: $0.silence) }
        for index in stretches.indices.dropFirst() {
            stretches[index].goesBack = stretches[index].frames.lowerBound < stretches[index - 1].frames.upperBound
        }
        guard stretches.count(where: \.goesBack) <= largestReturnCount else { return nil }
        let priming = stretches[0].frames.lowerBound
        stretches[0].frames = 0..<stretches[0].frames.upperBound
        (stretches[0].number, stretches[0].start, stretches[0].first) = (0, 0, 0)
        let total = stretches.reduce(Int128(0)) { $0 + Int128($1.frameCount) }
        let end = stretches.reduce(0) { max($0, $1.frames.upperBound) }
        guard total <= Int128(end) * Int128(AudioFileStreamLimits.editedMultiple) else { return nil }
        self.init(
            stretches, of: entry, priming: priming,
            prerollFrameCount: SplicePreroll(entry).largestFrameCount(longest: longestPacketFrameCount))
    }
}
