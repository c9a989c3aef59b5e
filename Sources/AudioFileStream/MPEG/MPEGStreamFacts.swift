import AudioCore

// Gapless lengths. An encoder of layer III puts a delay in front (LAME: 576 frames) and pads the last packet; the
// decoder adds 529 frames of its own (528 of the filter bank, 1 of the convention that all encoders and decoders of
// these headers share). With LAME's extension and a packet count
//
//     priming   = delay + 529
//     remainder = max(0, padding - 529)
//     audible   = packets * frames per packet - priming - remainder
//
// which is what libmpg123's gapless mode plays. Without the extension, or without the packet count, nothing is trimmed
// (as libmpg123 does): every decoded frame is audible, the encoder's unknown delay included.
//
// If the file holds other than the announced packets: more of them void the announced end (files joined to one), fewer
// bring it forward to where the packets end.

/// What is known of a stream of MPEG frames, and what of it is to be told when.
struct MPEGStreamFacts {
    /// Frames that a decoder of layer III is late by, in the convention of LAME's delay.
    static let decoderDelay = 529
    /// Averages out of announced counts that are believed: all that headers can say, with room.
    private static let plausibleBitRates = 1_000...1_000_000

    var isFirstMPEGFrame = true
    var infoHeader: MPEGInfoHeader?
    var infoHeaderByteCount = 0
    var infoHeaderOffset: Int64 = 0
    /// Bytes are missing: counts say nothing about the file any more.
    var hasGap = false
    private(set) var packetCount: Int64 = 0
    private var byteCount: Int64 = 0
    private var first: MPEGFrameHeader?
    private var hasVaryingBitRate = false

    /// Counts a packet; says what must be told before it.
    mutating func count(
        _ header: MPEGFrameHeader, byteCount: Int, offset: Int64, freeFormatByteCount: Int
    ) -> [AudioStreamProperty] {
        packetCount += 1
        self.byteCount &+= Int64(byteCount)
        guard let first else {
            first = header
            return openingProperties(header, offset: offset, freeFormatByteCount: freeFormatByteCount)
        }
        if header.bitRateIndex != first.bitRateIndex { hasVaryingBitRate = true }
        guard packetCount - 1 == infoHeader?.packetCount, !hasGap else { return [] }
        let priming = trims(first)?.priming ?? 0
        return [
            .packetTableInfo(
                AudioPacketTableInfo(validFrameCount: nil, primingFrameCount: priming, remainderFrameCount: 0))
        ]
    }

    /// What the end of the file makes certain.
    func finalProperties() -> [AudioStreamProperty] {
        guard let first, !hasGap else { return [] }
        var properties: [AudioStreamProperty] = []
        if infoHeader?.packetCount != packetCount {
            properties.append(.audioDataPacketCount(packetCount))
            properties.append(.packetTableInfo(finalTable(first)))
        }
        if announcedByteCount != byteCount { properties.append(.audioDataByteCount(byteCount)) }
        if announcedAverage(first) == nil, hasVaryingBitRate {
            properties.append(.bitRate(average(byteCount: byteCount, packetCount: packetCount, first)))
        }
        return properties
    }

    /// Other than the announced packets were found. Files cut off are told of by their end.
    var lengthProblem: AudioStreamProblem? {
        guard !hasGap, let announced = infoHeader?.packetCount, announced != packetCount else { return nil }
        return AudioStreamProblem(
            .lengthDiffers(announced: announced, found: packetCount, .packets), at: infoHeaderOffset)
    }

    // MARK: Opening

    private func openingProperties(
        _ header: MPEGFrameHeader, offset: Int64, freeFormatByteCount: Int
    ) -> [AudioStreamProperty] {
        var properties: [AudioStreamProperty] = [
            .fileFormat(header.fileType), .dataFormat(header.format), .dataOffset(offset),
        ]
        if let byteCount = announcedByteCount { properties.append(.audioDataByteCount(byteCount)) }
        if let packetCount = infoHeader?.packetCount {
            properties.append(.audioDataPacketCount(packetCount))
            properties.append(.packetTableInfo(announcedTable(header, packetCount: packetCount)))
        }
        let freeFormat = header.isFreeFormat ? freeFormatByteCount : nil
        properties.append(.packetSizeUpperBound(freeFormat.map { $0 + 4 } ?? header.largestPacketByteCount))
        properties.append(.bitRate(announcedAverage(header) ?? nominalBitRate(header, freeFormat)))
        // Only a stream that says so is sure to keep its bit rate.
        let constant = infoHeader?.kind == .info ? header.packetByteCount() - header.paddingByteCount : nil
        let smallest = freeFormat ?? constant ?? header.smallestPacketByteCount
        properties.append(
            .decoderPrerollPacketCount(header.prerollPacketCount(smallestPacketByteCount: smallest)))
        properties.append(.readyToProducePackets)
        return properties
    }

    private func nominalBitRate(_ header: MPEGFrameHeader, _ freeFormatByteCount: Int?) -> Int {
        guard let size = freeFormatByteCount else { return header.bitRate }
        return size * 8 * header.sampleRate / header.frameCount
    }

    /// Of Xing's and VBRI's counts; nil for a stream of constant rate, whose headers say it better.
    private func announcedAverage(_ header: MPEGFrameHeader) -> Int? {
        guard let info = infoHeader, info.kind != .info, let packetCount = info.packetCount,
            let byteCount = announcedByteCount
        else { return nil }
        let bitRate = average(byteCount: byteCount, packetCount: packetCount, header)
        return Self.plausibleBitRates.contains(bitRate) ? bitRate : nil
    }

    private func average(byteCount: Int64, packetCount: Int64, _ header: MPEGFrameHeader) -> Int {
        let seconds = Double(packetCount) * Double(header.frameCount) / Double(header.sampleRate)
        return Int(Int64(saturating: Double(byteCount) * 8 / seconds))
    }

    private var announcedByteCount: Int64? {
        guard let total = infoHeader?.byteCount, total > Int64(infoHeaderByteCount) else { return nil }
        return total - Int64(infoHeaderByteCount)
    }

    // MARK: Trims

    /// Nil unless the file says both, and how many packets they apply to.
    private func trims(_ header: MPEGFrameHeader) -> (priming: Int, remainder: Int)? {
        guard let info = infoHeader, let packetCount = info.packetCount, let delay = info.encoderDelay,
            let padding = info.encoderPadding
        else { return nil }
        let trims = (priming: delay + Self.decoderDelay, remainder: max(0, padding - Self.decoderDelay))
        let isPlausible = Int64(trims.priming + trims.remainder) < packetCount * Int64(header.frameCount)
        return isPlausible ? trims : nil
    }

    private func announcedTable(_ header: MPEGFrameHeader, packetCount: Int64) -> AudioPacketTableInfo {
        let (priming, remainder) = trims(header) ?? (0, 0)
        return AudioPacketTableInfo(
            validFrameCount: packetCount * Int64(header.frameCount) - Int64(priming + remainder),
            primingFrameCount: priming, remainderFrameCount: remainder)
    }

    private func finalTable(_ header: MPEGFrameHeader) -> AudioPacketTableInfo {
        let priming = trims(header)?.priming ?? 0
        let decoded = max(0, packetCount * Int64(header.frameCount) - Int64(priming))
        var valid = decoded
        if let announced = infoHeader?.packetCount, packetCount < announced {
            valid = min(decoded, announcedTable(header, packetCount: announced).validFrameCount ?? decoded)
        }
        return AudioPacketTableInfo(
            validFrameCount: valid, primingFrameCount: priming, remainderFrameCount: Int(decoded - valid))
    }
}

extension MPEGFrameHeader {
    fileprivate var format: AudioStreamFormat {
        AudioStreamFormat(
            codec: codec, sampleRate: Double(sampleRate), framesPerPacket: frameCount, channelsPerFrame: channelCount)
    }

    fileprivate var fileType: AudioFileType {
        switch layer {
        case 1: .mpegLayer1
        case 2: .mpegLayer2
        default: .mpegLayer3
        }
    }
}
