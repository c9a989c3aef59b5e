import AudioCore

/// ID3v2 tags in front of a file that may not expect them (FLAC, by some taggers' habit): reads them, then sees what
/// stands behind.
final class ID3Front: ContainerParser {
    private let typeHint: AudioFileType?
    private let access: ByteAccess
    private var info = InfoCollector()
    private var reader: ID3v2Reader?
    /// Set when it is known.
    private var parser: (any ContainerParser)?

    /// - Parameter typeHint: of a container that may have tags in front.
    init(typeHint: AudioFileType?, access: ByteAccess) {
        self.typeHint = typeHint
        self.access = access
    }

    func consume<Sink: AudioStreamSink & ~Copyable>(
        _ bytes: RawSpan, at offset: Int64, isLast: Bool, into sink: inout Sink
    ) throws(AudioStreamError) -> Progress {
        var place = 0
        while parser == nil {
            if var reader = reader.take() {
                place += reader.consume(bytes, from: place)
                info.give(reader.found, into: &sink)
                if !reader.isDone {
                    self.reader = reader
                    return Progress(consumed: place, needed: 1)
                }
            }
            guard isLast || bytes.byteCount - place >= ID3v2Reader.headerByteCount else {
                return Progress(consumed: place, needed: ID3v2Reader.headerByteCount)
            }
            if bytes.byteCount - place >= ID3v2Reader.headerByteCount { reader = ID3v2Reader(bytes, at: place) }
            if reader == nil { parser = try parser(for: bytes, at: place) }
        }
        guard let parser else { return Progress(consumed: place, needed: 1) }
        let rest = bytes.extracting(place..<bytes.byteCount)
        var progress = try parser.consume(rest, at: offset &+ Int64(place), isLast: isLast, into: &sink)
        progress.consumed += place
        return progress
    }

    private func parser(for bytes: RawSpan, at place: Int) throws(AudioStreamError) -> any ContainerParser {
        if bytes.has("fLaC", at: place), typeHint == nil || typeHint == .flac { return FLACParser(access: access) }
        guard let kinds = FrameKinds(hint: typeHint) else { throw .unsupportedFileType }
        return FrameRowParser(kinds: kinds, info: info, access: access)
    }

    private func found() throws(AudioStreamError) -> any ContainerParser {
        guard let parser else { throw .dataUnavailable }
        return parser
    }

    func finish<Sink: AudioStreamSink & ~Copyable>(into sink: inout Sink) throws(AudioStreamError) {
        try found().finish(into: &sink)
    }

    func skipGap() throws(AudioStreamError) {
        guard let parser else { throw .discontinuityCannotRecover }
        try parser.skipGap()
    }

    func locate(packet: Int64) throws(AudioStreamError) -> AudioFileStreamSeek { try found().locate(packet: packet) }

    func resume(at place: AudioFileStreamSeek) throws(AudioStreamError) { try found().resume(at: place) }

    func packet(
        containingFrame frame: Int64, _ summary: AudioStreamSummary
    ) throws(AudioStreamError) -> (packet: Int64, frameOffset: Int) {
        try found().packet(containingFrame: frame, summary)
    }

    func firstFrame(ofPacket packet: Int64, _ summary: AudioStreamSummary) throws(AudioStreamError) -> Int64 {
        try found().firstFrame(ofPacket: packet, summary)
    }

    func packet(
        atByteOffset offset: Int64, _ summary: AudioStreamSummary
    ) throws(AudioStreamError) -> (packet: Int64, isEstimate: Bool) {
        try found().packet(atByteOffset: offset, summary)
    }
}
