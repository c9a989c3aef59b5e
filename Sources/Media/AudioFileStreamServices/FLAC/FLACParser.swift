import AudioCore

/// The parser of native FLAC files (RFC 9639). A packet is a frame, including header and footer; a frame whose CRC
/// fails is left out. The magic cookie is STREAMINFO without its block header.
struct FLACParser: ContainerParser {
    private let access: ByteAccess
    private var metadata = FLACMetadata()
    private var info = InfoCollector()
    private var group = PacketGroup()
    private var search: FLACFrameSearch?
    /// Nil until the metadata was read.
    private var seekIndex: FLACSeekIndex?
    private var facts = FLACStreamFacts()

    init(access: ByteAccess) { self.access = access }

    mutating func consume<Sink: AudioStreamSink & ~Copyable>(
        _ bytes: RawSpan, at offset: Int64, isLast: Bool, into sink: inout Sink
    ) throws(AudioStreamError) -> Progress {
        var place = 0
        while seekIndex == nil {
            if metadata.isDone {
                try begin(at: offset &+ Int64(place), into: &sink)
                continue
            }
            let step = try metadata.step(bytes.extracting(place..<bytes.byteCount), at: offset &+ Int64(place))
            giveTags(into: &sink)
            place += step.consumed
            guard step.consumed > 0 || step.needed == 0 else {
                return Progress(consumed: isLast ? bytes.byteCount : place, needed: step.needed)
            }
            if place == bytes.byteCount, !metadata.isDone { return Progress(consumed: place, needed: 1) }
        }
        return try takeFrames(bytes, at: offset, from: place, isLast: isLast, into: &sink)
    }

    func finish<Sink: AudioStreamSink & ~Copyable>(into sink: inout Sink) throws(AudioStreamError) {
        guard let seekIndex, facts.packetCount > 0 else { throw .dataUnavailable }
        for property in facts.finalProperties(seekIndex) { sink.streamDidParse(property: property) }
    }

    mutating func skipGap() throws(AudioStreamError) {
        guard seekIndex != nil else { throw .discontinuityCannotRecover }
        search = nil
        facts.skipGap()
    }

    // MARK: Metadata

    private mutating func giveTags<Sink: AudioStreamSink & ~Copyable>(into sink: inout Sink) {
        if let stream = metadata.stream, !facts.isFormatGiven {
            facts.isFormatGiven = true
            for property in [.fileFormat(.flac), .dataFormat(stream.format), .magicCookie(stream.cookie)]
                as [AudioStreamProperty]
            { sink.streamDidParse(property: property) }
        }
        info.give(metadata.takeFound(), into: &sink)
        for lyrics in metadata.takeLyrics() { sink.streamDidParse(lyrics: lyrics) }
        if let picture = metadata.takePicture(), !facts.isArtworkGiven {
            facts.isArtworkGiven = true
            sink.streamDidParse(property: .artwork(picture))
        }
    }

    private mutating func begin<Sink: AudioStreamSink & ~Copyable>(
        at offset: Int64, into sink: inout Sink
    ) throws(AudioStreamError) {
        guard let stream = metadata.stream else {
            throw .invalidFile("no STREAMINFO before the FLAC frames at byte \(offset)")
        }
        var dataByteCount: Int64?
        if case .file(let byteCount) = access { dataByteCount = max(0, byteCount - offset) }
        let seekIndex = FLACSeekIndex(
            stream: stream, seekTable: metadata.seekTable, dataOffset: offset, dataByteCount: dataByteCount)
        self.seekIndex = seekIndex
        if let layout = metadata.channelLayout { sink.streamDidParse(property: .channelLayout(layout)) }
        for property in facts.openingProperties(seekIndex) { sink.streamDidParse(property: property) }
    }

    // MARK: Frames

    private mutating func takeFrames<Sink: AudioStreamSink & ~Copyable>(
        _ bytes: RawSpan, at offset: Int64, from place: Int, isLast: Bool, into sink: inout Sink
    ) throws(AudioStreamError) -> Progress {
        guard let stream = seekIndex?.stream else { return Progress(consumed: bytes.byteCount, needed: 1) }
        var search = search.take() ?? FLACFrameSearch(stream: stream, at: offset &+ Int64(place))
        let end = offset &+ Int64(bytes.byteCount)
        let isLast = isLast || access == .file(byteCount: end)
        loop: while true {
            switch search.next(in: bytes, at: offset, isLast: isLast) {
            case .frame(let frame): take(frame, bytes, at: offset, into: &sink)
            case .oversized(let place, let byteCount):
                group.flush(window: bytes, into: &sink)
                throw .unsupportedDataFormat("a FLAC frame of \(byteCount) bytes at byte \(place)")
            case .needsMore: break loop
            }
        }
        group.flush(window: bytes, into: &sink)
        if search.takeIsCut() {
            sink.streamDidParse(property: .problem(.init(.truncated(missingByteCount: nil), at: end)))
        }
        let consumed = min(bytes.byteCount, Int(search.neededFrom - offset))
        let needed = Int(search.neededTo - offset) - consumed
        self.search = search
        return Progress(consumed: consumed, needed: needed)
    }

    private mutating func take<Sink: AudioStreamSink & ~Copyable>(
        _ frame: FLACFrameSearch.Frame, _ bytes: RawSpan, at offset: Int64, into sink: inout Sink
    ) {
        let number = facts.count(frame, blockFrameCount: seekIndex?.stream.blockFrameCount)
        if let packet = number.packet {
            seekIndex?.note(packet: packet, byteOffset: frame.start.offset, frame: number.frame)
            seekIndex?.extend(
                toFrame: number.frame + Int64(frame.start.header.blockSize),
                byte: frame.start.offset + Int64(frame.byteCount))
        }
        let properties = facts.propertiesBefore(frame)
        if !properties.isEmpty {
            group.flush(window: bytes, into: &sink)
            for property in properties { sink.streamDidParse(property: property) }
        }
        group.add(
            at: Int(frame.start.offset - offset), byteCount: frame.byteCount,
            frameCount: frame.start.header.blockSize, window: bytes, into: &sink)
    }

    // MARK: Seeking

    func locate(packet: Int64) throws(AudioStreamError) -> AudioFileStreamSeek {
        guard let seekIndex else { throw .illegalOperation }
        return try seekIndex.locate(packet: packet)
    }

    mutating func resume(at place: AudioFileStreamSeek) throws(AudioStreamError) {
        guard let seekIndex else { throw .illegalOperation }
        search = nil
        facts.resume(at: place, frame: try? seekIndex.firstFrame(ofPacket: place.packet))
    }

    func packet(
        containingFrame frame: Int64, _ summary: AudioStreamSummary
    ) throws(AudioStreamError) -> (packet: Int64, frameOffset: Int) {
        guard let seekIndex else { throw .illegalOperation }
        return try seekIndex.packet(containingFrame: frame)
    }

    func firstFrame(ofPacket packet: Int64, _ summary: AudioStreamSummary) throws(AudioStreamError) -> Int64 {
        guard let seekIndex else { throw .illegalOperation }
        return try seekIndex.firstFrame(ofPacket: packet)
    }

    func packet(
        atByteOffset offset: Int64, _ summary: AudioStreamSummary
    ) throws(AudioStreamError) -> (packet: Int64, isEstimate: Bool) {
        guard let seekIndex else { throw .illegalOperation }
        return try seekIndex.packet(atByteOffset: offset)
    }
}
