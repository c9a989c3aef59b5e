import AudioCore

/// Puts together a packet that lies on several pages, in a buffer that is used over and over.
struct OggAssembly {
    private(set) var bytes: [UInt8] = []
    private(set) var place: OggSeekIndex.Place?

    /// Whether a packet was begun and did not end yet.
    var isOpen: Bool { place != nil }

    mutating func begin(_ part: RawSpan, at place: OggSeekIndex.Place) {
        bytes.removeAll(keepingCapacity: true)
        self.place = place
        part.withUnsafeBytes { bytes.append(contentsOf: $0) }
    }

    /// - Throws: when it becomes larger than a packet may be.
    mutating func append(_ part: RawSpan) throws(AudioStreamError) {
        guard let place else { return }
        guard bytes.count + part.byteCount <= Limits.packetByteCount else {
            throw .unsupportedDataFormat(
                "an Ogg packet of more than \(Limits.packetByteCount) bytes at byte \(place.byteOffset)")
        }
        part.withUnsafeBytes { bytes.append(contentsOf: $0) }
    }

    /// What was begun is lost, or was given.
    mutating func drop() { place = nil }
}
