import AudioFileStreamServices

/// A file as a source with random access.
public final class FileSource: ByteSource {
    private let file: SongFile
    private let isPureStream: Bool

    /// - Parameter isPureStream: whether to read from front to back only, as from a pipe.
    public init(_ file: consuming SongFile, isPureStream: Bool = false) {
        self.file = file
        self.isPureStream = isPureStream
    }

    public var name: String { "'\(file.path)'" }

    public func open() throws(SongFailure) -> ByteAccess? {
        isPureStream ? .stream : .file(byteCount: file.byteCount)
    }

    public func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SongFailure) -> ByteRead {
        guard (0..<file.byteCount).contains(offset) else { return .end }
        let wanted = Int(min(Int64(buffer.count), file.byteCount - offset))
        let count = try file.read(into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<wanted]), at: offset)
        return count == 0 ? .end : .bytes(count)
    }
}
