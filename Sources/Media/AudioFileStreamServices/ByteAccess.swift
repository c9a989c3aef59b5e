/// Where a parser may ask for bytes from.
public enum ByteAccess: Hashable, Sendable {
    /// Bytes come as they come, from the first to the last.
    case stream
    /// All of the file is at hand, this many bytes.
    case file(byteCount: Int64)

    /// Nil where it is not known.
    var fileByteCount: Int64? {
        switch self {
        case .stream: nil
        case .file(let byteCount): byteCount
        }
    }
}

/// Where a packet lies in a file: the answer to a seek.
public struct AudioFileStreamSeek: Hashable, Sendable {
    /// The packet that begins at ``byteOffset``, or somewhere behind it if this is an estimate.
    public var packet: Int64
    /// Offset in the file.
    public var byteOffset: Int64
    /// Whether both were reckoned from averages or a coarse table (`kAudioFileStreamSeekFlag_OffsetIsEstimated`).
    public var isEstimate: Bool

    public init(packet: Int64, byteOffset: Int64, isEstimate: Bool = false) {
        self.packet = packet
        self.byteOffset = byteOffset
        self.isEstimate = isEstimate
    }
}
