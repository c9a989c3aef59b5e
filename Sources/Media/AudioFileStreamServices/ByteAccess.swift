/// Which bytes a parser may ask for.
public enum ByteAccess: Hashable, Sendable {
    /// Bytes come in order, from the first to the last.
    case stream
    /// Random access to the whole file, which has this many bytes.
    case file(byteCount: Int64)

    /// Nil if unknown.
    var fileByteCount: Int64? {
        switch self {
        case .stream: nil
        case .file(let byteCount): byteCount
        }
    }
}

/// Where a packet lies in a file: the result of a seek.
public struct AudioFileStreamSeek: Hashable, Sendable {
    /// The packet that begins at ``byteOffset``, or somewhere after it if this is an estimate.
    public var packet: Int64
    /// Offset in the file.
    public var byteOffset: Int64
    /// Whether both come from averages or a coarse table (`kAudioFileStreamSeekFlag_OffsetIsEstimated`).
    public var isEstimate: Bool

    public init(packet: Int64, byteOffset: Int64, isEstimate: Bool = false) {
        self.packet = packet
        self.byteOffset = byteOffset
        self.isEstimate = isEstimate
    }
}
