import AudioCore

// Gapless lengths. A layer III encoder puts a delay in front (LAME: 576 frames) and pads the last packet; the decoder
// adds 529 frames of its own (528 of the filter bank, and 1 by the convention that all encoders and decoders of these
// headers share). With LAME's extension and a packet count
//
//     priming   = delay + 529
//     remainder = max(0, padding - 529)
//     audible   = packets * frames per packet - priming - remainder
//
// which is what libmpg123's gapless mode plays. Without the extension, or without the packet count, nothing is trimmed
// (as in libmpg123): every decoded frame is audible, the unknown encoder delay included. The same holds for iTunSMPB,
// which iTunes writes into an ID3v2 comment (COMM) of its MP3 files: some readers take its delay to include the
// decoder's 529 frames, others take it like LAME's, which does not (ExoPlayer); its fields add up to whole packets
// either way and do not settle it. In MPEG-4 it is read.
//
// If the file holds another number of packets than announced: with more, the announced end is void (joined files); with
// fewer, the end moves to the end of the packets. With random access, if the file is longer than its header says, the
// header is not used for packet places or sizes: it describes the first part only.

/// What is known of an MPEG audio stream, and which of it is reported when.
struct MPEGStreamFacts: ElementaryStreamFacts {
    /// The delay of a layer III decoder in frames, by the convention of LAME's delay field.
    static let decoderDelay = 529
    /// Averages of announced counts that are believed: all that headers can say, with a margin.
    private static let plausibleBitRates = 1_000...1_000_000
    /// Bytes that may follow the last packet without being another file: unknown tags.
    private static let tailByteCount: Int64 = 16 * 1_024

    private let fileByteCount: Int64?
    /// The unpadded packet size of a free-format stream.
    private let freeFormatByteCount: Int
    private var infoHeader: MPEGInfoHeader?
    private var infoHeaderByteCount = 0
    private var infoHeaderOffset: Int64 = 0
    private var first: MPEGFrameHeader?
    private var dataOffset: Int64 = 0
    private var hasVaryingBitRate = false

    init(fileByteCount: Int64?, freeFormatByteCount: Int) {
        self.fileByteCount = fileByteCount
        self.freeFormatByteCount = freeFormatByteCount
    }

    mutating func isAudio(
        _ header: FrameHeader, offset: Int64, byteCount: Int, in bytes: RawSpan, at place: Int
    ) -> Bool {
        guard infoHeaderByteCount == 0, case .mpeg(let header) = header,
            let info = MPEGInfoHeader(bytes, at: place, header: header, packetByteCount: byteCount)
        else { return true }
        infoHeader = info
        infoHeaderByteCount = byteCount
        infoHeaderOffset = offset
        return false
    }

    mutating func properties(
        before header: FrameHeader, offset: Int64, in bytes: RawSpan, at place: Int,
        _ seekIndex: ElementaryStreamSeekIndex
    ) throws(AudioStreamError) -> [AudioStreamProperty] {
        guard case .mpeg(let header) = header else { throw .illegalOperation }
        guard let first else {
            first = header
            dataOffset = offset
            return openingProperties(header, offset: offset)
        }
        if header.bitRateIndex != first.bitRateIndex { hasVaryingBitRate = true }
        guard seekIndex.nextPacket == infoHeader?.packetCount, seekIndex.isExact else { return [] }
        let priming = trims(first)?.priming ?? 0
        return [
            .packetTableInfo(
                AudioPacketTableInfo(validFrameCount: nil, primingFrameCount: priming, remainderFrameCount: 0))
        ]
    }

    func finalProperties(_ seekIndex: ElementaryStreamSeekIndex) -> [AudioStreamProperty] {
        guard let first, seekIndex.isExact else { return [] }
        var properties: [AudioStreamProperty] = []
        if let announced = infoHeader?.packetCount, announced != seekIndex.nextPacket {
            let difference = AudioStreamProblem.Kind.lengthDiffers(
                announced: announced, found: seekIndex.nextPacket, .packets)
            properties.append(.problem(AudioStreamProblem(difference, at: infoHeaderOffset)))
        }
        if infoHeader?.packetCount != seekIndex.nextPacket {
            properties.append(.audioDataPacketCount(seekIndex.nextPacket))
            properties.append(.packetTableInfo(finalTable(first, packetCount: seekIndex.nextPacket)))
        }
        guard let byteCount = seekIndex.byteCount else { return properties }
        if announcedByteCount != byteCount { properties.append(.audioDataByteCount(byteCount)) }
        if announcedAverage(first) == nil, hasVaryingBitRate {
            let average = Self.bitRate(byteCount: byteCount, packetCount: seekIndex.nextPacket, first.format)
            properties.append(.bitRate(average))
        }
        return properties
    }

    var seekHints: SeekHints {
        guard let first else { return SeekHints() }
        let infoHeader = isJoined ? nil : infoHeader
        var hints = SeekHints(
            packetCount: infoHeader?.packetCount, byteCount: isJoined ? byteCountAtHand : announcedByteCount)
        if isConstantRate {
            let bitsPerPacket = Double(nominalBitRate(first)) * Double(first.frameCount) / Double(first.sampleRate)
            hints.averageByteCount = bitsPerPacket / 8
            let size = first.packetByteCount(freeFormatByteCount: freeFormatByteCount)
            // No padding, and the announced size is that of packets of this size.
            if let packetCount = infoHeader?.packetCount, let byteCount = infoHeader?.byteCount,
                byteCount - Int64(infoHeaderByteCount) == packetCount * Int64(size)
            {
                hints.constantByteCount = size
            }
        } else if let table = infoHeader?.seekTable, let packetCount = infoHeader?.packetCount,
            let byteCount = announcedByteCount
        {
            hints.points = table.points(
                packetCount: packetCount, byteCount: byteCount + (dataOffset - infoHeaderOffset),
                headerOffset: infoHeaderOffset, dataOffset: dataOffset)
        }
        return hints
    }

    /// Whether the bit rate is constant, by the header or by the frames so far.
    private var isConstantRate: Bool {
        guard let kind = infoHeader?.kind else { return !hasVaryingBitRate }
        return kind == .info && !hasVaryingBitRate
    }

    // MARK: Opening

    private func openingProperties(_ header: MPEGFrameHeader, offset: Int64) -> [AudioStreamProperty] {
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
        properties.append(.bitRate(announcedAverage(header) ?? nominalBitRate(header)))
        // Only a stream that says so is certain to keep its bit rate.
        let isConstant = infoHeader?.kind == .info && !isJoined
        let constant = isConstant ? header.packetByteCount() - header.paddingByteCount : nil
        let smallest = freeFormat ?? constant ?? header.smallestPacketByteCount
        properties.append(
            .decoderPrerollPacketCount(header.prerollPacketCount(smallestPacketByteCount: smallest)))
        if !isJoined { properties += infoHeader?.loudness.map { .info($0.0, $0.1) } ?? [] }
        properties.append(.readyToProducePackets)
        return properties
    }

    private func nominalBitRate(_ header: MPEGFrameHeader) -> Int {
        guard header.isFreeFormat else { return header.bitRate }
        return freeFormatByteCount * 8 * header.sampleRate / header.frameCount
    }

    /// The average from Xing's and VBRI's counts; nil for a constant rate, which frame headers give exactly.
    private func announcedAverage(_ header: MPEGFrameHeader) -> Int? {
        guard let info = infoHeader, info.kind != .info, let packetCount = info.packetCount,
            let byteCount = announcedByteCount
        else { return nil }
        let bitRate = Self.bitRate(byteCount: byteCount, packetCount: packetCount, header.format)
        return Self.plausibleBitRates.contains(bitRate) ? bitRate : nil
    }

    private var announcedByteCount: Int64? {
        if let total = infoHeader?.byteCount, total > Int64(infoHeaderByteCount) {
            return total - Int64(infoHeaderByteCount)
        }
        return byteCountAtHand
    }

    /// Bytes from the first packet to the file's end. Counts tags after the last packet until they are met.
    private var byteCountAtHand: Int64? { fileByteCount.map { $0 - dataOffset } }

    /// Whether the file continues beyond what its header describes.
    private var isJoined: Bool {
        guard let fileByteCount, let announced = infoHeader?.byteCount else { return false }
        return fileByteCount - infoHeaderOffset - announced > Self.tailByteCount
    }

    // MARK: Trims

    /// Returns nil unless the file gives both, and the packet count that they apply to.
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

    private func finalTable(_ header: MPEGFrameHeader, packetCount: Int64) -> AudioPacketTableInfo {
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
