import NIOCore
import NIOPosix
import StreamTestKit
import Synchronization
import Testing
import WebServer
import WireProtocol

@testable import WebRemote

/// Where the page is, and what is said of it.
@Suite(.timeLimit(.minutes(5))) struct PagePortTests {
    private final class EmptySite: WebSite {
        private let loop: any EventLoop

        init(on loop: any EventLoop) { self.loop = loop }

        func route(_ request: WebRequest) -> WebRoute {
            .respond(loop.makeFailedFuture(WebRefusal(.notFound, "There is nothing here.")))
        }
    }

    /// Opens a port while the closure runs, and gives it the notices.
    private func open(
        _ certificate: PageCertificate?,
        _ body: (PagePort, any EventLoop, inout AsyncStream<WebNotice>.Iterator) async throws -> Void
    ) async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let loop: any EventLoop = group.next()
        var options = WebOptions()
        (options.port, options.portCount, options.certificate) = (freePort(), 1, certificate)
        let server = WebServer(
            loop: loop, site: EmptySite(on: loop), names: [], certificate: certificate?.certificate)
        let (stream, continuation) = AsyncStream<WebNotice>.makeStream()
        let port = PagePort(loop: loop, server: server, options: options) { continuation.yield($0) }
        var notices = stream.makeAsyncIterator()
        try await loop.submit { port.open(true) }.get()
        try await body(port, loop, &notices)
        try await port.shutDown().get()
        try await group.shutdownGracefully()
    }

    private func certificate(
        _ names: [String], in directory: borrowing TemporaryDirectory
    ) throws -> PageCertificate {
        let made = try MadeCertificate(names, in: directory)
        return try PageCertificate(PageCertificate.Files(certificate: made.certificatePath, key: made.keyPath))
    }

    @Test func withoutACertificateItIsHTTP() async throws {
        try await open(nil) { port, _, notices in
            guard case .listening(let location, let wanted)? = await notices.next() else {
                Issue.record("it does not listen")
                return
            }
            #expect(location == PageLocation(port: wanted) && port.location == location)
        }
    }

    @Test func aRenewedCertificateMayHaveAnotherName() async throws {
        let directory = TemporaryDirectory()
        let old = try certificate(["DNS:old.example"], in: directory)
        let new = try certificate(["DNS:new.example"], in: directory)
        try await open(old) { port, loop, notices in
            guard case .listening(let location, let wanted)? = await notices.next() else {
                Issue.record("it does not listen")
                return
            }
            #expect(location == PageLocation(port: wanted, scheme: .https(name: "old.example")))
            try await loop.submit {
                port.keepCertificate("it is broken")
                port.renew(new)
            }.get()
            #expect(await notices.next() == .certificateUnusable("it is broken"))
            let renewed = PageLocation(port: wanted, scheme: .https(name: "new.example"))
            #expect(await notices.next() == .renewed(renewed))
            #expect(port.location == renewed)
            try await loop.submit { port.open(false) }.get()
            #expect(await notices.next() == .closed)
            #expect(port.location == nil)
            // What it learned while it was open counts when it opens again.
            try await loop.submit { port.open(true) }.get()
            #expect(await notices.next() == .listening(renewed, wanted: wanted))
        }
    }
}
