import AudioCore

// RIFF (Multimedia Programming Interface and Data Specifications 1.0): "RIFF", size, "WAVE", then chunks: a
// four-character name, a 32-bit little-endian size, that many bytes, and a pad byte if the size is odd. RIFX is the
// same with all numbers big-endian. RF64 and BW64 (EBU Tech 3306, ITU-R BS.2088) have 64-bit sizes in a chunk "ds64"
// that replace sizes of all ones. Writers that could not seek back leave wrong sizes: RIFF's own is ignored, the data
// chunk's is believed unless it is one that such writers leave behind.

/// WAVE files: RIFF, RIFX, RF64 and BW64.
struct WAVEDialect: ChunkDialect {
    static let signatures: [StaticString] = ["RIFF", "RIFX", "RF64", "BW64"]

    private var syntax = ChunkSyntax(isBigEndian: false)
    private var format: WAVEFormat?
    /// The frame count in the fact chunk.
    private var factFrameCount: Int64?
    /// The data chunk's size in ds64.
    private var wideDataByteCount: Int64?

    let fileHeaderByteCount = 12
    var headerByteCount: Int { syntax.headerByteCount }

    /// Sizes left by writers that streamed: zero, all ones (ffmpeg), the largest signed number, and that rounded down
    /// to 4,096 (sox).
    private static let streamedSizes: Set<Int64> = [0, 0xFFFF_FFFF, 0x7FFF_FFFF, 0x7FFF_F000]

    mutating func read(fileHeader: RawSpan) throws(AudioStreamError) {
        syntax.isBigEndian = fileHeader.has("RIFX", at: 0)
    }

    func chunk(_ header: RawSpan, at offset: Int64) -> Chunk {
        var chunk = syntax.chunk(header, at: offset)
        // Finds the next chunk after data too large for a 32-bit size.
        if chunk.name == "data", let wideDataByteCount, chunk.byteCount == 0xFFFF_FFFF {
            chunk.byteCount = wideDataByteCount
            chunk.end = chunk.bodyOffset + wideDataByteCount + wideDataByteCount % 2
        }
        return chunk
    }

    func use(of chunk: Chunk) throws(AudioStreamError) -> ChunkUse {
        switch chunk.name {
        case "fmt " where format == nil:
            let range = Int64(WAVEFormat.smallestByteCount)...Int64(AudioFileStreamLimits.formatChunkByteCount)
            guard range.contains(chunk.byteCount) else {
                throw .invalidFile(
                    "WAVE's format chunk at byte \(chunk.bodyOffset - 8) claims \(chunk.byteCount) bytes")
            }
            return .read(Int(chunk.byteCount))
        case "ds64" where chunk.byteCount >= 24: return .read(24)
        case "fact" where chunk.byteCount >= 4: return .read(4)
        case "data":
            guard format != nil else {
                throw .invalidFile("WAVE's data at byte \(chunk.bodyOffset - 8) come before their format")
            }
            let isStreamed = Self.streamedSizes.contains(chunk.byteCount)
            return .audio(prefix: 0, byteCount: isStreamed ? nil : chunk.byteCount)
        case "LIST" where (4...Int64(AudioFileStreamLimits.infoChunkByteCount)).contains(chunk.byteCount):
            return .read(Int(chunk.byteCount))
        case "id3 ", "ID3 ": return .id3v2
        default: return .skip
        }
    }

    mutating func read(_ body: RawSpan, of chunk: Chunk) throws(AudioStreamError) -> Fields {
        switch chunk.name {
        case "fmt ": format = try WAVEFormat(body, syntax)
        case "fact": factFrameCount = Int64(syntax.number32(body, at: 0))
        case "ds64":
            let byteCount = body.littleEndian64(at: 8)
            if byteCount > 0, byteCount < 1 << 56 { wideDataByteCount = Int64(byteCount) }
        default: return info(body)
        }
        return []
    }

    /// Reads a list of type INFO, whose members look like chunks.
    private func info(_ list: RawSpan) -> Fields {
        guard list.has("INFO", at: 0) else { return [] }
        var fields: Fields = []
        syntax.forEachMember(of: list, from: 4) { name, text in
            guard let key = Self.keys[name], text.byteCount <= AudioFileStreamLimits.tagTextByteCount else { return }
            fields += TagText.field(key, TagText.guessed(text.copy(0..<text.byteCount)))
        }
        return fields
    }

    /// Names in RIFF's INFO list; those of the track number are customary, not standard.
    private static let keys: [ChunkName: AudioInfoKey] = [
        "INAM": .title, "IART": .artist, "IPRD": .album, "ITRK": .track, "IPRT": .track, "TRCK": .track,
        "ICRD": .year, "IGNR": .genre, "ICMT": .comment, "IMUS": .composer,
    ]

    func track(at start: Int64, byteCount: Int64?) throws(AudioStreamError) -> AudioTrack? {
        guard let format else { return nil }
        var track = AudioTrack(
            fileType: .wave, format: format.format, channelLayout: format.channelLayout, packets: .constant)
        switch format.kind {
        case .pcm: break
        case .block: track.validFrameCount = validFrameCount(format.format, byteCount: byteCount)
        case .frames(let kinds):
            let access = byteCount.map { ByteAccess.file(byteCount: start + $0) } ?? .stream
            track.packets = .elementary(
                SharedParser(ElementaryStreamParser(kinds: kinds, isEnclosed: true, access: access)))
        }
        return track
    }

    /// Returns the fact chunk's frame count, which shortens the last block; nil if it does not end in the last block.
    private func validFrameCount(_ format: AudioStreamFormat, byteCount: Int64?) -> Int64? {
        guard let factFrameCount, let byteCount else { return nil }
        let whole = ConstantPackets(format).total(ofByteCount: byteCount).frameCount
        let isInLast = factFrameCount <= whole && factFrameCount > whole - Int64(format.framesPerPacket)
        return isInLast ? factFrameCount : nil
    }
}
