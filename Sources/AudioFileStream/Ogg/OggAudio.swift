import AudioCore

/// The audio packets of a stream: takes them from its pages, and keeps count.
struct OggAudio {
    private(set) var codec: OggCodec
    let cookie: [UInt8]
    let channelLayout: AudioChannelLayout
    private let setup: [UInt8]
    private(set) var clock = OggClock()
    private(set) var places: OggPlaces?
    /// Packets given since the first, and their bytes, if none is missing.
    private(set) var packetCount: Int64 = 0
    private(set) var byteCount: Int64 = 0
    private(set) var hasGap = false
    /// Frames of the first packet.
    private(set) var firstFrameCount = 0
    private var group = PacketGroup()
    private var assembledGroup = PacketGroup()
    private var assembly = OggAssembly()
    private var sequence: UInt32?
    /// Where the next packet stands in the stream; unknown behind an estimate.
    private var nextPacket: Int64? = 0
    private var nextFrame: Int64 = 0
    /// On the next page, the packet to begin with.
    private var resumption: OggPlaces.Place?

    init(_ headers: OggHeaders) {
        codec = headers.codec
        cookie = headers.cookie
        channelLayout = headers.channelLayout
        setup = headers.setup
    }

    /// Hands over what the window holds.
    mutating func flush<Sink: AudioStreamSink & ~Copyable>(_ window: RawSpan, into sink: inout Sink) {
        group.flush(window: window, into: &sink)
    }

    /// Looks at the first page before its packets are taken.
    mutating func open(_ page: OggPage, _ bytes: RawSpan, at dataOffset: Int64, tail: OggTail?, access: ByteAccess) {
        let (frames, nominal) = frameCount(of: page, bytes)
        var codec = codec
        var lacing = page.lacing
        if let part = lacing.next(bytes) { firstFrameCount = codec.frameCount(bytes.extracting(part.range)) ?? 0 }
        clock.open(
            granule: page.granule, frameCount: frames, isLast: page.isLast, nominal: nominal, preSkip: codec.preSkip)
        var dataByteCount: Int64?
        if case .file(let byteCount) = access { dataByteCount = max(0, byteCount - dataOffset) }
        let total = tail?.lastGranule.map { max(0, $0 - clock.start) + Int64(nominal) }
        places = OggPlaces(dataOffset: dataOffset, dataByteCount: dataByteCount, totalFrameCount: total)
    }

    /// The last page is next: what the table is then.
    mutating func end(_ page: OggPage, _ bytes: RawSpan) -> AudioPacketTableInfo? {
        guard !hasGap else { return nil }
        let (frames, nominal) = frameCount(of: page, bytes)
        clock.end(granule: page.granule, frameCount: frames)
        return clock.table(adding: frames + nominal)
    }

    /// Frames of the packets that end on a page; what a first packet counts without giving it apart.
    private func frameCount(of page: OggPage, _ bytes: RawSpan) -> (frames: Int, nominal: Int) {
        var codec = codec
        var (frames, nominal) = (0, 0)
        var lacing = page.lacing
        while let part = lacing.next(bytes) {
            guard part.isEnd, !part.isContinuation || assembly.isOpen else { continue }
            let isFirst = codec.isBeforeFirst
            let count: Int?
            if part.isContinuation {
                count = codec.frameCount(assembly.bytes.span.bytes)
            } else {
                count = part.range.isEmpty ? nil : codec.frameCount(bytes.extracting(part.range))
            }
            if isFirst { nominal += count ?? 0 } else { frames += count ?? 0 }
        }
        return (frames, nominal)
    }

    // MARK: Packets

    mutating func take<Sink: AudioStreamSink & ~Copyable>(
        _ page: OggPage, _ bytes: RawSpan, at offset: Int64, into sink: inout Sink
    ) throws(AudioStreamError) {
        // What was begun does not go on here if a page is missing.
        if let sequence, page.sequence != sequence &+ 1 { assembly.drop() }
        sequence = page.sequence
        let start = resumption.take()
        var ordinal = 0
        var lacing = page.lacing
        while let part = lacing.next(bytes) {
            let packet = bytes.extracting(part.range)
            if part.isContinuation {
                try assembly.append(packet)
                if part.isEnd { giveAssembled(bytes, into: &sink) }
                continue
            }
            assembly.drop()
            defer { ordinal += 1 }
            if let start, ordinal < start.ordinal {
                _ = codec.frameCount(packet)
                continue
            }
            if let start, start.ordinal == 0, ordinal == 0, nextPacket != 0 {
                codec.isPreviousBlockLong = start.isPreviousBlockLong
            }
            let place = OggPlaces.Place(
                byteOffset: offset &+ Int64(page.start), ordinal: ordinal,
                isPreviousBlockLong: codec.isPreviousBlockLong)
            if part.isEnd {
                guard let frames = count(packet, at: place) else { continue }
                group.add(
                    at: part.range.lowerBound, byteCount: packet.byteCount, frameCount: frames, window: bytes,
                    into: &sink)
            } else {
                assembly.begin(packet, at: place)
            }
        }
        if !page.isLast { clock.pass(granule: page.granule) }
    }

    private mutating func giveAssembled<Sink: AudioStreamSink & ~Copyable>(
        _ window: RawSpan, into sink: inout Sink
    ) {
        guard let place = assembly.place else { return }
        assembly.drop()
        let packet = assembly.bytes
        guard let frames = count(packet.span.bytes, at: place) else { return }
        group.flush(window: window, into: &sink)
        assembledGroup.add(
            at: 0, byteCount: packet.count, frameCount: frames, window: packet.span.bytes, into: &sink)
        assembledGroup.flush(window: packet.span.bytes, into: &sink)
    }

    /// Counts a packet; nil for one that holds no audio.
    private mutating func count(_ packet: RawSpan, at place: OggPlaces.Place) -> Int? {
        guard packet.byteCount > 0, let frames = codec.frameCount(packet) else { return nil }
        if let number = nextPacket {
            places?.note(packet: number, place: place, frame: nextFrame, frameCount: frames)
            nextPacket = number + 1
            nextFrame += Int64(frames)
        }
        packetCount += 1
        byteCount += Int64(packet.byteCount)
        clock.count(frames)
        return frames
    }

    // MARK: Chains and gaps

    func canBeFollowed(by headers: OggHeaders) -> Bool {
        codec.canBeFollowed(by: headers.codec) && setup == headers.setup
    }

    mutating func beginLink<Sink: AudioStreamSink & ~Copyable>(_ window: RawSpan, into sink: inout Sink) {
        flush(window, into: &sink)
        assembly.drop()
        sequence = nil
        clock.beginLink()
    }

    mutating func skipGap() {
        hasGap = true
        nextPacket = nil
        assembly.drop()
        sequence = nil
    }

    /// - Parameter seek: as ``OggPlaces/locate(packet:)`` gave it.
    mutating func resume(at seek: AudioFileStreamSeek) {
        skipGap()
        guard !seek.isEstimate, let places else { return }
        let (place, frame) = places.place(ofPacket: seek.packet)
        nextPacket = seek.packet
        nextFrame = frame
        resumption = place
        guard seek.packet == 0 else { return }
        // From the beginning once more.
        hasGap = false
        (packetCount, byteCount) = (0, 0)
        codec.rewind()
        clock.rewind()
    }
}
