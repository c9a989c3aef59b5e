import AudioCore
import AudioFileStreamServices
import HostSystem
@testable import Songs
import StreamTestKit
import Synchronization
import Testing
import WebServerKit

/// A real web server, good and bad.
@Suite(.serialized, .timeLimit(.minutes(5))) struct HTTPSourceTests {
    /// What came of a URL, read as a reader does.
    private struct Fetched {
        var access: ByteAccess?
        var bytes: [UInt8] = []
        /// Before which bytes there was a gap.
        var gaps: [Int] = []
        var events: [ByteSourceEvent] = []
        var failure: SongFailure?

        var notices: [String] { events.compactMap { if case .notice(_, let text) = $0 { text } else { nil } } }
        var titles: [String] { events.compactMap { if case .title(let text) = $0 { text } else { nil } } }
    }

    /// Waits for a source; a minute in all.
    private struct Patience: ~Copyable {
        private let wake: WakeSignal
        private let deadline = HostTime.now() + .seconds(60)

        init() throws { wake = try WakeSignal() }

        func wait(for source: HTTPSource) throws(SongFailure) {
            guard HostTime.now() < deadline else { throw SongFailure(.missing, "the source takes more than a minute") }
            source.wait(atMost: .seconds(60), wake: wake)
        }
    }

    /// - Parameter isDone: asked between pieces.
    private func fetch(
        _ url: String, certificateFile: String? = nil, isDone: (Fetched) -> Bool = { _ in false }
    ) throws -> Fetched {
        let source = try HTTPSource(url: url, certificateFile: certificateFile)
        source.silenceLimit = .seconds(2)
        source.pauses = [.zero, .milliseconds(100), .milliseconds(200)]
        let patience = try Patience()
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 10_000, alignment: 1)
        defer { buffer.deallocate() }
        var fetched = Fetched()
        do throws(SongFailure) {
            while fetched.access == nil {
                fetched.access = try source.open()
                if fetched.access == nil { try patience.wait(for: source) }
            }
            reading: while !isDone(fetched) {
                switch try source.read(into: buffer, at: Int64(fetched.bytes.count)) {
                case .bytes(let count, let followsGap):
                    if followsGap { fetched.gaps.append(fetched.bytes.count) }
                    fetched.bytes += buffer[..<count]
                case .notYet: try patience.wait(for: source)
                case .end: break reading
                }
                fetched.events += source.takeEvents()
            }
        } catch {
            fetched.failure = error
        }
        fetched.events += source.takeEvents()
        return fetched
    }

    private struct ServedFile: ~Copyable {
        let directory = TemporaryDirectory()
        let bytes: [UInt8]
        let server: WebServer

        init(byteCount: Int = 1_000_000, hasCertificate: Bool = false) throws {
            var generator = SeededGenerator(seed: 11)
            bytes = (0..<byteCount).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
            try Tool.writeFile(directory.path + "/song", bytes)
            guard hasCertificate else {
                server = try WebServer(directory: directory.path)
                return
            }
            try Tool.run(
                "openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out certificate.pem -days 2 "
                    + "-subj /CN=tutti -addext subjectAltName=IP:127.0.0.1", in: directory)
            server = try WebServer(
                directory: directory.path,
                certificate: (directory.path + "/certificate.pem", directory.path + "/key.pem"))
        }
    }

    @Test(arguments: [("ranges", true), ("plain", false), ("endless", false), ("redirect/9/ranges", true)])
    func allBytesCome(kind: String, isFile: Bool) throws {
        let served = try ServedFile()
        let fetched = try fetch(served.server.url(kind + "/song"))
        #expect(fetched.access == (isFile ? .file(byteCount: 1_000_000) : .stream))
        #expect(
            fetched.bytes == served.bytes && fetched.failure == nil && fetched.events.isEmpty && fetched.gaps.isEmpty)
    }

    /// What is near is passed over, what is far is asked for.
    @Test func bytesComeFromAnywhere() throws {
        let served = try ServedFile()
        let source = try HTTPSource(url: served.server.url("ranges/song"))
        let patience = try Patience()
        while try source.open() == nil { try patience.wait(for: source) }
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1_000, alignment: 1)
        defer { buffer.deallocate() }
        for offset in [0, 5_000, 100_000, 900_000, 10, 999_999, 1_000_000, 70] {
            var read = try source.read(into: buffer, at: Int64(offset))
            while read == .notYet {
                try patience.wait(for: source)
                read = try source.read(into: buffer, at: Int64(offset))
            }
            guard case .bytes(let count, false) = read else {
                #expect(offset == 1_000_000 && read == .end)
                continue
            }
            #expect(Array(buffer[..<count]) == Array(served.bytes[offset..<offset + count]), "at \(offset)")
        }
        let ranges = served.server.requests.map { $0.split(separator: " ").last ?? "" }
        #expect(ranges == ["bytes=0-", "bytes=900000-", "bytes=10-", "bytes=999999-", "bytes=70-"])
    }

    @Test func whatIsCutGoesOnWhereItBrokeOff() throws {
        let served = try ServedFile()
        let fetched = try fetch(served.server.url("cut/song?at=300000&ranges=1"))
        #expect(fetched.bytes == served.bytes && fetched.failure == nil && fetched.gaps.isEmpty)
        #expect(fetched.notices.count == 3 && fetched.notices[0].contains("broke off"), "\(fetched.notices)")
        let ranges = served.server.requests.map { $0.split(separator: " ").last ?? "" }
        #expect(ranges == ["bytes=0-", "bytes=300000-", "bytes=600000-", "bytes=900000-"])
    }

    /// A server without ranges sends again what came already.
    @Test func whatIsCutWithoutRangesBeginsAgain() throws {
        let served = try ServedFile()
        let fetched = try fetch(served.server.url("cut/song?at=300000&times=2"))
        #expect(fetched.bytes == served.bytes && fetched.failure == nil && fetched.gaps.isEmpty)
        #expect(served.server.requests.count == 3)
    }

    /// The bytes that came are there, and the rest is given up.
    @Test func whatIsAlwaysCutEnds() throws {
        let served = try ServedFile()
        let fetched = try fetch(served.server.url("cut/song?at=50000"))
        #expect(fetched.bytes == Array(served.bytes[..<50_000]))
        #expect(fetched.failure?.kind == .lost)
        #expect(fetched.failure?.message.hasPrefix("'\(served.server.url("cut/song?at=50000"))' broke off: ") == true)
        #expect(fetched.notices.count == 1)
    }

    @Test func aStationGoesOnBehindAGap() throws {
        let served = try ServedFile()
        let fetched = try fetch(served.server.url("icy/song?interval=8192&at=100000")) { $0.bytes.count >= 900_000 }
        #expect(fetched.access == .stream && fetched.failure == nil)
        #expect(fetched.gaps == [100_000])
        #expect(fetched.bytes == Array((served.bytes[..<100_000] + served.bytes).prefix(fetched.bytes.count)))
        #expect(fetched.titles.first == "Song 0" && fetched.titles.contains("Song 11"), "\(fetched.titles)")
    }

    @Test func whatBringsNothingIsAskedAgain() throws {
        let served = try ServedFile()
        let fetched = try fetch(served.server.url("stall/song?at=200000"))
        #expect(fetched.bytes == served.bytes && fetched.failure == nil)
        #expect(fetched.notices.count == 1 && fetched.notices[0].contains("brings nothing for 2 s"))
    }

    /// Bytes that nobody takes stay with the server.
    @Test func aFastServerWaits() throws {
        let served = try ServedFile(byteCount: 20_000_000)
        let source = try HTTPSource(url: served.server.url("ranges/song"))
        let patience = try Patience()
        while try source.open() == nil { try patience.wait(for: source) }
        guard case .flowing(let transfer) = source.phase else { return #expect(Bool(false), "\(source.phase)") }
        for _ in 0..<200 { transfer.perform() }
        #expect(transfer.heldByteCount <= HTTPTransfer.bufferByteCount)
        var bytes: [UInt8] = []
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 50_000, alignment: 1)
        defer { buffer.deallocate() }
        var most = 0
        while case let read = try source.read(into: buffer, at: Int64(bytes.count)), read != .end {
            if case .bytes(let count, _) = read { bytes += buffer[..<count] }
            if read == .notYet { try patience.wait(for: source) }
            most = max(most, transfer.heldByteCount)
        }
        #expect(bytes == served.bytes && most <= HTTPTransfer.bufferByteCount)
    }

    /// The server never says anything: of several waits of a minute none may be that long.
    @Test func aSignalEndsTheWaitForAServer() throws {
        let served = try ServedFile()
        let source = try HTTPSource(url: served.server.url("mute/song"))
        let wake = try WakeSignal()
        let isOver = Atomic(false)
        let thread = try HostThread(name: "waker") {
            while !isOver.load(ordering: .acquiring) {
                sleepThread(for: .milliseconds(100))
                wake.signal()
            }
        }
        defer {
            isOver.store(true, ordering: .releasing)
            thread.join()
        }
        let began = HostTime.now()
        while try source.open() == nil, HostTime.now() - began < .milliseconds(500) {
            source.wait(atMost: .seconds(60), wake: wake)
        }
        #expect(HostTime.now() - began < .seconds(30))
    }

    // MARK: What cannot be played

    private func expect(
        _ path: String, fails kind: SongFailure.Kind, _ text: String, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let served = try ServedFile(byteCount: 10)
        let url = served.server.url(path)
        let failure = try fetch(url).failure
        #expect(failure?.kind == kind, sourceLocation: sourceLocation)
        #expect(
            failure?.message.hasPrefix("'\(url)'\(text)") == true, "\(failure?.message ?? "")",
            sourceLocation: sourceLocation)
        #expect(failure?.message.contains("\n") == false, sourceLocation: sourceLocation)
    }

    @Test func answersThatAreNoSong() throws {
        try expect("none", fails: .missing, ": the server says 404 Not Found")
        try expect("status/503", fails: .missing, ": the server says 503 Service Unavailable")
        try expect("status/204", fails: .missing, ": the server's answer (204 No Content) is no song")
        try expect("redirect/11/ranges/song", fails: .missing, " is redirected more than 10 times; it leads nowhere")
        try expect("away?to=ftp://127.0.0.1/x", fails: .missing, " cannot be fetched: ")
        try expect("garbage", fails: .missing, " cannot be fetched: ")
        try expect(
            "text?type=text/html%3Bcharset%3Dutf-8&body=x", fails: .unusable,
            " is a web page; name the song or the stream itself")
        try expect("status/200", fails: .unusable, " is empty; choose a song")
    }

    @Test func listsSayWhatTheyName() throws {
        let served = try ServedFile(byteCount: 10)
        let list = "text/a/list?type=audio/x-mpegurl&body=x.mp3%0Ahttp://y/%0A"
        #expect(
            try fetch(served.server.url(list)).failure?.kind == .list([served.server.url("text/a/x.mp3"), "http://y/"]))
        let endless = "text/list?type=audio/x-scpls&body=" + String(repeating: "x", count: 50)
        #expect(try fetch(served.server.url(endless)).failure?.kind == .unusable)
    }

    @Test func hostsThatAreNotThere() throws {
        let free = try ServedFile(byteCount: 10).server.url("")
        let refused = try fetch(free).failure
        #expect(refused?.kind == .missing && refused?.message.hasPrefix("'\(free)' cannot be reached: ") == true)
        #expect(
            try fetch("http://nowhere.invalid/x").failure
                == SongFailure(.missing, "'http://nowhere.invalid/x': no host of that name is known; check the address")
        )
        #expect(try fetch("http://").failure == SongFailure(.missing, "'http://' is no valid URL"))
    }

    @Test func aCertificateIsLookedAt() throws {
        let served = try ServedFile(hasCertificate: true)
        let url = served.server.tlsURL("ranges/song")
        let distrusted = try fetch(url).failure
        #expect(distrusted?.kind == .missing)
        #expect(distrusted?.message.hasPrefix("'\(url)': the server's certificate is not to be trusted: ") == true)
        let trusted = try fetch(url, certificateFile: served.directory.path + "/certificate.pem")
        #expect(trusted.bytes == served.bytes && trusted.failure == nil)
    }

    /// What is told on the way names the address without its password.
    @Test func aBreakOnTheWayShowsNoPassword() throws {
        let served = try ServedFile(byteCount: 100_000)
        let address = served.server.url("cut/song?at=30000&ranges=1")
        let fetched = try fetch("http://me:secret@" + address.dropFirst("http://".count))
        #expect(fetched.bytes == served.bytes && fetched.failure == nil)
        #expect(!fetched.notices.isEmpty && fetched.notices.allSatisfy { $0.hasPrefix("'\(address)' broke off (") })
    }

    // MARK: Redirections and encryption

    /// From http to https and within https a redirection is followed; from https to http never, nor is anybody asked
    /// there.
    @Test func redirectionsDoNotLeaveEncryption() throws {
        let served = try ServedFile(byteCount: 100_000, hasCertificate: true)
        let certificate = served.directory.path + "/certificate.pem"
        func away(to url: String) -> String {
            let escaped = url.flatMap { ":/?=&%".contains($0) ? "%" + String($0.asciiValue ?? 0, radix: 16) : "\($0)" }
            return "away?to=" + String(escaped)
        }
        let server = served.server
        for url in [server.url(away(to: server.tlsURL("ranges/song"))), server.tlsURL("redirect/3/ranges/song")] {
            let fetched = try fetch(url, certificateFile: certificate)
            #expect(fetched.bytes == served.bytes && fetched.failure == nil, "\(url)")
        }
        let downward = away(to: server.url("plain/song"))
        let upperCase = away(to: "HTTP" + server.url("plain/song").dropFirst(4))
        for url in [
            server.tlsURL(downward), server.tlsURL(upperCase), server.url(away(to: server.tlsURL(downward))),
        ] {
            let fetched = try fetch(url, certificateFile: certificate)
            let text = "'\(url)' cannot be fetched: it is redirected from https to http, which is not safe: refused"
            #expect(fetched.failure == SongFailure(.missing, text) && fetched.bytes.isEmpty)
        }
        #expect(!server.requests.contains { $0.hasPrefix("/plain") }, "\(server.requests)")
    }

    /// Nor where http led to https, and the way back stands behind more fields than are kept, or stands there twice.
    @Test(arguments: ["fields=200", "twice=1"]) func noHeadHidesAWayOutOfEncryption(option: String) throws {
        let served = try ServedFile(byteCount: 100_000, hasCertificate: true)
        let back = served.server.url("plain/song")
        let url = served.server.url("away?to=" + served.server.tlsURL("away?\(option)%26to=\(back)"))
        let fetched = try fetch(url, certificateFile: served.directory.path + "/certificate.pem")
        let text = "'\(url)' cannot be fetched: it is redirected from https to http, which is not safe: refused"
        #expect(fetched.failure == SongFailure(.missing, text) && fetched.bytes.isEmpty)
        #expect(!served.server.requests.contains { $0.hasPrefix("/plain") }, "\(served.server.requests)")
    }

    /// What breaks off is not continued there either.
    @Test func aRedirectionOnTheWayLeavesNoEncryption() throws {
        let served = try ServedFile(byteCount: 100_000, hasCertificate: true)
        let url = served.server.tlsURL("moving/song?at=30000&to=" + served.server.url("plain/song"))
        let fetched = try fetch(url, certificateFile: served.directory.path + "/certificate.pem")
        #expect(fetched.bytes == Array(served.bytes[..<30_000]) && fetched.failure?.kind == .lost)
        #expect(fetched.failure?.message.contains("redirected from https to http") == true, "\(fetched.failure as Any)")
        #expect(!served.server.requests.contains { $0.hasPrefix("/plain") })
    }

    /// Of all that libcurl can fetch.
    @Test(arguments: ["ftp://127.0.0.1/x", "file:///etc/passwd", "gopher://127.0.0.1/x", "dict://127.0.0.1/x"])
    func redirectionsLeadToNoOtherProtocol(target: String) throws {
        let served = try ServedFile(byteCount: 10)
        let failure = try fetch(served.server.url("away?to=" + target)).failure
        #expect(failure?.kind == .missing && failure?.message.contains("cannot be fetched: Protocol") == true)
    }
}
