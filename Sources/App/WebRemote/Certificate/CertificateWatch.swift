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

    private static let interval = TimeSpan.milliseconds(500)

    private let files: PageCertificate.Files
    private let settling: Mutex<Settling<[FileStamp?]>>
    private let take: @Sendable (Reading) -> Void
    private let wake: WakeSignal
    private let isStopped = Mutex(false)
    private let thread = Mutex<HostThread?>(nil)

    /// - Parameter take: called after each change, on the watch's thread.
    init(_ certificate: PageCertificate, take: @escaping @Sendable (Reading) -> Void) throws(WakeSignalError) {
        files = certificate.files
        settling = Mutex(Settling(certificate.stamps))
        self.take = take
        wake = try WakeSignal()
    }

    func start() throws(HostThreadError) {
        let thread = try HostThread(name: "tutti cert") { self.run() }
        self.thread.withLock { $0 = thread }
    }

    /// Ends it, and waits until it has ended.
    func stop() {
        isStopped.withLock { $0 = true }
        wake.signal()
        thread.withLock { $0 }?.join()
    }

    private func run() {
        while !isStopped.withLock({ $0 }) {
            look()
            wake.wait(atMost: Self.interval)
        }
    }

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
