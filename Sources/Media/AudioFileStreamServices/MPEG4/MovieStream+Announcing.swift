import AudioCore

// Properties reported before the first packet.

extension MovieStream {
    private static let unfollowedEdits = "MPEG-4 edits inside the song, which are not followed,"

    /// Averages of announced counts that are believed.
    private static let plausibleBitRates = 1...100_000_000

    /// Frames of a track whose samples are all known: by its times, and as the decoder outputs them.
    struct FrameCounts {
        var packets: Int64
        var media: Int64
        var decoded: Int64
    }

    func frameCounts(
        _ table: SampleTable, _ totals: SampleTable.Totals, _ entry: SampleEntry, _ lengths: MovieLengths
    ) -> FrameCounts {
        let packetCount = bundledTable?.packetCount(ofFirst: totals.packetCount) ?? totals.packetCount
        guard entry.blocks == nil else {
            return FrameCounts(packets: packetCount, media: totals.frameCount, decoded: totals.frameCount)
        }
        let media = mediaFrameCount(table, totals, lengths)
        let decoded = decodedFrameCount(table, totals, packetCount, media, lengths)
        return FrameCounts(packets: packetCount, media: media, decoded: decoded)
    }

    mutating func announceAll(_ totals: SampleTable.Totals, _ counts: FrameCounts) {
        guard let entry, let lengths else { return }
        let info = lengths.table(mediaFrameCount: counts.media, decoded: counts.decoded)
        announced = Announcement(packetCount: counts.packets, byteCount: totals.byteCount, table: info)
        let frames = Int64(info.primingFrameCount) + (info.validFrameCount ?? 0)
        let bitRate = average(totals.byteCount, frameCount: frames)
        announced.bitRate = bitRate ?? (entry.averageBitRate > 0 ? entry.averageBitRate : nil)
    }

    mutating func announceOpen() {
        guard let lengths, let entry else { return }
        let info = lengths.fragmentedTable(fragmentDuration: fragmentDuration)
        announced.table = info
        announced.bitRate = entry.averageBitRate > 0 ? entry.averageBitRate : nil
        // What lies behind the edit is more than is heard, not more than was announced.
        guard let valid = info.validFrameCount, lengths.tag != nil || lengths.editedEnd == nil else { return }
        announced.end = Int64(info.primingFrameCount) + valid + lengths.framesPerMovieUnit
    }

    private func mediaFrameCount(
        _ table: SampleTable, _ totals: SampleTable.Totals, _ lengths: MovieLengths
    ) -> Int64 {
        guard table.timeRunCount > 0 else { return MovieLengths.largestFrameCount }
        let frames = lengths.frames(table.duration(ofFirst: totals.packetCount), per: lengths.mediaTimescale)
        return min(frames, MovieLengths.largestFrameCount)
    }

    /// Returns the frames that the decoder outputs: usually more than the times add up to, since the last is shortened.
    private func decodedFrameCount(
        _ table: SampleTable, _ totals: SampleTable.Totals, _ packetCount: Int64, _ media: Int64,
        _ lengths: MovieLengths
    ) -> Int64 {
        let before = table.duration(ofFirst: totals.packetCount - 1)
        let last = media - min(media, lengths.frames(before, per: lengths.mediaTimescale))
        switch counter.counting {
        case .constant(let count): return packetCount * Int64(count)
        case .mpeg: return packetCount * Int64(counter.mpegFrameCount)
        case .alac(let count): return (packetCount - 1) * Int64(count) + max(1, min(last, Int64(count)))
        case .opus:
            let usual = lengths.frames(table.constantDuration ?? 0, per: lengths.mediaTimescale)
            return media + max(0, usual - last)
        case .time: return media
        }
    }

    func properties(
        _ entry: SampleEntry, dataOffset: Int64, _ totals: SampleTable.Totals?
    ) -> [AudioStreamProperty] {
        var properties: [AudioStreamProperty] = [.fileFormat(.mpeg4), .dataFormat(entry.format)]
        if entry.formats.count > 1 { properties.append(.formatList(entry.formats)) }
        if !entry.magicCookie.isEmpty { properties.append(.magicCookie(entry.magicCookie)) }
        if let layout = entry.channelLayout { properties.append(.channelLayout(layout)) }
        properties.append(.dataOffset(dataOffset))
        if let count = announced.byteCount { properties.append(.audioDataByteCount(count)) }
        if let count = announced.packetCount { properties.append(.audioDataPacketCount(count)) }
        if let table = announced.table { properties.append(.packetTableInfo(table)) }
        if !isFragmented, let totals {
            let limit = entry.bundle?.largestByteCount ?? Limits.packetByteCount
            properties.append(.packetSizeUpperBound(Int(min(totals.largestByteCount, Int64(limit)))))
        }
        if let bitRate = announced.bitRate { properties.append(.bitRate(bitRate)) }
        if lengths?.hasUnfollowedEdits == true {
            properties.append(.problem(AudioStreamProblem(.damaged(Self.unfollowedEdits), at: editsOffset)))
        }
        properties.append(.decoderPrerollPacketCount(entry.decoderPrerollPacketCount))
        properties.append(.readyToProducePackets)
        return properties
    }

    func average(_ byteCount: Int64, frameCount: Int64) -> Int? {
        guard frameCount > 0, let rate = entry?.format.sampleRate else { return nil }
        let bitRate = Int(Int64(saturating: (Double(byteCount) * 8 * rate / Double(frameCount)).rounded()))
        return Self.plausibleBitRates.contains(bitRate) ? bitRate : nil
    }
}
