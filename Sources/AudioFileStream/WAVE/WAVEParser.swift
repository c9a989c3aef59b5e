import AudioCore

// RIFF (Multimedia Programming Interface and Data Specifications 1.0): "RIFF", size, "WAVE", then chunks of a
// four-character name, a 32-bit little-endian size and as many bytes, and one more byte if the size is odd. Sizes of
// writers that could not seek back are wrong; RIFF's own is not looked at, the data chunk's is believed unless it is
// one of those that such writers leave behind. A LIST of type INFO is entered: its members look like chunks.

/// The parser of WAVE files with linear PCM.
final class WAVEParser: ContainerParser {
    private enum State: Equatable {
        case fileHeader, chunkHeader
        case format(byteCount: Int)
        case listType(byteCount: Int)
        case text(AudioInfoKey, byteCount: Int)
        case data
        case skip(Int64)
    }

    private var state = State.fileHeader
    private var format: AudioStreamFormat?
    private var info = InfoCollector()
    private var group = PacketGroup()
    /// Bytes of the data chunk to come; nil: to the end of the file.
    private var dataRemaining: Int64?
    private var dataPadding: Int64 = 0
    private var announcedFrameCount: Int64?
    private var hasSeenData = false
    private var frameCount: Int64 = 0
    private var packetCount: Int64 = 0
    private var hasGap = false
    /// Offset of the byte after the last one seen.
    private var fileEnd: Int64 = 0

    private static let chunkHeaderByteCount = 8

    /// What is left in the size field when a writer streamed: nothing, all ones (ffmpeg), the largest signed number
    /// and that rounded down to 4,096 (sox).
    private static let streamedSizes: Set<UInt32> = [0, 0xFFFF_FFFF, 0x7FFF_FFFF, 0x7FFF_F000]

    func consume<Sink: AudioStreamSink & ~Copyable>(
        _ bytes: RawSpan, at offset: Int64, isLast: Bool, into sink: inout Sink
    ) throws(AudioStreamError) -> Progress {
        fileEnd = offset &+ Int64(bytes.byteCount)
        var place = 0
        while place < bytes.byteCount {
            let rest = bytes.extracting(place..<bytes.byteCount)
            let fileOffset = offset &+ Int64(place)
            let step = try step(rest, at: fileOffset, isLast: isLast, into: &sink)
            // Nothing more to be done with what is left: at the file's end that is a chunk cut short.
            if step.consumed == 0, step.needed > 0 {
                guard isLast else { return Progress(consumed: place, needed: step.needed) }
                let problem = problemOfCutStep(missing: step.needed - rest.byteCount, left: rest.byteCount)
                sink.streamDidParse(property: .problem(problem))
                return Progress(consumed: bytes.byteCount, needed: step.needed)
            }
            place += step.consumed
        }
        return Progress(consumed: place, needed: 1)
    }

    func finish<Sink: AudioStreamSink & ~Copyable>(into sink: inout Sink) throws(AudioStreamError) {
        if let missing = missingByteCount {
            sink.streamDidParse(property: .problem(.init(.truncated(missingByteCount: missing), at: fileEnd)))
        }
        guard packetCount > 0 else { throw .dataUnavailable }
        guard let format, frameCount != announcedFrameCount, !hasGap else { return }
        for property in lengthProperties(format, frameCount: frameCount) { sink.streamDidParse(property: property) }
    }

    /// Bytes that chunks claim and the file does not hold. The byte that pads an odd chunk is often left out.
    private var missingByteCount: Int64? {
        switch state {
        case .data: dataRemaining.flatMap { $0 > 0 ? $0 : nil }
        case .skip(let byteCount): byteCount > 1 ? byteCount : nil
        default: nil
        }
    }

    /// What the file's end cuts: behind the data, less than a chunk's head is nothing that is missed.
    private func problemOfCutStep(missing: Int, left: Int) -> AudioStreamProblem {
        guard state == .chunkHeader, hasSeenData else {
            return AudioStreamProblem(.truncated(missingByteCount: Int64(missing)), at: fileEnd)
        }
        return AudioStreamProblem(.skipped(byteCount: Int64(left)), at: fileEnd &- Int64(left))
    }

    /// What follows a gap in the data chunk is taken to begin with a whole frame: PCM has no marks to find one by.
    func skipGap() throws(AudioStreamError) {
        guard state == .data else { throw .discontinuityCannotRecover }
        hasGap = true
        dataRemaining = nil
    }

    // MARK: Steps

    /// One step: either bytes are consumed, or the number is said that is needed.
    private func step<Sink: AudioStreamSink & ~Copyable>(
        _ bytes: RawSpan, at offset: Int64, isLast: Bool, into sink: inout Sink
    ) throws(AudioStreamError) -> Progress {
        switch state {
        case .fileHeader: return take(12, of: bytes) { _ in state = .chunkHeader }
        case .chunkHeader:
            guard bytes.byteCount >= Self.chunkHeaderByteCount else {
                return Progress(consumed: 0, needed: Self.chunkHeaderByteCount)
            }
            try beginChunk(bytes, at: offset, into: &sink)
            return Progress(consumed: Self.chunkHeaderByteCount, needed: 0)
        case .format(let byteCount): return try takeFormat(bytes, byteCount)
        case .listType(let byteCount): return takeListType(bytes, byteCount)
        case .text(let key, let byteCount): return takeText(bytes, key, byteCount, into: &sink)
        case .data: return takeData(bytes, isLast: isLast, into: &sink)
        case .skip(let byteCount):
            let skipped = min(byteCount, Int64(bytes.byteCount))
            state = skipped == byteCount ? .chunkHeader : .skip(byteCount - skipped)
            return Progress(consumed: Int(skipped), needed: 0)
        }
    }

    /// Waits for as many bytes, then has them looked at.
    private func take(_ byteCount: Int, of bytes: RawSpan, _ look: (RawSpan) -> Void) -> Progress {
        guard bytes.byteCount >= byteCount else { return Progress(consumed: 0, needed: byteCount) }
        look(bytes.extracting(0..<byteCount))
        return Progress(consumed: byteCount, needed: 0)
    }

    private func beginChunk<Sink: AudioStreamSink & ~Copyable>(
        _ bytes: RawSpan, at offset: Int64, into sink: inout Sink
    ) throws(AudioStreamError) {
        let size = bytes.littleEndian32(at: 4)
        if bytes.has("fmt ", at: 0), format == nil {
            guard size >= WAVEFormat.smallestByteCount, size <= AudioFileStreamLimits.formatChunkByteCount else {
                throw .invalidFile("WAVE's format chunk at byte \(offset) claims \(size) bytes")
            }
            state = .format(byteCount: Int(size))
        } else if bytes.has("data", at: 0), !hasSeenData {
            guard let format else { throw .invalidFile("WAVE's data at byte \(offset) come before their format") }
            beginData(format, size: size, offset: offset &+ Int64(Self.chunkHeaderByteCount), into: &sink)
        } else if bytes.has("LIST", at: 0), size >= 4 {
            state = .listType(byteCount: Int(size))
        } else if let key = Self.key(bytes), size > 0, size <= AudioFileStreamLimits.tagTextByteCount {
            state = .text(key, byteCount: Int(size))
        } else {
            pass(Int64(size) + Int64(size & 1))
        }
    }

    private func pass(_ byteCount: Int64) {
        state = byteCount == 0 ? .chunkHeader : .skip(byteCount)
    }

    private static func key(_ bytes: RawSpan) -> AudioInfoKey? {
        keys.first { bytes.has($0.name, at: 0) }?.key
    }

    /// Names of RIFF's INFO list; the track number's two names are custom, not standard.
    private static let keys: [(name: StaticString, key: AudioInfoKey)] = [
        ("INAM", .title), ("IART", .artist), ("IPRD", .album), ("ITRK", .track), ("IPRT", .track), ("ICRD", .year),
    ]

    private func takeFormat(_ bytes: RawSpan, _ byteCount: Int) throws(AudioStreamError) -> Progress {
        guard bytes.byteCount >= byteCount else { return Progress(consumed: 0, needed: byteCount) }
        format = try WAVEFormat.parse(bytes.extracting(0..<byteCount))
        pass(Int64(byteCount & 1))
        return Progress(consumed: byteCount, needed: 0)
    }

    private func takeListType(_ bytes: RawSpan, _ byteCount: Int) -> Progress {
        take(4, of: bytes) { type in
            if type.has("INFO", at: 0) {
                state = .chunkHeader
            } else {
                pass(Int64(byteCount - 4) + Int64(byteCount & 1))
            }
        }
    }

    private func takeText<Sink: AudioStreamSink & ~Copyable>(
        _ bytes: RawSpan, _ key: AudioInfoKey, _ byteCount: Int, into sink: inout Sink
    ) -> Progress {
        guard bytes.byteCount >= byteCount else { return Progress(consumed: 0, needed: byteCount) }
        let text = TagText.guessed(bytes.copy(0..<byteCount))
        if let value = TagText.clean(key == .year ? String(text.prefix(4)) : text) {
            info.give([(key, value)], into: &sink)
        }
        pass(Int64(byteCount & 1))
        return Progress(consumed: byteCount, needed: 0)
    }

    // MARK: Data

    private func beginData<Sink: AudioStreamSink & ~Copyable>(
        _ format: AudioStreamFormat, size: UInt32, offset: Int64, into sink: inout Sink
    ) {
        hasSeenData = true
        state = .data
        var properties: [AudioStreamProperty] = [.fileFormat(.wave), .dataFormat(format), .dataOffset(offset)]
        if !Self.streamedSizes.contains(size) {
            dataRemaining = Int64(size)
            dataPadding = Int64(size & 1)
            announcedFrameCount = Int64(size) / Int64(format.bytesPerFrame)
            properties += lengthProperties(format, frameCount: Int64(size) / Int64(format.bytesPerFrame))
        }
        let bitRate = format.sampleRate * Double(format.bytesPerFrame * 8)
        properties += [
            .packetSizeUpperBound(format.bytesPerPacket), .bitRate(Int(bitRate)), .decoderPrerollPacketCount(0),
            .readyToProducePackets,
        ]
        for property in properties { sink.streamDidParse(property: property) }
    }

    private func lengthProperties(_ format: AudioStreamFormat, frameCount: Int64) -> [AudioStreamProperty] {
        let framesPerPacket = Int64(format.framesPerPacket)
        return [
            .audioDataByteCount(frameCount * Int64(format.bytesPerFrame)),
            .audioDataPacketCount((frameCount + framesPerPacket - 1) / framesPerPacket),
            .packetTableInfo(
                AudioPacketTableInfo(validFrameCount: frameCount, primingFrameCount: 0, remainderFrameCount: 0)),
        ]
    }

    private func takeData<Sink: AudioStreamSink & ~Copyable>(
        _ bytes: RawSpan, isLast: Bool, into sink: inout Sink
    ) -> Progress {
        guard let format else { return Progress(consumed: bytes.byteCount, needed: 0) }
        let present = dataRemaining.map { Int(min($0, Int64(bytes.byteCount))) } ?? bytes.byteCount
        let isEnd = isLast || dataRemaining == Int64(present)
        var place = 0
        while present - place >= format.bytesPerPacket {
            add(format, frameCount: format.framesPerPacket, bytes, at: place, into: &sink)
            place += format.bytesPerPacket
        }
        if isEnd {
            let frames = (present - place) / format.bytesPerFrame
            if frames > 0 { add(format, frameCount: frames, bytes, at: place, into: &sink) }
            // Less than a frame is left: not audio.
            place = present
        }
        group.flush(window: bytes, into: &sink)
        dataRemaining = dataRemaining.map { $0 - Int64(place) }
        if dataRemaining == 0 { pass(dataPadding) }
        let wanted = min(Int64(format.bytesPerPacket), dataRemaining ?? .max)
        return Progress(consumed: place, needed: place == 0 ? Int(wanted) : 0)
    }

    private func add<Sink: AudioStreamSink & ~Copyable>(
        _ format: AudioStreamFormat, frameCount: Int, _ bytes: RawSpan, at place: Int, into sink: inout Sink
    ) {
        self.frameCount += Int64(frameCount)
        packetCount += 1
        group.add(
            at: place, byteCount: frameCount * format.bytesPerFrame, frameCount: frameCount, window: bytes, into: &sink)
    }
}
