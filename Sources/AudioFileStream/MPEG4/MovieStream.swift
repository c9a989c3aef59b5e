import AudioCore

/// What is known of the track that is played, and what of it is to be told when.
struct MovieStream {
    private(set) var isReady = false
    /// Packets are missing, or were given twice: counts say nothing about the file any more.
    private(set) var hasGap = false
    /// No byte has come since a seek.
    var isFreshlyPlaced = false
    /// Bytes of all packets given since the start or a seek.
    private(set) var byteCount: Int64 = 0
    /// Packets given.
    private(set) var packetCount: Int64 = 0
    /// Of the packet that comes next, and the first frame of it.
    private(set) var nextPacket: Int64 = 0
    private(set) var nextFrame: Int64 = 0
    /// What must be told before the packet that was counted last: there is more than was announced.
    var overrun: AudioStreamProperty?

    private var isFragmented = false
    private var fragmentDuration: Int64 = 0
    private var table: SampleTable?
    private var entry: SampleEntry?
    private var lengths: MovieLengths?
    private var editsOffset: Int64 = 0
    /// In the media's timescale, of the packet that comes next.
    private var mediaTime: Int64 = 0
    private var counter = PacketFrameCounter()
    private var announced = Announcement()

    private struct Announcement: Equatable {
        var packetCount: Int64?
        var byteCount: Int64?
        var bitRate: Int?
        var table: AudioPacketTableInfo?
        /// The first packet that begins here or later is more than was announced.
        var end = Int64.max
    }

    private static let unfollowedEdits = "MPEG-4 edits inside the song, which are not followed,"

    /// Averages out of announced counts that are believed.
    private static let plausibleBitRates = 1...100_000_000

    mutating func begin(_ movie: Movie, _ track: MovieTrack, _ entry: SampleEntry, _ tag: ITunesGaplessTag?) {
        isFragmented = movie.isFragmented
        fragmentDuration = movie.fragmentDuration
        table = track.table.isEmpty ? nil : track.table
        self.entry = entry
        editsOffset = track.editsOffset
        lengths = MovieLengths(
            sampleRate: entry.format.sampleRate, mediaTimescale: track.timescale, movieTimescale: movie.timescale,
            edits: track.edits, tag: tag, defaultPriming: entry.primingFrameCount, isFragmented: movie.isFragmented)
    }

    /// As the edits say.
    var primingFrameCount: Int64 { lengths?.priming ?? 0 }

    // MARK: Opening

    /// The first packet is there: what is known, in the order in which it is told.
    mutating func open(firstPacket: RawSpan, _ place: SamplePlace) throws(AudioStreamError) -> [AudioStreamProperty] {
        guard var entry, var lengths else { return [] }
        entry.look(atFirst: firstPacket, smallestPacketByteCount: table?.constantSize ?? 0)
        lengths.sampleRate = entry.format.sampleRate
        counter = PacketFrameCounter(entry, lengths)
        let totals = table?.totals(blocks: entry.blocks)
        if let table, !isFragmented { entry.setPacketLength(table, totals ?? .init(), lengths) }
        self.entry = entry
        self.lengths = lengths
        isReady = true
        if !isFragmented, let table, let totals { announceAll(table, totals, entry, lengths) } else { announceOpen() }
        return properties(entry, dataOffset: place.offset, totals)
    }

    private mutating func announceAll(
        _ table: SampleTable, _ totals: SampleTable.Totals, _ entry: SampleEntry, _ lengths: MovieLengths
    ) {
        let media = entry.blocks == nil ? mediaFrameCount(table, totals, lengths) : totals.frameCount
        let packetCount = bundledTable?.packetCount(ofFirst: totals.packetCount) ?? totals.packetCount
        let decoded =
            entry.blocks == nil
            ? decodedFrameCount(table, totals, packetCount, media, lengths) : totals.frameCount
        let info = lengths.table(mediaFrameCount: media, decoded: decoded)
        announced = Announcement(packetCount: packetCount, byteCount: totals.byteCount, table: info)
        let frames = info.primingFrameCount + Int(info.validFrameCount ?? 0)
        let bitRate = average(totals.byteCount, frameCount: Int64(frames))
        announced.bitRate = bitRate ?? (entry.averageBitRate > 0 ? entry.averageBitRate : nil)
    }

    private mutating func announceOpen() {
        guard let lengths, let entry else { return }
        let info = lengths.openTable(fragmentDuration: fragmentDuration)
        announced.table = info
        announced.bitRate = entry.averageBitRate > 0 ? entry.averageBitRate : nil
        guard let valid = info.validFrameCount else { return }
        announced.end = Int64(info.primingFrameCount) + valid + lengths.movieUnit
    }

    /// Nil where every sample is a packet, or fragments hold them.
    var bundledTable: BundledTable? {
        guard let table, let entry, let bundle = entry.bundle, let lengths else { return nil }
        return BundledTable(
            table: table, timescale: lengths.mediaTimescale, sampleRate: lengths.sampleRate,
            frameCount: bundle.frameCount)
    }

    private func mediaFrameCount(
        _ table: SampleTable, _ totals: SampleTable.Totals, _ lengths: MovieLengths
    ) -> Int64 {
        guard table.timeRunCount > 0 else { return MovieLengths.largestFrameCount }
        let frames = lengths.frames(table.duration(ofFirst: totals.packetCount), per: lengths.mediaTimescale)
        return min(frames, MovieLengths.largestFrameCount)
    }

    /// What comes out of the decoder: as a rule more than the times add up to, since the last one is shortened.
    private func decodedFrameCount(
        _ table: SampleTable, _ totals: SampleTable.Totals, _ packetCount: Int64, _ media: Int64,
        _ lengths: MovieLengths
    ) -> Int64 {
        let before = table.duration(ofFirst: totals.packetCount - 1)
        let last = media - min(media, lengths.frames(before, per: lengths.mediaTimescale))
        switch counter.counting {
        case .constant(let count): return packetCount * Int64(count)
        case .mpeg: return packetCount * Int64(counter.mpegFrameCount)
        case .alac(let count): return (packetCount - 1) * Int64(count) + max(1, min(last, Int64(count)))
        case .opus:
            let usual = lengths.frames(table.constantDuration ?? 0, per: lengths.mediaTimescale)
            return media + max(0, usual - last)
        case .time: return media
        }
    }

    private func properties(
        _ entry: SampleEntry, dataOffset: Int64, _ totals: SampleTable.Totals?
    ) -> [AudioStreamProperty] {
        var properties: [AudioStreamProperty] = [.fileFormat(.mpeg4), .dataFormat(entry.format)]
        if entry.formats.count > 1 { properties.append(.formatList(entry.formats)) }
        if !entry.magicCookie.isEmpty { properties.append(.magicCookie(entry.magicCookie)) }
        if let layout = entry.channelLayout { properties.append(.channelLayout(layout)) }
        properties.append(.dataOffset(dataOffset))
        if let count = announced.byteCount { properties.append(.audioDataByteCount(count)) }
        if let count = announced.packetCount { properties.append(.audioDataPacketCount(count)) }
        if let table = announced.table { properties.append(.packetTableInfo(table)) }
        if !isFragmented, let totals {
            let limit = entry.bundle?.largestByteCount ?? Limits.packetByteCount
            let largest = min(totals.largestByteCount, Int64(limit))
            properties.append(.packetSizeUpperBound(Int(largest)))
        }
        if let bitRate = announced.bitRate { properties.append(.bitRate(bitRate)) }
        if lengths?.hasUnfollowedEdits == true {
            properties.append(.problem(AudioStreamProblem(.damaged(Self.unfollowedEdits), at: editsOffset)))
        }
        properties.append(.decoderPrerollPacketCount(entry.decoderPrerollPacketCount))
        properties.append(.readyToProducePackets)
        return properties
    }

    private func average(_ byteCount: Int64, frameCount: Int64) -> Int? {
        guard frameCount > 0, let rate = entry?.format.sampleRate else { return nil }
        let bitRate = Int(Int64(saturating: (Double(byteCount) * 8 * rate / Double(frameCount)).rounded()))
        return Self.plausibleBitRates.contains(bitRate) ? bitRate : nil
    }

    // MARK: Counting

    /// Counts a packet; says how many frames it yields.
    @inline(__always)
    mutating func count(_ packet: SamplePlace, _ bytes: RawSpan, at place: Int) -> Int {
        let frameCount = counter.frameCount(packet, bytes, at: place, mediaTime: mediaTime)
        countPacket(frameCount: frameCount)
        countSample(packet)
        return frameCount
    }

    /// One of the packets of a sample, before the sample itself is counted.
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

    /// The next packet is this one; no longer does what comes add up to the file.
    /// - Parameter sample: the one that the packet begins.
    mutating func goTo(packet: Int64, sample: Int64, frame: Int64) {
        hasGap = true
        isFreshlyPlaced = true
        nextPacket = packet
        nextFrame = frame
        byteCount = 0
        mediaTime = table?.duration(ofFirst: sample) ?? 0
    }

    /// What the end of the file makes certain.
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
