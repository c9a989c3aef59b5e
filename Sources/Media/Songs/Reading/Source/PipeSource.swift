import AudioCore
import AudioFileStreamServices
import Glibc
import HostSystem
import Synchronization

/// Standard input or a FIFO: bytes as they are written, until the last writer closes it.
///
/// The descriptor's flags stay unchanged, since other processes may share it: bytes are read when poll(2) says that
/// there are some.
public final class PipeSource: ByteSource {
    /// How long nothing may come before a notice is given.
    private static let patience = TimeSpan.seconds(2)

    public let name: String
    private let descriptor: Int32
    /// Of standard input.
    private let identity: FileIdentity?
    /// The last standard input of which bytes were read: they do not come again.
    private static let consumed = Mutex<FileIdentity?>(nil)
    /// A FIFO of our own: closed with this source, and non-blocking.
    private let isFIFO: Bool
    private let began = HostTime.now()
    private var hasBegun = false
    private var hasToldPatience = false
    private var unreportedEvents: [ByteSourceEvent] = []

    /// Standard input, or the file that it is redirected from.
    /// - Throws: why it cannot be read; also if it was read before, and its bytes are gone.
    public static func standardInput() throws(SongFailure) -> any ByteSource {
        let name = "standard input"
        guard isatty(STDIN_FILENO) == 0 else {
            throw SongFailure(.noInput, "\(name) is a terminal")
        }
        var status = stat()
        guard fstat(STDIN_FILENO, &status) == 0, status.st_mode & S_IFMT != S_IFDIR else {
            throw SongFailure(.noInput, "\(name) cannot be read")
        }
        // A file that nobody has read from yet can be used like a named one.
        if status.st_mode & S_IFMT == S_IFREG, lseek(STDIN_FILENO, 0, SEEK_CUR) == 0, status.st_size > 0 {
            return FileSource(try SongFile(descriptor: STDIN_FILENO, calledPath: name))
        }
        let identity = FileIdentity(status)
        guard consumed.withLock({ $0 != identity }) else {
            throw SongFailure(.unusable, "\(name) was read already, and comes only once")
        }
        return PipeSource(name: name, descriptor: STDIN_FILENO, identity: identity)
    }

    /// Opens a FIFO. Does not wait for its writer.
    public init(fifo path: String) throws(SongFailure) {
        name = "'\(path)'"
        (isFIFO, identity) = (true, nil)
        descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw .unreadable(path, errno) }
    }

    private init(name: String, descriptor: Int32, identity: FileIdentity) {
        self.name = name
        self.descriptor = descriptor
        self.identity = identity
        isFIFO = false
    }

    deinit { if isFIFO { close(descriptor) } }

    public func open() throws(SongFailure) -> ByteAccess? { .stream }

    public func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int64) throws(SongFailure) -> ByteRead {
        guard isFIFO || events & POLLIN != 0 || events & POLLHUP != 0 else { return notYet(hasWriter: true) }
        let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
        if count > 0 {
            if !hasBegun, let identity { Self.consumed.withLock { $0 = identity } }
            hasBegun = true
            return .bytes(count)
        }
        if count == 0 {
            // A FIFO also reads as ended before its first writer came, but poll(2) reports it only after the last one.
            guard isFIFO else { return .end }
            let events = events
            return events & POLLHUP != 0 && events & POLLIN == 0 ? .end : notYet(hasWriter: events != 0)
        }
        guard errno == EINTR || errno == EAGAIN else {
            throw SongFailure(.lost, "reading \(name) failed: \(String(cString: strerror(errno)))")
        }
        return notYet(hasWriter: true)
    }

    public func wait(atMost span: TimeSpan, wake: WakeSignal) {
        let isPatient = !hasBegun && !hasToldPatience
        let left = began + Self.patience - HostTime.now() + .milliseconds(1)
        wake.wait(atMost: isPatient ? max(.milliseconds(1), min(span, left)) : span, orReadable: descriptor)
    }

    public func takeEvents() -> [ByteSourceEvent] {
        defer { unreportedEvents = [] }
        return unreportedEvents
    }

    /// What poll(2) reports now: `POLLIN`, `POLLHUP`, both or nothing.
    private var events: Int32 {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&request, 1, 0) > 0 ? Int32(request.revents) : 0
    }

    private func notYet(hasWriter: Bool) -> ByteRead {
        if !hasBegun, !hasToldPatience, HostTime.now() - began >= Self.patience {
            hasToldPatience = true
            unreportedEvents.append(
                .notice(.info, "waiting for \(hasWriter ? "the first bytes" : "a writer") of \(name)"))
        }
        return .notYet
    }
}
