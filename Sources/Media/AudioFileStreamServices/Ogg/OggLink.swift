import AudioCore

/// A stream whose header packets are being read.
struct OggLink {
    let serial: UInt32
    private(set) var headers: OggHeaders
    /// Where it begins, or the first of the streams that begin beside it.
    let byteOffset: Int64
    /// The fields of its tags, the first of each kind, its picture and its lyrics; until they are reported.
    private(set) var tags: [(key: AudioInfoKey, text: String)] = []
    private(set) var picture: [UInt8]?
    private var lyrics: [AudioStreamLyrics] = []

    init(serial: UInt32, headers: OggHeaders, byteOffset: Int64) {
        self.serial = serial
        self.headers = headers
        self.byteOffset = byteOffset
        gatherTags()
    }

    /// Takes the headers on a page.
    mutating func take(_ page: OggPage, _ bytes: RawSpan, at fileOffset: Int64) throws(AudioStreamError) {
        var lacing = page.lacing
        while !headers.isDone, let part = lacing.next(bytes) {
            try headers.take(bytes.extracting(part.range), isEnd: part.isEnd, at: fileOffset)
        }
        gatherTags()
    }

    private mutating func gatherTags() {
        for (key, text) in headers.takeFound() where !tags.contains(where: { $0.key == key }) {
            tags.append((key, text))
        }
        picture = picture ?? headers.takePicture()
        lyrics += headers.takeLyrics()
    }

    mutating func takeTags() -> [(AudioInfoKey, String)] {
        defer { tags = [] }
        return tags
    }

    mutating func takePicture() -> [UInt8]? { picture.take() }

    mutating func takeLyrics() -> [AudioStreamLyrics] {
        defer { lyrics = [] }
        return lyrics
    }
}

/// Multiplexed streams that begin together: their first pages precede all other pages (RFC 3533 section 4).
struct OggGroup {
    let byteOffset: Int64
    /// More first pages may come.
    private(set) var isOpen = true
    /// One of them can be played; the others accompany it.
    private(set) var isSettled = false
    /// The codecs of the others so far.
    private(set) var names: [String] = []

    private static let largestNameCount = 8

    init(byteOffset: Int64) { self.byteOffset = byteOffset }

    /// - Parameter packet: the first packet of a stream.
    /// - Returns: its codec, if it is the stream to play.
    /// - Throws: what is wrong with a stream of a known codec.
    mutating func take(_ packet: RawSpan) throws(AudioStreamError) -> OggCodec? {
        guard !isSettled else { return nil }
        switch try OggCodec.identify(packet) {
        case .codec(let codec):
            isSettled = true
            return codec
        case .foreign(let name): note(name)
        case .unknown: note("an unknown codec")
        }
        return nil
    }

    mutating func note(_ name: String) {
        if names.count < Self.largestNameCount { names.append(name) }
    }

    /// Adds another group's codecs, each once.
    mutating func add(_ other: OggGroup) {
        for name in other.names where !names.contains(name) { note(name) }
    }

    /// Closes the group: another page came, or a seek.
    /// - Returns: whether it was open.
    @discardableResult mutating func close() -> Bool {
        defer { isOpen = false }
        return isOpen
    }

    var list: String { names.joined(separator: " and ") }

    var foreignError: AudioStreamError { .unsupportedDataFormat("Ogg with \(list)") }
}
