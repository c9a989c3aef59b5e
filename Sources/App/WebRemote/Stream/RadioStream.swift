import NIOCore
import WebServer

/// A stream without sync, for radios and locked phones, as the server has it. Confined to the site's loop; the work is
/// done elsewhere (``StreamWorker``).
final class RadioStream: WebStream {
    /// Streams at once: each may encode.
    static let countLimit = 8
    /// Of one address: a household behind one may have a few old radios and locked phones, and leaves others some.
    static let countLimitOfAddress = 6

    /// The listener's.
    let address: String
    /// Nil for one that nobody's code let in.
    let guest: GuestID?
    private let site: Site
    private let worker: StreamWorker

    init(site: Site, of address: String, guest: GuestID?, worker: StreamWorker) {
        self.site = site
        self.address = address
        self.guest = guest
        self.worker = worker
    }

    func begin() -> EventLoopFuture<WebResponse> {
        let worker = worker
        let head = worker.loop.flatSubmit { worker.begin() }.hop(to: site.loop)
        head.assumeIsolated().whenFailure { _ in self.leave() }
        return head
    }

    func next() -> EventLoopFuture<ByteBuffer?> {
        let worker = worker
        let piece = worker.loop.flatSubmit { worker.next() }.hop(to: site.loop)
        piece.assumeIsolated().whenComplete { result in
            if case .success(_?) = result { return }
            self.leave()
        }
        return piece
    }

    func abort() {
        end()
        leave()
    }

    /// Ends it: whoever listens may not any more.
    func end() {
        let worker = worker
        worker.loop.execute { worker.abort() }
    }

    private func leave() { site.remove(self) }
}
