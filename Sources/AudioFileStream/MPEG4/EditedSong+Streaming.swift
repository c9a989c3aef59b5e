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
        self.init(stretches, of: entry, priming: priming)
        self.stretches[0].number = 0
        self.stretches[0].first = 0
        self.stretches[0].start = 0
        prerollFrameCount = preroll.largestFrameCount(longest: longestPacketFrameCount)
    }

    mutating func noteBeginning(of index: Int, packet: Int64, start: Int64) {
        stretches[index].first = packet
        stretches[index].start = start
    }

    /// - Parameter packet: nil if it is not the last one of the stretch.
    mutating func noteEnd(of index: Int, packet: Int64?) {
        stretches[index].last = packet ?? Stretch.unknown
        guard packet != nil, index + 1 < stretches.count else { return }
        stretches[index + 1].number =
            stretches[index].number + stretches[index].packetCount
            + silentPackets.packetCount(ofFrames: stretches[index + 1].silence)
    }
}
