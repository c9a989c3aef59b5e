import AudioCore

/// Which properties of an Ogg stream are reported when.
struct OggFacts {
    private var info = InfoCollector()
    private var isArtworkGiven = false
    private var table: AudioPacketTableInfo?
    private var bitRate: Int?

    /// Reports a link's tags; in a chain the first link's win.
    mutating func giveTags<Sink: AudioStreamSink & ~Copyable>(of link: inout OggLink, into sink: inout Sink) {
        info.give(link.takeTags(), into: &sink)
        for lyrics in link.takeLyrics() { sink.streamDidParse(lyrics: lyrics) }
        guard let picture = link.takePicture(), !isArtworkGiven else { return }
        isArtworkGiven = true
        sink.streamDidParse(property: .artwork(picture))
    }

    /// Returns the properties to report before the first packet.
    mutating func opening(_ audio: OggAudio, tail: OggTail?, access: ByteAccess) -> [AudioStreamProperty] {
        let codec = audio.codec
        // If the file's end does not belong to this stream, or is not known, other streams may go on with the song.
        let isAllOfIt = tail.map { $0.lastGranule != nil && !$0.isFollowed } ?? false
        let table = audio.clock.table(
            lastGranule: isAllOfIt ? tail?.lastGranule : nil, remainder: tail?.remainder ?? 0)
        self.table = table
        bitRate = (isAllOfIt ? Self.bitRate(audio, table, access) : nil) ?? codec.nominalBitRate
        var properties: [AudioStreamProperty] = [
            .magicCookie(audio.cookie), .channelLayout(audio.channelLayout),
            .dataOffset(audio.seekIndex?.dataOffset ?? 0), .packetTableInfo(table),
            .packetSizeUpperBound(codec.packetSizeUpperBound),
        ]
        if let bitRate { properties.append(.bitRate(bitRate)) }
        let preroll = codec.prerollPacketCount(frameCount: max(1, audio.firstFrameCount))
        return properties + [.decoderPrerollPacketCount(preroll), .readyToProducePackets]
    }

    /// Returns the packet table if it has changed since it was reported.
    mutating func revised(_ table: AudioPacketTableInfo, _ audio: OggAudio) -> AudioStreamProperty? {
        guard table != self.table else { return nil }
        self.table = table
        return .packetTableInfo(table)
    }

    /// Reports that more follows than the packet table said, from a place in the file on.
    mutating func beginLink(_ audio: OggAudio?, at byteOffset: Int64) -> [AudioStreamProperty] {
        guard let audio, !audio.hasGap else { return [] }
        var properties: [AudioStreamProperty] = []
        let remainder = audio.clock.remainder
        if remainder > 0 {
            let text = "\(remainder) frames behind an Ogg stream's end, which are played before the next one"
            properties.append(.problem(AudioStreamProblem(.damaged(text), at: byteOffset)))
        }
        guard table?.validFrameCount != nil else { return properties }
        if let property = revised(audio.clock.table(lastGranule: nil, remainder: 0), audio) {
            properties.append(property)
        }
        return properties
    }

    /// Returns the properties that are certain at the end of the file.
    mutating func final(_ audio: OggAudio) -> [AudioStreamProperty] {
        guard !audio.hasGap else { return [] }
        let table = audio.clock.table()
        var properties: [AudioStreamProperty] = [
            .audioDataByteCount(audio.byteCount), .audioDataPacketCount(audio.packetCount),
        ]
        if let property = revised(table, audio) { properties.append(property) }
        let seconds = Double(audio.clock.decoded) / audio.codec.format.sampleRate
        if bitRate == nil, seconds > 0 {
            properties.append(.bitRate(max(1, Int(Double(audio.byteCount) * 8 / seconds))))
        }
        return properties
    }

    private static func bitRate(_ audio: OggAudio, _ table: AudioPacketTableInfo, _ access: ByteAccess) -> Int? {
        guard case .file(let byteCount) = access, let dataOffset = audio.seekIndex?.dataOffset,
            let frames = table.validFrameCount, frames > 0, byteCount > dataOffset
        else { return nil }
        let rate = Double(byteCount - dataOffset) * 8 * audio.codec.format.sampleRate / Double(frames)
        return (1...1e9).contains(rate) ? Int(rate) : nil
    }
}
