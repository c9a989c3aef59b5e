import AudioCore
import AudioFileStreamServices
import HostSystem

/// Where a song's bytes come from: a file, a pipe, a server.
///
/// A source does not block: if bytes are still to come it says so, and only ``wait(atMost:wake:)`` waits. Used from one
/// thread at a time.
public protocol ByteSource: AnyObject {
    /// A readable name to use within a sentence: a path or URL in quotes, "standard input".
    var name: String { get }

    /// Whether it goes on by itself, as a station does: what is not read now is lost. Known once it is open.
    var isLive: Bool { get }

    /// Opens the source. Returns nil while the access is not known yet: call again then.
    func open() throws(SongFailure) -> ByteAccess?

    /// Reads bytes from `offset` on; a pure stream reads the next bytes, whatever the offset.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SongFailure) -> ByteRead

    /// Waits until another call may have a result, until a signal, or for `span`.
    func wait(atMost span: TimeSpan, wake: WakeSignal)

    /// Returns what happened since the last call, in order.
    func takeEvents() -> [ByteSourceEvent]
}

/// The result of a read.
public enum ByteRead: Hashable, Sendable {
    /// This many bytes, at least one. With `followsGap`, bytes before them are missing.
    case bytes(Int, followsGap: Bool = false)
    /// Bytes are still to come.
    case notYet
    case end
}

/// What a source reports besides bytes.
public enum ByteSourceEvent: Hashable, Sendable {
    /// A line for people: one sentence, no newline.
    case notice(NoticeLevel, String)
    /// The title that is now on the air.
    case title(String)
}

extension ByteSource {
    public var isLive: Bool { false }

    public func wait(atMost span: TimeSpan, wake: WakeSignal) { wake.wait(atMost: span) }

    public func takeEvents() -> [ByteSourceEvent] { [] }
}
