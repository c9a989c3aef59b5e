import AudioCore
import AudioFileStreamServices
import HostSystem

/// Headerless samples from another source, preceded by a generated header.
public final class RawPCMSource: ByteSource {
    private let samples: any ByteSource
    private let header: [UInt8]
    /// Bytes of the header already read, in a pure stream.
    private var headerOffset = 0
    private var isStream = true

    public init(_ samples: any ByteSource, format: RawPCMFormat) {
        self.samples = samples
        header = format.header
    }

    public var name: String { samples.name }

    public var isLive: Bool { samples.isLive }

    public func open() throws(SongFailure) -> ByteAccess? {
        guard let access = try samples.open() else { return nil }
        guard case .file(let byteCount) = access else { return .stream }
        isStream = false
        return .file(byteCount: byteCount + Int64(header.count))
    }

    public func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SongFailure) -> ByteRead {
        let start = isStream ? headerOffset : Int(clamping: max(0, offset))
        guard start < header.count else { return try samples.read(into: buffer, at: offset - Int64(header.count)) }
        let rest = header[start...].prefix(buffer.count)
        buffer.copyBytes(from: rest)
        headerOffset = start + rest.count
        return .bytes(rest.count)
    }

    public func wait(atMost span: TimeSpan, wake: WakeSignal) { samples.wait(atMost: span, wake: wake) }

    public func takeEvents() -> [ByteSourceEvent] { samples.takeEvents() }
}
