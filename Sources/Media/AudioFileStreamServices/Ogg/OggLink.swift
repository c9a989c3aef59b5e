import AudioCore

/// A stream's header packets, under way.
struct OggLink {
    let serial: UInt32
    private(set) var headers: OggHeaders
    /// Where it begins, or the first of those that begin beside it.
    let byteOffset: Int64
    /// What its tags say, the first of each kind, and its picture; until they are told.
    private(set) var tags: [(key: AudioInfoKey, text: String)] = []
    private(set) var picture: [UInt8]?

    init(serial: UInt32, headers: OggHeaders, byteOffset: Int64) {
        self.serial = serial
        self.headers = headers
        self.byteOffset = byteOffset
        gatherTags()
    }

    /// Takes the headers that a page holds.
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
    }

    mutating func takeTags() -> [(AudioInfoKey, String)] {
        defer { tags = [] }
        return tags
    }

    mutating func takePicture() -> [UInt8]? { picture.take() }
}

/// Streams that begin beside each other: their first pages come before any other page (RFC 3533 section 4).
struct OggGroup {
    let byteOffset: Int64
    /// First pages may still come.
    private(set) var isOpen = true
    /// One of them can be played; the others are its companions.
    private(set) var isSettled = false
    /// What the others are, so far.
    private(set) var names: [String] = []

    private static let largestNameCount = 8

    init(byteOffset: Int64) { self.byteOffset = byteOffset }

    /// - Parameter packet: a stream's first one.
    /// - Returns: its codec, if it is the stream that is played.
    /// - Throws: what is wrong with it, where it is of a codec that is known.
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

    /// Takes over what another one's are, each once.
    mutating func add(_ other: OggGroup) {
        for name in other.names where !names.contains(name) { note(name) }
    }

    /// Another page came, or a seek.
    /// - Returns: whether it was open.
    @discardableResult mutating func close() -> Bool {
        defer { isOpen = false }
        return isOpen
    }

    var list: String { names.joined(separator: " and ") }

    var foreignError: AudioStreamError { .unsupportedDataFormat("Ogg with \(list)") }
}
