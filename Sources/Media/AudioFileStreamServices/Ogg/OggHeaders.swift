import AudioCore

/// Reads the header packets of a stream, in the pieces that pages hold. Comments are read as they come: a picture takes
/// no more memory than its bytes.
struct OggHeaders {
    private(set) var codec: OggCodec
    private(set) var cookie: [UInt8]
    private(set) var comments = VorbisCommentReader()
    private var metadata = FLACMetadata(hasSignature: false)
    /// Header packets completed so far.
    private var packetCount = 0
    /// The kept part of the current packet, and its bytes so far.
    private var packet: [UInt8] = []
    private var packetByteCount = 0
    private var identification: [UInt8] = []
    /// Vorbis's comment header, if it is short.
    private var commentPacket: [UInt8]?
    private(set) var setup: [UInt8] = []
    private(set) var isDone = false

    /// Bytes of a Vorbis comment header that is kept for the cookie.
    private static let keptCommentByteCount = 4 * 1024

    /// - Parameter first: the stream's first packet, which identified the codec.
    init(_ codec: OggCodec, first: RawSpan) {
        self.codec = codec
        identification = first.copy(0..<first.byteCount)
        packetCount = 1
        switch codec {
        case .flac(let stream):
            cookie = stream.cookie
            feedMetadata(first.extracting(13..<first.byteCount))
            isDone = metadata.isDone
        default: cookie = identification
        }
    }

    mutating func takePicture() -> [UInt8]? { comments.takePicture() ?? metadata.takePicture() }

    mutating func takeFound() -> [(AudioInfoKey, String)] { comments.takeFound() + metadata.takeFound() }

    mutating func takeLyrics() -> [AudioStreamLyrics] { comments.takeLyrics() + metadata.takeLyrics() }

    var channelLayout: AudioChannelLayout {
        metadata.channelLayout ?? AudioChannelLayout(xiphChannels: codec.format.channelsPerFrame)
    }

    /// Whether a page holds a FLAC frame: no metadata block begins with the same byte (RFC 9639 section 8.1).
    func isFollowedByAudio(_ page: OggPage, _ bytes: RawSpan) -> Bool {
        guard case .flac(let stream) = codec, !page.isContinued else { return false }
        var lacing = page.lacing
        guard let part = lacing.next(bytes) else { return false }
        return FLACFrameHeader(bytes.extracting(part.range), at: 0, stream: stream) != nil
    }

    /// Takes a piece of the current packet. `offset` is the page's, for errors.
    mutating func take(_ bytes: RawSpan, isEnd: Bool, at offset: Int64) throws(AudioStreamError) {
        try keep(bytes, at: offset)
        packetByteCount += bytes.byteCount
        guard isEnd else { return }
        switch codec {
        case .vorbis(var stream, _):
            if packetCount == 1 {
                commentPacket = packetByteCount <= Self.keptCommentByteCount ? packet : nil
            } else {
                do throws(AudioStreamError) { try stream.takeSetup(packet.span.bytes) } catch { throw error.at(offset) }
                setup = packet
                codec = .vorbis(stream, previousBlock: nil)
                cookie = VorbisStream.cookie(
                    identification: identification, comments: commentPacket, setup: setup)
                isDone = true
            }
        case .opus: isDone = true
        case .flac: isDone = metadata.isDone
        }
        packetCount += 1
        packet.removeAll(keepingCapacity: true)
        packetByteCount = 0
    }

    private mutating func keep(_ bytes: RawSpan, at offset: Int64) throws(AudioStreamError) {
        switch (codec, packetCount) {
        case (.flac, _): feedMetadata(bytes)
        case (.opus, _): try takeComments(bytes, magic: "OpusTags", at: offset)
        case (.vorbis, 1): try takeComments(bytes, magic: "\u{3}vorbis", at: offset)
        default:
            guard packet.count + bytes.byteCount <= Limits.magicCookieByteCount - 2 * Self.keptCommentByteCount else {
                throw .unsupportedDataFormat("a Vorbis setup header of more than \(packet.count) bytes")
            }
            bytes.withUnsafeBytes { packet.append(contentsOf: $0) }
        }
    }

    private mutating func takeComments(
        _ bytes: RawSpan, magic: StaticString, at offset: Int64
    ) throws(AudioStreamError) {
        let magicByteCount = magic.utf8CodeUnitCount
        let start = min(bytes.byteCount, max(0, magicByteCount - packetByteCount))
        let room = max(0, Self.keptCommentByteCount - packet.count)
        bytes.extracting(0..<min(room, bytes.byteCount)).withUnsafeBytes { packet.append(contentsOf: $0) }
        let isThere = packet.span.bytes.has(magic, at: 0)
        guard isThere || packetByteCount + bytes.byteCount < magicByteCount else {
            throw .invalidFile("the comment header is missing in the Ogg page at byte \(offset)")
        }
        comments.consume(bytes.extracting(start..<bytes.byteCount))
    }

    /// Parses a packet that is a metadata block, as in a FLAC file.
    private mutating func feedMetadata(_ bytes: RawSpan) {
        bytes.withUnsafeBytes { packet.append(contentsOf: $0) }
        let pending = packet
        var place = 0
        while !metadata.isDone, place < pending.count {
            let rest = pending.span.bytes.extracting(place..<pending.count)
            // The first block was checked already; errors in the others are ignored.
            guard let step = try? metadata.step(rest, at: 0), step.consumed > 0 || step.needed == 0 else { break }
            place += step.consumed
        }
        packet = Array(pending[place...])
    }
}
