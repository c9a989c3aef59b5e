import AudioCore

/// Reads ID3v2 tags in front of a container that has no place for them (some taggers prepend them to FLAC), then
/// detects the container.
struct ID3Front: ContainerParser {
    private let typeHint: AudioFileType?
    private let access: ByteAccess
    private var info = InfoCollector()
    private var reader: ID3v2Reader?
    /// Nil until the container is detected.
    private var parser: (any ContainerParser)?

    /// - Parameter typeHint: a container that may have tags in front.
    init(typeHint: AudioFileType?, access: ByteAccess) {
        self.typeHint = typeHint
        self.access = access
    }

    mutating func consume<Sink: AudioStreamSink & ~Copyable>(
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
        let rest = bytes.extracting(place..<bytes.byteCount)
        let progress = try parser?.consume(rest, at: offset &+ Int64(place), isLast: isLast, into: &sink)
        return Progress(
            consumed: place + (progress?.consumed ?? 0), needed: progress?.needed ?? 1, jump: progress?.jump)
    }

    private func parser(for bytes: RawSpan, at place: Int) throws(AudioStreamError) -> any ContainerParser {
        if bytes.has("fLaC", at: place), typeHint == nil || typeHint == .flac { return FLACParser(access: access) }
        guard let kinds = FrameKinds(hint: typeHint) else { throw .unsupportedFileType }
        return ElementaryStreamParser(kinds: kinds, info: info, access: access)
    }

    private func found() throws(AudioStreamError) -> any ContainerParser {
        guard let parser else { throw .dataUnavailable }
        return parser
    }

    mutating func finish<Sink: AudioStreamSink & ~Copyable>(into sink: inout Sink) throws(AudioStreamError) {
        guard parser != nil else { throw .dataUnavailable }
        try parser?.finish(into: &sink)
    }

    mutating func skipGap() throws(AudioStreamError) {
        guard parser != nil else { throw .discontinuityCannotRecover }
        try parser?.skipGap()
    }

    func locate(packet: Int64) throws(AudioStreamError) -> AudioFileStreamSeek { try found().locate(packet: packet) }

    mutating func resume(at place: AudioFileStreamSeek) throws(AudioStreamError) {
        guard parser != nil else { throw .dataUnavailable }
        try parser?.resume(at: place)
    }

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
