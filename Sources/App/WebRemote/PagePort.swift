import NIOCore
import Synchronization
import WebServer
import WireProtocol

/// The port of the page: open while it is wanted, the first of those to choose from that is free.
///
///     closed ──wanted──▶ opening ──▶ open ──not wanted──▶ closing ──▶ closed
///                           └──none is free──▶ failed ──not wanted──▶ closed
///
/// Confined to its loop, but for ``location`` and ``shutDown()``.
final class PagePort {
    private enum Phase {
        case closed, opening, open, closing
        /// Until it is tried again.
        case failed(retry: NIODeadline)
        case over
    }

    private static let retryTime = TimeAmount.seconds(10)

    private let loop: any EventLoop
    private let server: WebServer
    private let wanted: UInt16
    private let candidates: [UInt16]
    private let emit: @Sendable (WebNotice) -> Void
    private var phase = Phase.closed
    private var hasFailed = false
    private var scheme: PageLocation.Scheme
    private let bound = Mutex<PageLocation?>(nil)

    init(loop: any EventLoop, server: WebServer, options: WebOptions, emit: @escaping @Sendable (WebNotice) -> Void) {
        self.loop = loop
        self.server = server
        self.emit = emit
        wanted = options.port
        scheme = options.certificate?.scheme ?? .http
        candidates = (0..<max(1, options.portCount)).compactMap { UInt16(exactly: Int(options.port) + $0) }
    }

    /// Where it is open now; nil while it is not. From any thread.
    var location: PageLocation? { bound.withLock { $0 } }

    /// Takes a renewed certificate, which may have another name.
    func renew(_ certificate: PageCertificate) {
        server.renew(certificate.certificate)
        scheme = certificate.scheme
        bound.withLock { $0?.scheme = scheme }
        emit(.renewed(location))
        for warning in certificate.warnings { emit(.certificateDoubtful(warning)) }
    }

    /// Takes note that the certificate's files are of no use now.
    func keepCertificate(_ reason: String) { emit(.certificateUnusable(reason)) }

    /// Opens it, or closes it.
    func open(_ isWanted: Bool) {
        switch (phase, isWanted) {
        case (.closed, true): tryNext(candidates[...])
        case (.failed(let retry), true) where NIODeadline.now() >= retry: tryNext(candidates[...])
        case (.failed, false): phase = .closed
        case (.open, false): close()
        case (.closed, false), (.open, true), (.failed, true), (.opening, _), (.closing, _), (.over, _): break
        }
    }

    private func tryNext(_ rest: ArraySlice<UInt16>) {
        guard let port = rest.first else {
            return fail("the ports \(wanted) to \(candidates.last ?? wanted) are taken by other programs")
        }
        phase = .opening
        server.listen(port: port).hop(to: loop).whenComplete { result in
            guard case .opening = self.phase else { return }
            switch result {
            case .success(let bound):
                self.phase = .open
                self.hasFailed = false
                let location = PageLocation(port: bound, scheme: self.scheme)
                self.bound.withLock { $0 = location }
                self.emit(.listening(location, wanted: self.wanted))
            case .failure(WebServerError.cannotListen(let reason)): self.fail(reason)
            case .failure: self.tryNext(rest.dropFirst())
            }
        }
    }

    /// Tells so once, however often it is tried again.
    private func fail(_ reason: String) {
        phase = .failed(retry: .now() + Self.retryTime)
        if !hasFailed { emit(.unavailable(reason)) }
        hasFailed = true
    }

    private func close() {
        phase = .closing
        bound.withLock { $0 = nil }
        server.stopListening().hop(to: loop).whenComplete { _ in
            guard case .closing = self.phase else { return }
            self.phase = .closed
            self.emit(.closed)
        }
    }

    /// Ends it for good. From any thread.
    func shutDown() -> EventLoopFuture<Void> {
        loop.flatSubmit {
            self.phase = .over
            self.bound.withLock { $0 = nil }
            return self.server.shutDown()
        }
    }
}

// Confined to its loop; the number is locked.
extension PagePort: @unchecked Sendable {}
