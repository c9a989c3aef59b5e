import AudioCore

/// The audio of a chunk-based file: where it lies, and how far it was parsed.
struct ChunkAudio {
    var track: AudioTrack
    /// Offsets in the file of the first byte, and of the byte after the last if known.
    let start: Int64
    var end: Int64?
    /// Offset in the file of the next chunk's header.
    let chunkEnd: Int64
    /// The position of the next packet.
    var cursor = PacketCursor()
    let announced: StreamLength?
    /// An unknown number of bytes is missing.
    var hasGap = false

    /// - Parameter byteCount: bytes of audio in the chunk; the track may limit them.
    init(_ track: AudioTrack, start: Int64, byteCount: Int64?, chunkEnd: Int64) {
        self.track = track
        self.start = start
        self.chunkEnd = chunkEnd
        var byteCount = byteCount
        if let known = track.byteCount { byteCount = min(known, byteCount ?? .max) }
        end = byteCount.map { start + $0 }
        announced =
            switch track.packets {
            case .constant: byteCount.map { ConstantPackets(track.format).total(ofByteCount: $0) }
            case .table(let table): table.length
            case .elementary: nil
            }
    }

    /// The properties reported before the first packet.
    var properties: [AudioStreamProperty] {
        var properties: [AudioStreamProperty] = [.fileFormat(track.fileType), .dataFormat(track.format)]
        if !track.formatList.isEmpty { properties.append(.formatList(track.formatList)) }
        if !track.magicCookie.isEmpty { properties.append(.magicCookie(track.magicCookie)) }
        if let layout = track.channelLayout { properties.append(.channelLayout(layout)) }
        properties.append(.dataOffset(start))
        if let announced { properties += lengthProperties(announced) }
        properties.append(.packetSizeUpperBound(packetSizeUpperBound))
        if let bitRate { properties.append(.bitRate(bitRate)) }
        properties += track.problems.map { .problem($0) }
        return properties + [.decoderPrerollPacketCount(track.prerollPacketCount), .readyToProducePackets]
    }

    func lengthProperties(_ length: StreamLength) -> [AudioStreamProperty] {
        let priming = min(Int64(track.primingFrameCount), length.frameCount)
        let valid = min(track.validFrameCount ?? .max, length.frameCount - priming)
        let remainder = length.frameCount - priming - valid
        return [
            .audioDataByteCount(length.byteCount), .audioDataPacketCount(length.packetCount),
            .packetTableInfo(
                AudioPacketTableInfo(
                    validFrameCount: valid, primingFrameCount: Int(priming), remainderFrameCount: Int(remainder))),
        ]
    }

    private var packetSizeUpperBound: Int {
        if case .table(let table) = track.packets { return table.largestPacketByteCount }
        return track.format.bytesPerPacket
    }

    private var bitRate: Int? {
        let (bytes, frames): (Double, Double)
        switch track.packets {
        case .table(let table): (bytes, frames) = (Double(table.length.byteCount), Double(table.length.frameCount))
        default: (bytes, frames) = (Double(track.format.bytesPerPacket), Double(track.format.framesPerPacket))
        }
        let rate = bytes * 8 / frames * track.format.sampleRate
        return rate >= 1 && rate < 1e12 ? Int(rate.rounded()) : nil
    }
}
