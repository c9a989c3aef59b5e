import AudioCore

/// Assembles a packet that spans several pages, in a buffer that is reused.
struct OggAssembly {
    private(set) var bytes: [UInt8] = []
    private(set) var place: OggSeekIndex.Place?

    /// Whether a packet was begun and has not ended yet.
    var isOpen: Bool { place != nil }

    mutating func begin(_ part: RawSpan, at place: OggSeekIndex.Place) {
        bytes.removeAll(keepingCapacity: true)
        self.place = place
        part.withUnsafeBytes { bytes.append(contentsOf: $0) }
    }

    /// - Throws: when the packet exceeds the size limit.
    mutating func append(_ part: RawSpan) throws(AudioStreamError) {
        guard let place else { return }
        guard bytes.count + part.byteCount <= Limits.packetByteCount else {
            throw .unsupportedDataFormat(
                "an Ogg packet of more than \(Limits.packetByteCount) bytes at byte \(place.byteOffset)")
        }
        part.withUnsafeBytes { bytes.append(contentsOf: $0) }
    }

    /// Forgets the packet: it is lost, or was delivered.
    mutating func drop() { place = nil }
}
