import AudioCore

// Apple's Core Audio Format specification 1.0: "caff", version, flags, then chunks: a four-character name, a 64-bit
// big-endian size and that many bytes. The description comes first; the packet table, which compressed audio needs, may
// follow the audio. If the audio is the last chunk its size may be -1: to the end of the file.

/// Core Audio Format files.
struct CAFDialect: ChunkDialect {
    private let syntax = ChunkSyntax(isBigEndian: true, hasWideSizes: true, isPadded: false)
    private var description: CAFDescription?
    private var descriptionOffset: Int64 = 0
    private var cookie: [UInt8]?
    private var cookieOffset: Int64 = 0
    private var layout: AudioChannelLayout?
    private var table: CAFPacketTable?

    let fileHeaderByteCount = 8
    var headerByteCount: Int { syntax.headerByteCount }

    /// Bytes of the edit count in front of the audio.
    private static let editCountByteCount = 4

    mutating func read(fileHeader: RawSpan) throws(AudioStreamError) {
        let version = fileHeader.bigEndian16(at: 4)
        guard version == 1 else { throw .unsupportedDataFormat("CAF of version \(version)") }
    }

    func chunk(_ header: RawSpan, at offset: Int64) -> Chunk { syntax.chunk(header, at: offset) }

    mutating func use(of chunk: Chunk) throws(AudioStreamError) -> ChunkUse {
        switch chunk.name {
        case "desc" where description == nil:
            guard chunk.byteCount >= Int64(CAFDescription.byteCount) else {
                throw .invalidFile(
                    "CAF's description at byte \(chunk.bodyOffset - 12) has \(chunk.byteCount) bytes instead of 32")
            }
            return .read(CAFDescription.byteCount)
        case "kuki" where cookie == nil && (1...Int64(Limits.magicCookieByteCount)).contains(chunk.byteCount):
            return .read(Int(chunk.byteCount))
        case "chan" where layout == nil && chunk.byteCount >= 12:
            return .read(Int(min(chunk.byteCount, Int64(CoreAudioLayout.largestByteCount))))
        case "info" where (4...Int64(AudioFileStreamLimits.infoChunkByteCount)).contains(chunk.byteCount):
            return .read(Int(chunk.byteCount))
        case "pakt" where table == nil:
            table = CAFPacketTable(byteOffset: chunk.bodyOffset)
            return .take
        case "data":
            guard chunk.byteCount < 0 || chunk.byteCount >= Int64(Self.editCountByteCount) else { return .skip }
            return .audio(prefix: Self.editCountByteCount, byteCount: chunk.byteCount < 0 ? nil : chunk.byteCount)
        default: return .skip
        }
    }

    mutating func read(_ body: RawSpan, of chunk: Chunk) throws(AudioStreamError) -> Fields {
        switch chunk.name {
        case "desc":
            description = try CAFDescription(body)
            descriptionOffset = chunk.bodyOffset - Int64(headerByteCount)
        case "kuki":
            cookie = body.copy(0..<body.byteCount)
            cookieOffset = chunk.bodyOffset - Int64(headerByteCount)
        case "chan": layout = CoreAudioLayout.read(body)
        default: return info(body)
        }
        return []
    }

    /// Reads an "Information Chunk": a count, then names and values in UTF-8, each zero-terminated.
    private func info(_ body: RawSpan) -> Fields {
        let strings = body.copy(4..<body.byteCount).split(separator: 0, omittingEmptySubsequences: false)
        var fields: Fields = []
        for index in stride(from: 0, to: strings.count - 1, by: 2) {
            guard strings[index + 1].count <= AudioFileStreamLimits.tagTextByteCount, strings[index].count <= 32,
                let key = Self.keys[TagText.utf8(strings[index]).lowercased()]
            else { continue }
            fields += TagText.field(key, TagText.utf8(strings[index + 1]))
        }
        return fields
    }

    private static let keys: [String: AudioInfoKey] = [
        "title": .title, "artist": .artist, "album": .album, "track number": .track, "track": .track, "year": .year,
        "recorded date": .year, "date": .year, "genre": .genre, "composer": .composer, "comments": .comment,
        "comment": .comment, "album artist": .albumArtist, "album_artist": .albumArtist,
    ]

    mutating func take(_ piece: RawSpan, of chunk: Chunk) throws(AudioStreamError) {
        table?.append(piece)
    }

    func track(at start: Int64, byteCount: Int64?) throws(AudioStreamError) -> AudioTrack? {
        guard let description else { return nil }
        var track = try CAFTrack(
            description: description, descriptionOffset: descriptionOffset, cookie: cookie, cookieOffset: cookieOffset,
            table: table
        ).track()
        if let layout, layout.labels.count == track?.format.channelsPerFrame { track?.channelLayout = layout }
        return track
    }
}
