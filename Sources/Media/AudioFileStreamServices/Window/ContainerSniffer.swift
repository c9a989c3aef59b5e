import AudioCore

/// Detects a file's container from its first bytes.
///
/// MPEG audio, ADTS and AC-3 have no signature: an elementary stream is the fallback if no other container matches.
enum ContainerSniffer {
    enum Verdict {
        case needsMore(Int)
        case container(any ContainerParser)
    }

    /// Length of the longest signature.
    private static let signatureByteCount = 12

    static func sniff(
        _ bytes: RawSpan, isLast: Bool, hint: AudioFileType?, access: ByteAccess
    ) throws(AudioStreamError) -> Verdict {
        guard isLast || bytes.byteCount >= signatureByteCount else { return .needsMore(signatureByteCount) }
        guard bytes.byteCount > 0 else { throw .dataUnavailable }
        if let (type, found) = chunked(bytes, access) {
            // The names and media types of AIFF and AIFF-C are often confused.
            let isHinted = hint == type || (hint == .aiff && type == .aifc) || (hint == .aifc && type == .aiff)
            guard hint == nil || isHinted else { throw .unsupportedFileType }
            return .container(found)
        }
        if MPEG4Parser.isSignature(bytes) {
            guard hint == nil || hint == .mpeg4 else { throw .unsupportedFileType }
            return .container(MPEG4Parser(access: access))
        }
        if let magic = try AMRMagic.open(bytes) {
            guard hint == nil || hint == .amr else { throw .unsupportedFileType }
            return .container(
                ElementaryStreamParser(
                    amrIsWideband: magic.isWideband, magicByteCount: magic.byteCount, access: access))
        }
        if bytes.has("fLaC", at: 0) {
            guard hint == nil || hint == .flac else { throw .unsupportedFileType }
            return .container(FLACParser(access: access))
        }
        if bytes.has("OggS", at: 0) {
            guard hint == nil || hint == .ogg else { throw .unsupportedFileType }
            return .container(OggParser(access: access))
        }
        let isForeign = foreignSignatures.contains { bytes.has($0.text, at: $0.offset) }
        guard !isForeign else { throw .unsupportedFileType }
        if bytes.has("ID3", at: 0), hint == .flac || FrameKinds(hint: hint) != nil {
            return .container(ID3Front(typeHint: hint, access: access))
        }
        guard let kinds = FrameKinds(hint: hint) else { throw .unsupportedFileType }
        return .container(ElementaryStreamParser(kinds: kinds, access: access))
    }

    /// Containers that are made of chunks.
    private static func chunked(_ bytes: RawSpan, _ access: ByteAccess) -> (AudioFileType, any ContainerParser)? {
        if bytes.has("WAVE", at: 8), WAVEDialect.signatures.contains(where: { bytes.has($0, at: 0) }) {
            return (.wave, ChunkParser(WAVEDialect(), access: access))
        }
        if bytes.has("FORM", at: 0), bytes.has("AIFF", at: 8) || bytes.has("AIFC", at: 8) {
            return (bytes.has("AIFF", at: 8) ? .aiff : .aifc, ChunkParser(AIFFDialect(), access: access))
        }
        if bytes.has("caff", at: 0) { return (.caf, ChunkParser(CAFDialect(), access: access)) }
        if NextSunDialect.signatures.contains(where: { bytes.has($0, at: 0) }) {
            return (.nextSun, ChunkParser(NextSunDialect(), access: access))
        }
        return nil
    }

    /// Containers that must not be searched for MPEG frames, which they seem to hold by chance.
    private static let foreignSignatures: [(text: StaticString, offset: Int)] = [
        ("FORM", 0), ("RIFF", 0), ("RF64", 0),
        ("RIFX", 0), ("BW64", 0), ("wvpk", 0), ("MAC ", 0), ("\u{1A}\u{45}", 0), ("PK\u{3}\u{4}", 0), ("%PDF", 0),
    ]
}
