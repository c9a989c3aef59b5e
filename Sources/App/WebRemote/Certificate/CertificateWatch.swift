import AudioCore
import HostSystem
import Synchronization

/// Looks twice a second whether the files of a certificate changed, and reads them anew. On a thread of its own, since
/// they have to be read from a disk.
final class CertificateWatch: Sendable {
    enum Reading: Sendable {
        case renewed(PageCertificate)
        /// In one line.
        case unusable(String)
    }

    private let files: PageCertificate.Files
    private let settling: Mutex<Settling<[FileStamp?]>>
    private let take: @Sendable (Reading) -> Void
    private let thread: PeriodicThread

    /// - Parameter take: called after each change, on the watch's thread.
    init(_ certificate: PageCertificate, take: @escaping @Sendable (Reading) -> Void) throws(DescriptorError) {
        files = certificate.files
        settling = Mutex(Settling(certificate.stamps))
        self.take = take
        thread = try PeriodicThread(name: "tutti cert", pause: .milliseconds(500))
    }

    func start() throws(HostThreadError) { try thread.start { self.look() } }

    /// Ends it, and waits until it has ended.
    func stop() { thread.stop() }

    /// Reads the files if they have changed since they were read, and not since the last look.
    func look() {
        guard settling.withLock({ $0.isDue(files.stamps) }) else { return }
        do throws(PageCertificateError) {
            take(.renewed(try PageCertificate(files)))
        } catch {
            take(.unusable(error.message))
        }
    }
}

/// When to take what changes in several steps, as two files do: when it is found twice as it is.
struct Settling<Value: Equatable & Sendable>: Sendable {
    private var taken: Value
    private var last: Value

    init(_ value: Value) { (taken, last) = (value, value) }

    /// Whether to take what is found now. It counts as taken then.
    mutating func isDue(_ found: Value) -> Bool {
        defer { last = found }
        guard found != taken, found == last else { return false }
        taken = found
        return true
    }
}
