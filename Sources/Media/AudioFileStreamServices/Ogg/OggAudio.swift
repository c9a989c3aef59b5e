import AudioCore

/// The audio packets of a stream: extracts them from its pages and counts them.
struct OggAudio {
    private(set) var codec: OggCodec
    let cookie: [UInt8]
    let channelLayout: AudioChannelLayout
    private let setup: [UInt8]
    private(set) var clock = OggClock()
    private(set) var seekIndex: OggSeekIndex?
    /// Packets delivered, and their bytes, counted from the first; only valid without a gap.
    private(set) var packetCount: Int64 = 0
    private(set) var byteCount: Int64 = 0
    private(set) var hasGap = false
    /// Frame count of the first packet.
    private(set) var firstFrameCount = 0
    private var group = PacketGroup()
    private var assembledGroup = PacketGroup()
    private var assembly = OggAssembly()
    private var sequence: UInt32?
    /// Number of the next packet in the stream; unknown after an estimate.
    private var nextPacket: Int64? = 0
    private var nextFrame: Int64 = 0
    /// The packet to begin with on the next page.
    private var resumption: OggSeekIndex.Place?
    private var chain = OggChain()

    init(_ headers: OggHeaders) {
        codec = headers.codec
        cookie = headers.cookie
        channelLayout = headers.channelLayout
        setup = headers.setup
    }

    /// Delivers the packets in the window.
    mutating func flush<Sink: AudioStreamSink & ~Copyable>(_ window: RawSpan, into sink: inout Sink) {
        group.flush(window: window, into: &sink)
    }

    /// Examines the first page before its packets are taken.
    mutating func open(_ page: OggPage, _ bytes: RawSpan, at dataOffset: Int64, tail: OggTail?, access: ByteAccess) {
        let (frames, nominal) = frameCount(of: page, bytes)
        var codec = codec
        var lacing = page.lacing
        if let part = lacing.next(bytes) { firstFrameCount = codec.frameCount(bytes.extracting(part.range)) ?? 0 }
        clock.open(
            granule: page.granule, frameCount: frames, isLast: page.isLast, nominal: nominal, preSkip: codec.preSkip)
        var dataByteCount: Int64?
        if case .file(let byteCount) = access, tail?.isFollowed != true {
            dataByteCount = max(0, byteCount - dataOffset)
        }
        let total = tail?.lastGranule.map { max(0, $0 - clock.start) + Int64(nominal) }
        seekIndex = OggSeekIndex(dataOffset: dataOffset, dataByteCount: dataByteCount, totalFrameCount: total)
    }

    /// Returns the packet table as of the last page, which is next; nil if it is unknown how much precedes that.
    mutating func end(_ page: OggPage, _ bytes: RawSpan) -> AudioPacketTableInfo? {
        guard nextPacket != nil, clock.isPlaced else { return nil }
        let (frames, nominal) = frameCount(of: page, bytes)
        clock.end(granule: page.granule, frameCount: frames)
        return clock.table(adding: max(0, frames + nominal - chain.silentFrameCount))
    }

    /// Returns the frames of the packets that end on a page, and those of a first packet that outputs nothing.
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
        // If a page is missing, the packet begun before is not continued here.
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
            let place = OggSeekIndex.Place(
                byteOffset: offset &+ Int64(page.start), ordinal: ordinal,
                isPreviousBlockLong: codec.isPreviousBlockLong)
            if part.isEnd {
                give(packet, at: place, range: part.range, bytes, into: &sink)
            } else {
                assembly.begin(packet, at: place)
            }
        }
        chain.endPage()
        if !page.isLast { clock.pass(granule: page.granule) }
    }

    private mutating func giveAssembled<Sink: AudioStreamSink & ~Copyable>(
        _ window: RawSpan, into sink: inout Sink
    ) {
        guard let place = assembly.place else { return }
        assembly.drop()
        let packet = assembly.bytes
        give(packet.span.bytes, at: place, range: nil, window, into: &sink)
    }

    /// Delivers a packet that holds audible or pre-roll audio, by itself or as part of a splice.
    /// - Parameter range: the packet's range if it lies in the window.
    private mutating func give<Sink: AudioStreamSink & ~Copyable>(
        _ packet: RawSpan, at place: OggSeekIndex.Place, range: Range<Int>?, _ window: RawSpan, into sink: inout Sink
    ) {
        guard packet.byteCount > 0, let whole = codec.frameCount(packet),
            let (heard, decoded) = chain.heardFrameCount(of: whole)
        else { return }
        if chain.splice != nil {
            guard let (splice, place) = chain.join(packet, frameCount: decoded) else { return }
            count(heard, byteCount: splice.count, at: place)
            deliverOutsideWindow(splice.span.bytes, frameCount: heard, window, into: &sink)
            return
        }
        count(heard, byteCount: packet.byteCount, at: place)
        if let range {
            group.add(
                at: range.lowerBound, byteCount: packet.byteCount, frameCount: heard, window: window, into: &sink)
        } else {
            deliverOutsideWindow(packet, frameCount: heard, window, into: &sink)
        }
    }

    /// Delivers a packet that does not lie in the window.
    private mutating func deliverOutsideWindow<Sink: AudioStreamSink & ~Copyable>(
        _ packet: RawSpan, frameCount: Int, _ window: RawSpan, into sink: inout Sink
    ) {
        group.flush(window: window, into: &sink)
        assembledGroup.add(
            at: 0, byteCount: packet.byteCount, frameCount: frameCount, window: packet, into: &sink)
        assembledGroup.flush(window: packet, into: &sink)
    }

    private mutating func count(_ frames: Int, byteCount packetByteCount: Int, at place: OggSeekIndex.Place) {
        if let number = nextPacket {
            seekIndex?.note(packet: number, place: place, frame: nextFrame, frameCount: frames)
            nextPacket = number + 1
            nextFrame += Int64(frames)
        }
        packetCount += 1
        byteCount += Int64(packetByteCount)
        clock.count(frames)
    }

    // MARK: Chains and gaps

    func canBeFollowed(by headers: OggHeaders) -> Bool {
        codec.canBeFollowed(by: headers.codec) && setup == headers.setup
    }

    /// - Parameter byteOffset: of the first page of the link.
    mutating func beginLink<Sink: AudioStreamSink & ~Copyable>(
        _ headers: OggHeaders, at byteOffset: Int64, _ window: RawSpan, into sink: inout Sink
    ) {
        flush(window, into: &sink)
        assembly.drop()
        sequence = nil
        resumption = nil
        codec.rewind()
        let place = OggSeekIndex.Place(byteOffset: byteOffset, ordinal: 0, isPreviousBlockLong: false)
        chain.begin(preSkip: headers.codec.preSkip, at: place)
    }

    /// Examines a page before it is taken: it may be the first page with audio of a link.
    mutating func openLink(_ page: OggPage, _ bytes: RawSpan) {
        guard page.segmentCount > 0, let (preSkip, place) = chain.opening.take() else { return }
        let (frames, nominal) = frameCount(of: page, bytes)
        let silent = clock.openLink(
            granule: page.granule, frameCount: frames, isLast: page.isLast, nominal: nominal, preSkip: preSkip)
        chain.open(droppedFrameCount: silent, at: place, byteCountLimit: codec.packetSizeUpperBound)
    }

    /// Examines the last page of a link, which is next; another link follows it.
    /// - Parameter byteOffset: of the page.
    mutating func endLink(_ page: OggPage, _ bytes: RawSpan, at byteOffset: Int64) {
        let (frames, nominal) = frameCount(of: page, bytes)
        let excess = clock.excess(granule: page.granule, frameCount: frames)
        chain.end(
            frameCount: max(0, frames + nominal - chain.silentFrameCount - excess), at: byteOffset,
            frame: nextPacket == nil ? nil : nextFrame)
    }

    mutating func skipGap() {
        hasGap = true
        nextPacket = nil
        chain.skipGap()
        assembly.drop()
        sequence = nil
    }

    /// - Parameter seek: a result of ``OggSeekIndex/locate(packet:)``.
    mutating func resume(at seek: AudioFileStreamSeek) {
        skipGap()
        guard !seek.isEstimate, let seekIndex else { return }
        let (place, frame) = seekIndex.place(ofPacket: seek.packet)
        nextPacket = seek.packet
        nextFrame = frame
        resumption = place
        clock.land(at: frame)
        guard seek.packet == 0 else { return }
        // A seek to the beginning.
        hasGap = false
        (packetCount, byteCount) = (0, 0)
        codec.rewind()
        clock.rewind()
    }
}
