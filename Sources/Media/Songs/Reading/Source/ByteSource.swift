import AudioCore
import AudioFileStreamServices
import HostSystem

/// Where a song's bytes come from: a file, a pipe, a server.
///
/// A source does not block: where bytes are still to come it says so, and only ``wait(atMost:wake:)`` waits. Used from
/// one thread at a time.
public protocol ByteSource: AnyObject {
    /// As people know it, to follow and be followed by other words: a path or URL in quotes, "standard input".
    var name: String { get }

    /// Begins. Nil while it is not known yet where bytes may be asked from: ask again then.
    func open() throws(SongFailure) -> ByteAccess?

    /// Reads bytes from `offset` on; of a stream those that come next, whatever the offset.
    func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SongFailure) -> ByteRead

    /// Waits until another call may say something else, until a signal, or for `span`.
    func wait(atMost span: TimeSpan, wake: WakeSignal)

    /// What happened since the last call, in order.
    func takeNews() -> [SourceNews]
}

/// What a source has for whoever asks.
public enum ByteRead: Hashable, Sendable {
    /// As many bytes, at least one. Behind a gap some are missing before them.
    case bytes(Int, followsGap: Bool = false)
    /// Bytes are still to come.
    case notYet
    case end
}

/// What a source tells besides bytes.
public enum SourceNews: Hashable, Sendable {
    /// A line for people: one sentence, no newline.
    case notice(NoticeLevel, String)
    /// What is on the air now.
    case title(String)
}

extension ByteSource {
    public func wait(atMost span: TimeSpan, wake: WakeSignal) { wake.wait(atMost: span) }

    public func takeNews() -> [SourceNews] { [] }
}
