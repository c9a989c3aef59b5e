import Glibc
import NIOCore

/// What somebody sends, on disk, in a file without a name: it is gone with the last reference, or with the process,
/// however that ends.
final class SpooledFile: Sendable {
    struct Failure: Error, Hashable {
        let text: String
        init(_ text: String) { self.text = text }
    }

    /// The song's file name, without folders.
    let name: String
    private let descriptor: Int32

    /// Bytes of a file's name (NAME_MAX of Linux' file systems).
    private static let nameByteCount = 255

    /// May wait for a disk.
    /// - Parameter name: of somebody's; only what may stand in a name is kept of it.
    init(name: String) throws(Failure) {
        self.name = Self.safe(name)
        var template = Self.template
        descriptor = mkstemp(&template)
        guard descriptor >= 0, fcntl(descriptor, F_SETFD, FD_CLOEXEC) == 0 else {
            throw Failure("there is no room for the song here: \(Self.systemText())")
        }
        template.withUnsafeBufferPointer { buffer in
            if let path = buffer.baseAddress { _ = unlink(path) }
        }
    }

    /// As for songs of other machines.
    private static var folder: String { getenv("TMPDIR").map { String(cString: $0) } ?? "/var/tmp" }

    /// Of names that mkstemp(3) and mkdtemp(3) make.
    private static var template: [CChar] { Array((folder + "/tutti-page-XXXXXX").utf8CString) }

    private static func systemText() -> String { String(cString: strerror(errno)) }

    private static func safe(_ name: String) -> String {
        var kept = String(name.split(separator: "/").last ?? "").filter { character in
            character.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
        }
        while kept.utf8.count > nameByteCount { kept.removeFirst() }
        return ["", ".", ".."].contains(kept) ? "song" : kept
    }

    /// Writes more of it. May wait for a disk; one call at a time.
    func append(_ bytes: ByteBuffer) throws(Failure) {
        let isWritten = bytes.withUnsafeReadableBytes { bytes in
            guard let base = bytes.baseAddress else { return true }
            var done = 0
            while done < bytes.count {
                let count = write(descriptor, base + done, bytes.count - done)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                done += count
            }
            return true
        }
        if !isWritten { throw Failure("there is no room for the song here: \(Self.systemText())") }
    }

    /// A path at which the file can be opened, under its name.
    struct Link: Sendable {
        let path: String
        fileprivate let folder: String

        /// The file itself stays.
        func remove() {
            unlink(path)
            rmdir(folder)
        }
    }

    /// Makes a link with the song's name in a folder that only this user sees. If the process ends too early, the
    /// folder stays, and a link to nothing.
    func link() throws(Failure) -> Link {
        var template = Self.template
        guard mkdtemp(&template) != nil else {
            throw Failure("a folder cannot be made for the song: \(Self.systemText())")
        }
        let folder = template.withUnsafeBufferPointer { buffer in
            buffer.baseAddress.map { String(cString: $0) } ?? ""
        }
        let link = Link(path: "\(folder)/\(name)", folder: folder)
        guard symlink("/proc/\(getpid())/fd/\(descriptor)", link.path) == 0 else {
            rmdir(folder)
            throw Failure("the song cannot be named: \(Self.systemText())")
        }
        return link
    }

    deinit { close(descriptor) }
}
