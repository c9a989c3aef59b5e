import AudioCore

// NeXT and Sun (SunOS audio_filehdr.h, NeXT's SNDSoundStruct): ".snd", then big-endian 32-bit numbers: offset of the
// audio, its size or all ones, encoding, sample rate, channels; then text up to the audio. Files of little-endian
// machines have the bytes of each number reversed, those of the signature too; DEC's signature is ".sd".
//
// There are no chunks; header, text and audio are presented as chunks.

/// .au and .snd files.
struct NextSunDialect: ChunkDialect {
    static let signatures: [StaticString] = [".snd", ".sd\0", "dns.", "\0ds."]

    private var syntax = ChunkSyntax(isBigEndian: true, isPadded: false)
    private var audioStart: Int64 = 0
    private var audioByteCount: Int64?
    private var format: AudioStreamFormat?
    private var givenChunkCount = 0

    let fileHeaderByteCount = 24
    let headerByteCount = 0

    mutating func read(fileHeader: RawSpan) throws(AudioStreamError) {
        syntax.isBigEndian = fileHeader.has(".s", at: 0)
        audioStart = Int64(syntax.number32(fileHeader, at: 4))
        guard audioStart >= Int64(fileHeaderByteCount) else {
            throw .invalidFile("the audio is said to begin at byte \(audioStart), within the header")
        }
        let size = syntax.number32(fileHeader, at: 8)
        audioByteCount = size == 0 || size == .max ? nil : Int64(size)
        let sampleRate = Double(syntax.number32(fileHeader, at: 16))
        let channels = Int(syntax.number32(fileHeader, at: 20))
        try AudioFormats.check(sampleRate: sampleRate, channels: channels)
        format = try format(syntax.number32(fileHeader, at: 12), sampleRate, channels)
    }

    private func format(
        _ encoding: UInt32, _ sampleRate: Double, _ channels: Int
    ) throws(AudioStreamError) -> AudioStreamFormat {
        func pcm(_ bytesPerSample: Int, _ kind: PCMLayout) -> AudioStreamFormat {
            .packedPCM(
                sampleRate: sampleRate, channels: channels, bits: bytesPerSample * 8, bytesPerSample: bytesPerSample,
                layout: syntax.isBigEndian && bytesPerSample > 1 ? kind.union(.bigEndian) : kind)
        }
        switch encoding {
        case 1: return .packed(.muLaw, sampleRate: sampleRate, channels: channels)
        case 2...5: return pcm(Int(encoding) - 1, .signedInteger)
        case 6: return pcm(4, .float)
        case 7: return pcm(8, .float)
        case 27: return .packed(.aLaw, sampleRate: sampleRate, channels: channels)
        case 23: throw .unsupportedDataFormat("NeXT/Sun with G.721")
        case 24: throw .unsupportedDataFormat("NeXT/Sun with G.722")
        case 25, 26: throw .unsupportedDataFormat("NeXT/Sun with G.723")
        default: throw .unsupportedDataFormat("NeXT/Sun with encoding \(encoding)")
        }
    }

    mutating func chunk(_ header: RawSpan, at offset: Int64) -> Chunk {
        givenChunkCount += 1
        switch givenChunkCount {
        case 1: return Chunk(name: "text", byteCount: audioStart - offset, bodyOffset: offset, end: audioStart)
        case 2:
            let end = audioByteCount.map { offset + $0 } ?? .max
            return Chunk(name: "data", byteCount: audioByteCount ?? -1, bodyOffset: offset, end: end)
        default: return Chunk(name: "rest", byteCount: -1, bodyOffset: offset, end: .max)
        }
    }

    func use(of chunk: Chunk) throws(AudioStreamError) -> ChunkUse {
        switch chunk.name {
        case "text":
            return .read(Int(min(chunk.byteCount, Int64(AudioFileStreamLimits.tagTextByteCount))))
        case "data": return .audio(prefix: 0, byteCount: audioByteCount)
        default: return .skip
        }
    }

    /// Reads lines of the form "name=text", as ffmpeg writes them; otherwise the text is a comment.
    func read(_ body: RawSpan, of chunk: Chunk) throws(AudioStreamError) -> Fields {
        let text = TagText.guessed(body.copy(0..<body.byteCount))
        var fields: Fields = []
        for line in text.split(whereSeparator: \.isNewline) {
            let parts = line.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, let key = Self.keys[parts[0].lowercased()] else { continue }
            fields += TagText.field(key, String(parts[1]))
        }
        return fields.isEmpty ? TagText.field(.comment, text) : fields
    }

    private static let keys: [String: AudioInfoKey] = [
        "title": .title, "artist": .artist, "album": .album, "track": .track, "genre": .genre, "date": .year,
        "comment": .comment,
    ]

    func track(at start: Int64, byteCount: Int64?) throws(AudioStreamError) -> AudioTrack? {
        format.map { AudioTrack(fileType: .nextSun, format: $0, packets: .constant) }
    }
}
