import AudioCore

/// A header of an elementary stream whose frames give their own size.
enum FrameHeader: Equatable {
    case mpeg(MPEGFrameHeader)
    case adts(ADTSHeader)
    case ac3(AC3Header)
    case amr(AMRHeader)

    /// Reads the header at `offset`, if it is of one of `kinds`.
    static func read(_ bytes: RawSpan, at offset: Int, _ kinds: FrameKinds) -> FrameHeader? {
        guard offset < bytes.byteCount else { return nil }
        switch bytes[offset] {
        case 0xFF:
            if let header = MPEGFrameHeader(bytes, at: offset) {
                return kinds.contains(FrameKinds(layer: header.layer)) ? .mpeg(header) : nil
            }
            guard kinds.contains(.adts) else { return nil }
            return ADTSHeader(bytes, at: offset).map { .adts($0) }
        case AC3Header.syncByte, AC3Header.swappedSyncByte:
            guard kinds.contains(.ac3) else { return nil }
            return AC3Header(bytes, at: offset).map { .ac3($0) }
        default: return nil
        }
    }

    /// Reads the header at `offset`, if it can belong to the same stream and has the same number of channels.
    @inline(__always)
    func successor(_ bytes: RawSpan, at offset: Int) -> FrameHeader? {
        switch self {
        case .mpeg(let header):
            guard let next = MPEGFrameHeader(bytes, at: offset), next.isCompatible(with: header),
                next.isMono == header.isMono
            else { return nil }
            return .mpeg(next)
        case .adts(let header):
            guard let next = ADTSHeader(bytes, at: offset), next.isCompatible(with: header) else { return nil }
            return .adts(next)
        case .ac3(let header):
            guard let next = AC3Header(bytes, at: offset), next.isCompatible(with: header) else { return nil }
            return .ac3(next)
        case .amr(let header):
            return AMRHeader(bytes, at: offset, isWideband: header.isWideband).map { .amr($0) }
        }
    }

    /// Reads a successor that may also switch an MPEG stream between mono and stereo.
    func successorOfAnyChannels(_ bytes: RawSpan, at offset: Int) -> FrameHeader? {
        guard case .mpeg(let header) = self else { return successor(bytes, at: offset) }
        guard let next = MPEGFrameHeader(bytes, at: offset), next.isCompatible(with: header) else { return nil }
        return .mpeg(next)
    }

    /// Whether one is mono and the other stereo.
    func changesChannels(from other: FrameHeader) -> Bool {
        guard case (.mpeg(let header), .mpeg(let other)) = (self, other) else { return false }
        return header.isMono != other.isMono
    }

    /// Bytes that ``successor(_:at:)`` needs.
    var headerByteCount: Int {
        switch self {
        case .mpeg: MPEGFrameHeader.byteCount
        case .adts: ADTSHeader.byteCount
        case .ac3: AC3Header.byteCount
        case .amr: 1
        }
    }

    /// Returns the size of the frame, including its header; unknown from the header alone for a free-format frame.
    /// - Parameter freeFormatByteCount: the unpadded size in a free-format stream; unused for others.
    func byteCount(freeFormatByteCount: Int) -> Int {
        switch self {
        case .mpeg(let header): header.packetByteCount(freeFormatByteCount: freeFormatByteCount)
        case .adts(let header): header.frameByteCount
        case .ac3(let header): header.frameByteCount
        case .amr(let header): header.frameByteCount
        }
    }

    /// Frames (samples per channel) of one packet.
    var framesPerPacket: Int {
        switch self {
        case .mpeg(let header): header.frameCount
        case .adts: ADTSHeader.framesPerBlock
        case .ac3: AC3Header.frameCount
        case .amr(let header): header.frameCount
        }
    }

    /// More than one only in ADTS.
    var packetsPerFrame: Int { if case .adts(let header) = self { header.blockCount } else { 1 } }

    /// Whether the frame can be split into packets; the caller has checked that all of it is present.
    func isDivisible(_ bytes: RawSpan, at offset: Int) -> Bool {
        if case .adts(let header) = self { header.hasValidTable(bytes, frameAt: offset) } else { true }
    }

    /// Whether the header gives the bit rate.
    var givesBitRate: Bool {
        switch self {
        case .mpeg, .ac3: true
        case .adts, .amr: false
        }
    }

    /// Headers that must follow the first one, at the right distances, before it is believed.
    var opensWithFollowers: Int { lacksSyncWord ? 6 : 2 }

    /// The same, once the stream's format is known.
    var resumesWithFollowers: Int { lacksSyncWord ? 6 : 1 }

    /// AMR has no sync word: one byte in twelve could be a header.
    private var lacksSyncWord: Bool { if case .amr = self { true } else { false } }
}

/// Kinds of frames to search for.
struct FrameKinds: OptionSet {
    var rawValue: Int

    static let layer1 = FrameKinds(rawValue: 1)
    static let layer2 = FrameKinds(rawValue: 2)
    static let layer3 = FrameKinds(rawValue: 4)
    static let adts = FrameKinds(rawValue: 8)
    static let ac3 = FrameKinds(rawValue: 16)
    static let all: FrameKinds = [layer1, layer2, layer3, adts, ac3]

    init(rawValue: Int) { self.rawValue = rawValue }

    /// - Parameter layer: 1 to 3.
    init(layer: Int) { rawValue = 1 << (layer - 1) }

    /// Returns nil for a container that is not an elementary stream with sync words.
    init?(hint: AudioFileType?) {
        switch hint {
        case nil: self = .all
        case .mpegLayer1: self = .layer1
        case .mpegLayer2: self = .layer2
        case .mpegLayer3: self = .layer3
        case .adts: self = .adts
        case .ac3: self = .ac3
        default: return nil
        }
    }
}
