import AudioCore

/// Searches the end of a file for a stream's last granule position, and what it cuts off.
struct OggTail {
    /// How much of the end is searched; more if the stream does not end there.
    private static let byteCounts: [Int64] = [64 * 1024, 256 * 1024, 1024 * 1024]

    private let serial: UInt32
    private let initialCodec: OggCodec
    /// Where audio begins, and where the file ends.
    let dataOffset: Int64
    let fileByteCount: Int64
    private var attempt = 0
    private var search = OggPageSearch()
    private var codec: OggCodec
    private var pageCount = 0
    private(set) var lastGranule: Int64?
    /// Serial number of the file's last page.
    private(set) var lastSerial: UInt32?
    /// Other streams begin after this one: the song is only part of the file.
    private(set) var isFollowed = false
    /// Frames that the last granule position cuts off.
    private(set) var remainder = 0
    /// Frames of a packet whose end is still to come.
    private var pending: Int?

    init(serial: UInt32, codec: OggCodec, dataOffset: Int64, fileByteCount: Int64) {
        self.serial = serial
        initialCodec = codec
        self.codec = codec
        self.dataOffset = dataOffset
        self.fileByteCount = fileByteCount
    }

    /// Where the search begins.
    var start: Int64 { max(dataOffset, fileByteCount - Self.byteCounts[attempt]) }

    /// Searches the available bytes.
    /// - Returns: how far it got; `jump` leads to the next place to search, or back to the first audio.
    mutating func consume(_ bytes: RawSpan, at offset: Int64) -> (Progress, isDone: Bool) {
        let isLast = offset + Int64(bytes.byteCount) >= fileByteCount
        var place = 0
        while place < bytes.byteCount {
            switch search.next(bytes, at: place, isLast: isLast) {
            case .junk(let byteCount): place += byteCount
            case .page(let page):
                lastSerial = page.serial
                if page.isFirst { isFollowed = true }
                if page.serial == serial { take(page, bytes) }
                place += page.byteCount
            case .needsMore(let byteCount): return (Progress(consumed: place, needed: byteCount), false)
            }
        }
        guard isLast else { return (Progress(consumed: place, needed: 1), false) }
        let isEnough = pageCount > 1 && lastGranule != nil
        if isEnough || start == dataOffset || attempt + 1 == Self.byteCounts.count {
            return (Progress(consumed: place, needed: 1, jump: dataOffset), true)
        }
        (codec, pageCount, lastGranule, remainder, pending) = (initialCodec, 0, nil, 0, nil)
        attempt += 1
        return (Progress(consumed: place, needed: 1, jump: start), false)
    }

    private mutating func take(_ page: OggPage, _ bytes: RawSpan) {
        var frameCount = 0
        var lacing = page.lacing
        while let part = lacing.next(bytes) {
            let packet = bytes.extracting(part.range)
            if !part.isContinuation {
                let isFirst = codec.isBeforeFirst
                let frames = codec.frameCount(packet)
                pending = isFirst ? 0 : frames
            }
            guard part.isEnd else { continue }
            frameCount += pending ?? 0
            pending = nil
        }
        guard let granule = page.granule else { return }
        if page.isLast, let before = lastGranule {
            remainder = Int(clamping: max(0, min(before + Int64(frameCount) - granule, Int64(frameCount))))
        } else {
            remainder = 0
        }
        lastGranule = granule
        pageCount += 1
    }
}

/// Decides whether to search the end of a file again: the songs of a chain may be short.
struct OggTailSearchBudget {
    /// Searches allowed regardless of how much was parsed in between.
    private var freeCount = 8
    private var last: (dataOffset: Int64, serial: UInt32?)?

    /// More bytes than one search costs.
    private static let byteCount: Int64 = 2 * 1024 * 1024

    /// - Parameters:
    ///   - serial: serial number of the song's stream.
    ///   - dataOffset: where its audio begins.
    func allowsSearch(serial: UInt32, at dataOffset: Int64) -> Bool {
        guard let last else { return true }
        guard last.serial == nil || last.serial == serial else { return false }
        return freeCount > 0 || dataOffset - last.dataOffset >= Self.byteCount
    }

    mutating func note(_ tail: OggTail?) {
        guard let tail else { return }
        if let last, tail.dataOffset - last.dataOffset < Self.byteCount { freeCount -= 1 }
        last = (tail.dataOffset, tail.lastSerial)
    }
}
