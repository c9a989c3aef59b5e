import AudioCore

/// The codec of an Ogg stream, and how long its packets are.
enum OggCodec {
    case vorbis(VorbisStream, previousBlock: Int?)
    case opus(OpusStream)
    case flac(FLACStreamInfo)

    /// What the first packet of a stream identifies it as.
    enum Verdict {
        case codec(OggCodec)
        /// A known codec that is not played.
        case foreign(String)
        case unknown
    }

    static func identify(_ packet: RawSpan) throws(AudioStreamError) -> Verdict {
        if packet.has("\u{1}vorbis", at: 0) {
            return .codec(.vorbis(try VorbisStream(identification: packet), previousBlock: nil))
        }
        if packet.has("OpusHead", at: 0) { return .codec(.opus(try OpusStream(head: packet))) }
        if packet.has("\u{7F}FLAC", at: 0) { return .codec(.flac(try flac(packet))) }
        if let foreign = foreign.first(where: { packet.has($0.magic, at: 0) }) { return .foreign(foreign.name) }
        // Theora's first byte is 0x80, which a StaticString cannot contain.
        if packet.byteCount > 7, packet[0] == 0x80, packet.has("theora", at: 1) { return .foreign("Theora") }
        if packet.byteCount > 7, packet[0] == 0x80, packet.has("kate", at: 1) { return .foreign("Kate") }
        return .unknown
    }

    private static let foreign: [(magic: StaticString, name: String)] = [
        ("Speex   ", "Speex"), ("CELT    ", "CELT"), ("PCM     ", "PCM"), ("fishead\u{0}", "Skeleton"),
        ("\u{1}video", "OGM video"), ("\u{1}audio", "OGM audio"), ("OVP80", "VP8"), ("BBCD\u{0}", "Dirac"),
        ("CMML\u{0}\u{0}\u{0}\u{0}", "CMML"), ("YUV4MPEG", "YUV4MPEG"), ("AnxData", "Annodex"),
    ]

    /// Parses RFC 9639 section 10.1: 0x7F, "FLAC", version, header packet count, "fLaC", STREAMINFO with its header.
    private static func flac(_ packet: RawSpan) throws(AudioStreamError) -> FLACStreamInfo {
        let start = 13 + FLACMetadata.headerByteCount
        guard packet.byteCount >= start + FLACStreamInfo.byteCount, packet.has("fLaC", at: 9) else {
            throw .invalidFile("FLAC's first header in Ogg is not one")
        }
        guard packet[5] == 1 else { throw .unsupportedDataFormat("FLAC in Ogg by version \(packet[5]) of the mapping") }
        return try FLACStreamInfo(packet, at: start)
    }

    /// Returns the frames of the next packet; nil if it holds no audio. Only Vorbis's first packet decodes to none.
    mutating func frameCount(_ packet: RawSpan) -> Int? {
        switch self {
        case .opus(let stream): return stream.frameCount(packet)
        case .vorbis(let stream, let previous):
            guard let block = stream.block(packet) else { return nil }
            self = .vorbis(stream, previousBlock: block)
            return (block + (previous ?? block)) / 4
        case .flac(let stream):
            return FLACFrameHeader(packet, at: 0, stream: stream)?.blockSize
        }
    }

    /// Whether the next packet is one that outputs nothing: its frames are not part of the stream's time.
    var isBeforeFirst: Bool {
        if case .vorbis(_, nil) = self { true } else { false }
    }

    /// Whether the block before the next packet is long, for a decoder that begins there; Vorbis only.
    var isPreviousBlockLong: Bool {
        get {
            if case .vorbis(let stream, let block?) = self { block == stream.longBlock } else { false }
        }
        set {
            guard case .vorbis(let stream, _) = self else { return }
            self = .vorbis(stream, previousBlock: newValue ? stream.longBlock : stream.shortBlock)
        }
    }

    /// Goes back to before the first packet.
    mutating func rewind() {
        if case .vorbis(let stream, _) = self { self = .vorbis(stream, previousBlock: nil) }
    }

    /// Whether one decoder can play the other's packets after these. Vorbis's setup headers must be equal, too.
    func canBeFollowed(by other: OggCodec) -> Bool {
        switch (self, other) {
        case (.vorbis(let first, _), .vorbis(var second, _)):
            second.takeModes(of: first)
            return first == second
        case (.opus(let first), .opus(let second)): return first.canBeFollowed(by: second)
        case (.flac(let first), .flac(let second)):
            return first.sampleRate == second.sampleRate && first.channelCount == second.channelCount
                && first.bitsPerSample == second.bitsPerSample && first.largestBlock >= second.largestBlock
        default: return false
        }
    }

    // MARK: Properties

    var format: AudioStreamFormat {
        switch self {
        case .vorbis(let stream, _): stream.format
        case .opus(let stream): stream.format
        case .flac(let stream): stream.format
        }
    }

    /// Decoded frames before the song, except for a first packet that outputs nothing.
    var preSkip: Int {
        if case .opus(let stream) = self { stream.preSkip } else { 0 }
    }

    var packetSizeUpperBound: Int {
        switch self {
        case .flac(let stream): stream.packetSizeUpperBound
        // 48 frames of 1,275 bytes per stream (RFC 7845 section 6).
        case .opus(let stream): min(Limits.packetByteCount, 61_440 * stream.streamCount)
        case .vorbis: Limits.packetByteCount
        }
    }

    /// - Parameter frameCount: frames per packet.
    func prerollPacketCount(frameCount: Int) -> Int {
        switch self {
        case .opus: (OpusStream.prerollFrameCount + frameCount - 1) / max(1, frameCount)
        // A block overlaps with the previous one.
        case .vorbis: 1
        case .flac: 0
        }
    }

    var nominalBitRate: Int? {
        if case .vorbis(let stream, _) = self { stream.nominalBitRate } else { nil }
    }
}
