import AudioCore

/// What is known of the track that is played, and which of it is reported when.
struct MovieStream {
    private(set) var isReady = false
    /// Packets are missing, or were delivered twice: counts no longer describe the file.
    private(set) var hasGap = false
    /// No byte has come since a seek.
    var isFreshlyPlaced = false
    /// Bytes of all packets delivered since the start or a seek.
    private(set) var byteCount: Int64 = 0
    /// Packets delivered.
    private(set) var packetCount: Int64 = 0
    /// Number of the next packet, and its first frame.
    private(set) var nextPacket: Int64 = 0
    private(set) var nextFrame: Int64 = 0
    /// To be reported before the packet counted last: there is more than was announced.
    var overrun: AudioStreamProperty?

    private(set) var isFragmented = false
    private(set) var fragmentDuration: Int64 = 0
    private(set) var table: SampleTable?
    private(set) var entry: SampleEntry?
    private(set) var lengths: MovieLengths?
    private(set) var editsOffset: Int64 = 0
    /// Start of the next packet in the media's timescale.
    private var mediaTime: Int64 = 0
    private(set) var counter = PacketFrameCounter()
    var announced = Announcement()

    struct Announcement: Equatable {
        var packetCount: Int64?
        var byteCount: Int64?
        var bitRate: Int?
        var table: AudioPacketTableInfo?
        /// The first packet that begins here or later exceeds what was announced.
        var end = Int64.max
    }

    mutating func begin(_ movie: Movie, _ track: MovieTrack, _ entry: SampleEntry, _ tag: ITunesGaplessTag?) {
        isFragmented = movie.isFragmented
        fragmentDuration = movie.fragmentDuration
        table = track.table.isEmpty ? nil : track.table
        self.entry = entry
        editsOffset = track.editsOffset
        lengths = MovieLengths(
            sampleRate: entry.format.sampleRate, mediaTimescale: track.timescale, movieTimescale: movie.timescale,
            edits: track.edits, tag: tag, defaultPriming: entry.primingFrameCount)
    }

    /// As the edits say.
    var primingFrameCount: Int64 { lengths?.priming ?? 0 }

    // MARK: Opening

    /// The first packet is there: what is known, in the order in which it is told.
    mutating func open(firstPacket: RawSpan, _ place: SamplePlace) -> [AudioStreamProperty] {
        guard var entry, var lengths else { return [] }
        entry.look(atFirst: firstPacket, smallestPacketByteCount: table?.constantSize ?? 0)
        lengths.sampleRate = entry.format.sampleRate
        counter = PacketFrameCounter(entry, lengths)
        let totals = table?.totals(blocks: entry.blocks)
        if let table, !isFragmented { entry.setPacketLength(table, totals ?? .init(), lengths) }
        self.entry = entry
        self.lengths = lengths
        isReady = true
        if !isFragmented, let table, let totals {
            announceAll(totals, frameCounts(table, totals, entry, lengths))
        } else {
            let described = lengths.frames(
                table?.duration(ofFirst: totals?.packetCount ?? 0) ?? 0, per: lengths.mediaTimescale)
            self.lengths?.ignoresEditEnd = !lengths.editEnds(after: described)
            announceOpen()
        }
        return properties(entry, dataOffset: place.offset, totals)
    }

    /// Nil if every sample is a packet, or if fragments contain them.
    var bundledTable: BundledTable? {
        guard let table, let entry, let bundle = entry.bundle, let lengths else { return nil }
        return BundledTable(
            table: table, timescale: lengths.mediaTimescale, sampleRate: lengths.sampleRate,
            frameCount: bundle.frameCount)
    }

    // MARK: Counting

    /// Counts a packet; returns how many frames it yields.
    @inline(__always)
    mutating func count(_ packet: SamplePlace, _ bytes: RawSpan, at place: Int) -> Int {
        let frameCount = counter.frameCount(packet, bytes, at: place, mediaTime: mediaTime)
        countPacket(frameCount: frameCount)
        countSample(packet)
        return frameCount
    }

    /// Counts one packet of a sample, before the sample itself is counted.
    @inline(__always)
    mutating func countPacket(frameCount: Int) {
        if nextFrame >= announced.end { tellOverrun() }
        packetCount += 1
        nextPacket += 1
        nextFrame &+= Int64(frameCount)
    }

    @inline(__always)
    mutating func countSample(_ sample: SamplePlace) {
        mediaTime &+= sample.duration
        byteCount &+= sample.byteCount
    }

    private mutating func tellOverrun() {
        announced.end = .max
        guard !hasGap, let priming = announced.table?.primingFrameCount else { return }
        let table = AudioPacketTableInfo(validFrameCount: nil, primingFrameCount: priming, remainderFrameCount: 0)
        announced.table = table
        overrun = .packetTableInfo(table)
    }

    /// Makes this the next packet; counts no longer add up to the file.
    /// - Parameter sample: the sample that the packet begins.
    mutating func goTo(packet: Int64, sample: Int64, frame: Int64) {
        hasGap = true
        isFreshlyPlaced = true
        nextPacket = packet
        nextFrame = frame
        byteCount = 0
        mediaTime = table?.duration(ofFirst: sample) ?? 0
    }

    /// Returns the properties that are certain at the end of the file.
    func finalProperties() -> [AudioStreamProperty] {
        guard !hasGap, isReady, let lengths, let entry else { return [] }
        let media = entry.blocks == nil ? lengths.frames(mediaTime, per: lengths.mediaTimescale) : nextFrame
        let table = lengths.table(mediaFrameCount: media > 0 ? media : nextFrame, decoded: nextFrame)
        var properties: [AudioStreamProperty] = []
        if announced.byteCount != byteCount { properties.append(.audioDataByteCount(byteCount)) }
        if announced.packetCount != packetCount { properties.append(.audioDataPacketCount(packetCount)) }
        if announced.table != table { properties.append(.packetTableInfo(table)) }
        if announced.bitRate == nil || announced.byteCount != byteCount,
            let bitRate = average(byteCount, frameCount: nextFrame)
        {
            properties.append(.bitRate(bitRate))
        }
        return properties
    }
}
