import AudioCore

extension MPEG4Parser {
    func locate(packet: Int64) throws(AudioStreamError) -> AudioFileStreamSeek { try seekIndex.locate(packet: packet) }

    func packet(
        containingFrame frame: Int64, _ summary: AudioStreamSummary
    ) throws(AudioStreamError) -> (packet: Int64, frameOffset: Int) {
        try seekIndex.packet(containingFrame: frame, summary)
    }

    func firstFrame(ofPacket packet: Int64, _ summary: AudioStreamSummary) throws(AudioStreamError) -> Int64 {
        try seekIndex.firstFrame(ofPacket: packet, summary)
    }

    func packet(
        atByteOffset offset: Int64, _ summary: AudioStreamSummary
    ) throws(AudioStreamError) -> (packet: Int64, isEstimate: Bool) {
        try seekIndex.packet(atByteOffset: offset)
    }
}

extension MPEG4Parser {
    /// Whether the bytes begin such a file: `ftyp`, or in old QuickTime files one of the boxes that may come first.
    ///
    /// The first eight bytes decide, since there may be no more yet; a 64-bit size is validated later.
    static func isSignature(_ bytes: RawSpan) -> Bool {
        guard bytes.byteCount >= BoxHeader.smallestByteCount,
            !(2..<UInt32(BoxHeader.smallestByteCount)).contains(bytes.bigEndian32(at: 0))
        else { return false }
        switch BoxType(rawValue: bytes.bigEndian32(at: 4)) {
        case BoxType("ftyp"), .moov, .mdat, BoxType("wide"), BoxType("skip"), BoxType("free"), BoxType("pnot"):
            return true
        default: return false
        }
    }
}
