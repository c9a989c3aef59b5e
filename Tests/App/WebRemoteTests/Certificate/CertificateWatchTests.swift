import StreamTestKit
import Synchronization
import Testing

@testable import WebRemote

/// Certificates that are renewed while a page has them.
@Suite(.timeLimit(.minutes(5))) struct CertificateWatchTests {
    /// A watch that looks when the test says so.
    private final class Scene: Sendable {
        let watch: CertificateWatch
        private let readings: Readings

        private final class Readings: Sendable {
            let taken = Mutex<[CertificateWatch.Reading]>([])
        }

        init(_ files: PageCertificate.Files) throws {
            let readings = Readings()
            self.readings = readings
            watch = try CertificateWatch(PageCertificate(files)) { reading in
                readings.taken.withLock { $0.append(reading) }
            }
        }

        /// Looks so often, and returns what was news: names of new certificates, and reasons.
        func look(_ count: Int = 1) -> [String] {
            for _ in 0..<count { watch.look() }
            return readings.taken.withLock { taken in
                defer { taken = [] }
                return taken.map { reading in
                    switch reading {
                    case .renewed(let certificate): certificate.certificate.names.joined()
                    case .unusable(let reason): reason
                    }
                }
            }
        }
    }

    @Test func whatChangesIsTakenOnceItStays() {
        var settling = Settling(1)
        #expect(!settling.isDue(1) && !settling.isDue(1))
        #expect(!settling.isDue(2) && settling.isDue(2) && !settling.isDue(2))
        // In two steps, as a file and its key are written.
        #expect(!settling.isDue(3) && !settling.isDue(4) && settling.isDue(4) && !settling.isDue(4))
        // Back before it was taken.
        #expect(!settling.isDue(5) && !settling.isDue(4) && !settling.isDue(4))
    }

    @Test func aRenewedCertificateIsReadOnce() throws {
        let directory = TemporaryDirectory()
        let old = try MadeCertificate(["DNS:old"], in: directory)
        let scene = try Scene(PageCertificate.Files(certificate: old.certificatePath, key: old.keyPath))
        #expect(scene.look(3) == [])
        _ = try MadeCertificate(["DNS:new"], in: directory)
        #expect(scene.look() == [] && scene.look() == ["new"] && scene.look(3) == [])
    }

    /// As certbot renews: what a link leads to is another file.
    @Test func aLinkThatLeadsElsewhereIsARenewal() throws {
        let directory = TemporaryDirectory()
        for name in ["one", "two"] {
            let made = try MadeCertificate(["DNS:\(name)"], named: name, in: directory)
            try Tool.writeFile("\(directory.path)/\(name)", try made.certificate() + made.key())
        }
        try Tool.run("ln -s one live", in: directory)
        let scene = try Scene(PageCertificate.Files(certificate: directory.path + "/live"))
        #expect(scene.look(3) == [])
        try Tool.run("ln -sfn two live", in: directory)
        #expect(scene.look(5) == ["two"])
    }

    /// One line for each change, however long it stays.
    @Test func abrokenFileIsToldOfOnce() throws {
        let directory = TemporaryDirectory()
        let old = try MadeCertificate(["DNS:old"], in: directory)
        let scene = try Scene(PageCertificate.Files(certificate: old.certificatePath, key: old.keyPath))
        try Tool.writeFile(old.certificatePath, Array("half a".utf8))
        let broken = scene.look(10)
        #expect(broken.count == 1 && broken[0].contains("no certificate"))
        try Tool.run("rm page.pem", in: directory)
        let missing = scene.look(10)
        #expect(missing.count == 1 && missing[0].contains("No such file"))
        _ = try MadeCertificate(["DNS:new"], named: "other", in: directory)
        try Tool.run("cp other.pem page.pem", in: directory)
        let foreign = scene.look(10)
        #expect(foreign.count == 1 && foreign[0].contains("not that of the certificate"))
        try Tool.run("cp other.key page.key", in: directory)
        #expect(scene.look(10) == ["new"])
    }

    @Test func itLooksByItself() async throws {
        let directory = TemporaryDirectory()
        let old = try MadeCertificate(["DNS:old"], in: directory)
        let files = PageCertificate.Files(certificate: old.certificatePath, key: old.keyPath)
        let (stream, continuation) = AsyncStream<String>.makeStream()
        let watch = try CertificateWatch(PageCertificate(files)) { reading in
            if case .renewed(let certificate) = reading { continuation.yield(certificate.certificate.names.joined()) }
        }
        try watch.start()
        _ = try MadeCertificate(["DNS:new"], in: directory)
        var names = stream.makeAsyncIterator()
        #expect(await names.next() == "new")
        watch.stop()
    }
}
