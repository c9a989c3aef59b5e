import AudioCore
import Controlling
import Cryptography
import Glibc
import NIOCore
import NIOEmbedded
import NIOHTTP1
import ProgrammeJSON
import Testing
import WireProtocol

@testable import WebRemote
@testable import WebServer

/// Takes nobody.
struct ClosedConnector: BrowserConnector {
    func connect(
        instance: UInt64, address: String, send: @escaping @Sendable (ByteBuffer) -> Void,
        close: @escaping @Sendable () -> Void
    ) -> (any BrowserPassage)? { nil }
}

/// Says that every song was taken, with its name.
struct AgreeingSender: SongSender {
    func send(_ file: SpooledFile, position: Int?, then: @escaping @Sendable (SongSendingResult) -> Void) {
        then(SongSendingResult(isDone: true, text: file.name))
    }
}

/// A site whose clients and broadcast are the test.
final class SiteScene {
    let loop = EmbeddedEventLoop()
    let broadcast: DeskScene
    let site: Site
    var notices: [WebNotice] = []

    init(
        isInHousehold: Bool = false, acceptsSongs: Bool = false, isFollowing: Bool = true,
        connector: any BrowserConnector = ClosedConnector(), sender: any SongSender = AgreeingSender()
    ) {
        broadcast = isFollowing ? .following() : DeskScene()
        let box = NoticeBox()
        site = Site(
            running: RunningLoop(loop), desk: broadcast.desk, isInHousehold: isInHousehold,
            parts: Site.Parts(
                connector: connector, sender: sender, acceptsSongs: acceptsSongs, name: "Den",
                emit: { box.take($0) }))
        box.take = { [unowned self] in notices.append($0) }
    }

    private final class NoticeBox {
        var take: (WebNotice) -> Void = { _ in }
    }

    func route(
        _ method: String, _ target: String, _ authorization: String? = nil, from address: String = "192.0.2.1"
    ) throws -> WebRoute {
        var headers = HTTPHeaders()
        if let authorization { headers.add(name: "Authorization", value: authorization) }
        return site.route(
            WebRequest(
                method: method, isHead: false, target: try RequestTarget(target), host: "kitchen",
                address: address, headers: headers))
    }

    /// Returns status and text of what is answered; nil while it is not.
    func answer(_ route: WebRoute, body: String = "") -> (code: Int, text: String)? {
        let future: EventLoopFuture<WebResponse>
        switch route {
        case .respond(let its): future = its
        case .collect(_, let take): future = take(ByteBuffer(string: body))
        case .upload, .stream, .socket: return nil
        }
        var answer: (Int, String)?
        future.assumeIsolated().whenComplete { result in
            switch result {
            case .success(let response): answer = (response.status.code, String(buffer: response.body))
            case .failure(let error as WebRefusal): answer = (error.status.code, error.reason)
            case .failure: answer = (500, "")
            }
        }
        loop.run()
        return answer
    }

    func get(_ target: String, _ authorization: String? = nil) throws -> Int? {
        answer(try route("GET", target, authorization))?.code
    }

    static func authorization(
        _ guest: Guest, _ number: UInt64, _ method: String, _ target: String, body: String = ""
    ) -> String {
        let number = UInt64(WallClock.milliseconds()) + number
        let mac = GuestProof.http(
            guest.key, number: number, method: method, target: target, bodyDigest: Hashing.sha256(Array(body.utf8)))
        return "Tutti-Guest \(guest.id.hex) \(number) \(mac.hex)"
    }
}

@Suite(.timeLimit(.minutes(5)))
struct SiteTests {
    @Test func anybodySeesWhatPlaysInOpenMode() throws {
        let scene = SiteScene()
        let status = scene.answer(try scene.route("GET", "/api/v1/status"))
        let name = scene.broadcast.desk.name ?? ""
        #expect(status?.code == 200 && status?.text.hasPrefix(#"{"broadcaster":"\#(name)","sequence":"#) == true)
        #expect(status?.text.hasSuffix("}\n") == true)
        #expect(try scene.get("/") == 200 && scene.get("/nothing") == 404 && scene.get("/api/v1/schema") == 200)
        #expect(scene.answer(try scene.route("POST", "/api/v1/status"))?.code == 405)
        #expect(scene.answer(try scene.route("GET", "/api/v1/commands"))?.code == 405)
        // The library is for those who may add.
        #expect(try scene.get("/api/v1/songs?query=a") == 403)
        #expect(try scene.get("/api/v1/queue?count=0") == 400 && scene.get("/api/v1/queue?from=x") == 400)
        #expect(try scene.get("/api/v1/items/99999999999/lyrics") == 404)
    }

    @Test func aHouseholdShowsThePageAndNothingElse() throws {
        let scene = SiteScene(isInHousehold: true)
        #expect(!scene.site.isWanted)
        #expect(try scene.get("/") == 200)
        for path in ["status", "queue", "songs?query=a", "items/1/artwork", "items/1/lyrics", "items/1/levels"] {
            #expect(try scene.get("/api/v1/\(path)") == 401, "\(path)")
        }
        #expect(scene.answer(try scene.route("POST", "/api/v1/commands"), body: #"{"pause":{}}"#)?.code == 401)
        #expect(scene.answer(try scene.route("POST", "/api/v1/songs?name=a.mp3"))?.code == 401)
        #expect(try scene.get("/listen?ticket=\(Ticket.random().hex)") == 403 && scene.get("/clock") == 403)
    }

    @Test func guestsProveThemselvesInEachRequest() throws {
        let scene = SiteScene(isInHousehold: true)
        let guest = Guest(name: "Anna", role: .command, ends: .max)
        scene.site.take([guest], isInHousehold: true)
        #expect(scene.site.isWanted)
        let target = "/api/v1/status"
        let good = SiteScene.authorization(guest, 7, "GET", target)
        #expect(try scene.get(target, good) == 200)
        // Once more, of another target, and of another guest.
        #expect(try scene.get(target, good) == 401)
        #expect(try scene.get("/api/v1/queue", SiteScene.authorization(guest, 8, "GET", target)) == 401)
        let other = Guest(name: "Eve", role: .command, ends: .max)
        #expect(try scene.get(target, SiteScene.authorization(other, 9, "GET", target)) == 401)
        scene.site.take([], isInHousehold: true)
        #expect(try scene.get(target, SiteScene.authorization(guest, 10, "GET", target)) == 401)
    }

    @Test func aCommandIsAnsweredWithItsOutcome() throws {
        let scene = SiteScene()
        for (verdict, code) in [
            (CommandOutcome.Verdict.done(number: 1, effect: SessionTime(nanoseconds: 0)), 200),
            (.refused(.nothingPlays), 409),
        ] {
            let route = try scene.route("POST", "/api/v1/commands")
            guard case .collect(_, let take) = route else {
                Issue.record("takes no body")
                return
            }
            let future = take(ByteBuffer(string: #"{"pause":{}}"#))
            let id = try #require(scene.broadcast.command?.id)
            scene.broadcast.take(.outcome(CommandOutcome(id: id, verdict)))
            #expect(scene.answer(.respond(future))?.code == code)
        }
        #expect(scene.answer(try scene.route("POST", "/api/v1/commands"), body: "{")?.code == 400)
        #expect(scene.answer(try scene.route("POST", "/api/v1/commands"), body: #"{"dance":{}}"#)?.code == 400)
    }

    @Test func aGuestsCommandIsCoveredByItsProof() throws {
        let scene = SiteScene(isInHousehold: true)
        let guest = Guest(name: "Anna", role: .command, ends: .max)
        scene.site.take([guest], isInHousehold: true)
        let target = "/api/v1/commands"
        let header = SiteScene.authorization(guest, 1, "POST", target, body: #"{"pause":{}}"#)
        #expect(scene.answer(try scene.route("POST", target, header), body: #"{"clear":{}}"#)?.code == 401)
        #expect(scene.broadcast.command == nil)
        // It waits for its outcome.
        #expect(scene.answer(try scene.route("POST", target, header), body: #"{"pause":{}}"#) == nil)
        #expect(scene.broadcast.command != nil)
    }

    @Test func aTicketIsForWhatItemsHoldAlone() throws {
        let scene = SiteScene(isInHousehold: true)
        let holder = Tickets.Holder(name: "Anna", rights: [.listen, .add], instance: 1, guest: nil)
        let ticket = scene.site.tickets.issue(to: holder).hex
        for path in ["status", "queue", "songs"] {
            #expect(try scene.get("/api/v1/\(path)?query=a&ticket=\(ticket)") == 401, "\(path)")
        }
        // It waits for what is found.
        #expect(try scene.get("/api/v1/items/1/artwork?ticket=\(ticket)") == nil)
        scene.site.tickets.withdraw(try #require(Ticket(ticket)))
        #expect(try scene.get("/api/v1/items/1/artwork?ticket=\(ticket)") == 403)
    }

    /// A household is made while a song comes.
    @Test func aSongOfSomebodyWhoMayNoLongerIsRefused() throws {
        let scene = SiteScene(acceptsSongs: true)
        guard case .upload(let upload) = try scene.route("POST", "/api/v1/songs?name=a.mp3") else {
            Issue.record("is not taken")
            return
        }
        scene.site.take([], isInHousehold: true)
        #expect(scene.answer(.respond(upload.finish()))?.code == 403)
    }

    @Test func picturesAreServedAsSuchAndNothingElse() throws {
        let scene = SiteScene()
        let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 0, 0, 0, 0]
        for (item, bytes, code) in [(1, png, 200), (2, Array("<html><script>".utf8), 415)] {
            guard case .respond(let future) = try scene.route("GET", "/api/v1/items/\(item)/artwork") else { continue }
            scene.broadcast.take(.found(.artwork(of: ItemID(UInt32(item))), bytes))
            #expect(scene.answer(.respond(future))?.code == code)
        }
        guard case .respond(let future) = try scene.route("GET", "/api/v1/items/3/artwork") else { return }
        scene.broadcast.take(.foundNothing(.artwork(of: ItemID(3)), reason: ""))
        #expect(scene.answer(.respond(future))?.code == 204)
    }

    @Test func songsAreTakenWhereTheyAreAcceptedAndNotTooManyAtOnce() throws {
        let closed = SiteScene()
        #expect(closed.answer(try closed.route("POST", "/api/v1/songs?name=a.mp3"))?.code == 403)
        let scene = SiteScene(acceptsSongs: true)
        #expect(scene.answer(try scene.route("POST", "/api/v1/songs"))?.code == 400)
        #expect(scene.answer(try scene.route("POST", "/api/v1/songs?name=a&position=-1"))?.code == 400)
        var uploads: [any WebUpload] = []
        let song = "/api/v1/songs?name=a.mp3"
        for address in ["192.0.2.1", "192.0.2.2"] {
            for _ in 0..<SongUpload.countLimitOfAddress {
                if case .upload(let upload) = try scene.route("POST", song, from: address) { uploads.append(upload) }
            }
            // Others have their share.
            #expect(scene.answer(try scene.route("POST", song, from: address))?.code == 429)
        }
        #expect(uploads.count == SongUpload.countLimit)
        #expect(scene.answer(try scene.route("POST", song, from: "192.0.2.3"))?.code == 429)
        uploads[0].abort()
        uploads[0].abort()
        guard case .upload = try scene.route("POST", song, from: "192.0.2.3") else {
            Issue.record("there is room for one more")
            return
        }
        // Empty.
        #expect(scene.answer(.respond(uploads[1].finish()))?.code == 400)
    }

    @Test func anybodyMayHaveAStreamInOpenMode() throws {
        let scene = SiteScene()
        var streams: [any WebStream] = []
        for index in 0..<RadioStream.countLimit {
            let path = index % 2 == 0 ? "/stream" : "/stream.mp3"
            let address = "192.0.2.\(index)"
            if case .stream(let stream) = try scene.route("GET", path, from: address) { streams.append(stream) }
        }
        #expect(streams.count == RadioStream.countLimit && scene.site.streams.count == streams.count)
        #expect(scene.answer(try scene.route("GET", "/stream"))?.code == 503)
        #expect(scene.answer(try scene.route("POST", "/stream"))?.code == 405)
        #expect(try scene.get("/stream?ticket=\(Ticket.random().hex)") == 403)
        streams[0].abort()
        // Nothing is broadcast.
        let head = streams[1].begin()
        scene.loop.run()
        var reason = ""
        head.assumeIsolated().whenFailure { reason = ($0 as? WebRefusal)?.reason ?? "" }
        #expect(reason.contains("nothing is broadcast") && scene.site.streams.count == streams.count - 2)
    }

    @Test func anAddressHasSoManyStreamsAndLeavesOthersTheirShare() throws {
        let scene = SiteScene()
        var streams: [any WebStream] = []
        for _ in 0..<RadioStream.countLimitOfAddress {
            if case .stream(let stream) = try scene.route("GET", "/stream") { streams.append(stream) }
        }
        #expect(streams.count == RadioStream.countLimitOfAddress)
        let refused = scene.answer(try scene.route("GET", "/stream"))
        #expect(refused?.code == 429 && refused?.text.contains("end one") == true, "\(refused?.text ?? "a stream")")
        guard case .stream = try scene.route("GET", "/stream", from: "192.0.2.2") else {
            Issue.record("another address has none")
            return
        }
        // Ended twice, it makes room for one.
        streams[0].abort()
        streams[0].abort()
        guard case .stream = try scene.route("GET", "/stream") else {
            Issue.record("there is room for one more")
            return
        }
        #expect(scene.answer(try scene.route("GET", "/stream"))?.code == 429)
    }

    @Test func guestsHaveStreamsByTicketsThatAreGoodOnce() throws {
        let scene = SiteScene(isInHousehold: true)
        let guest = Guest(name: "Anna", role: .listen, ends: .max)
        scene.site.take([guest], isInHousehold: true)
        #expect(try scene.get("/stream") == 401)
        var path = ""
        scene.site.perform(.stream, by: guest.id) { result in
            if case .success(let member) = result { path = member.value.member("path")?.string ?? "" }
        }
        #expect(path.hasPrefix("/stream?ticket="))
        guard case .stream = try scene.route("GET", path) else {
            Issue.record("the ticket is good")
            return
        }
        #expect(try scene.get(path) == 403)
        let header = SiteScene.authorization(guest, 1, "GET", "/stream.mp3")
        guard case .stream = try scene.route("GET", "/stream.mp3", header) else {
            Issue.record("a program's proof is good")
            return
        }
    }

    @Test func oneAddressDoesNotAskForEver() throws {
        let scene = SiteScene()
        let codes = try (0..<AddressRates.burst + 10).map { _ in try scene.get("/api/v1/status") }
        // The clock goes on meanwhile.
        #expect(codes.count { $0 == 200 } < AddressRates.burst + 10 && codes.last == 429)
    }

    @Test func manyWrongProofsAreToldOnce() {
        let scene = SiteScene(isInHousehold: true)
        for _ in 0..<3 * Suspicions.limit { scene.site.suspect("192.0.2.1", "a wrong proof") }
        #expect(scene.notices == [.suspicious(address: "192.0.2.1", "a wrong proof")])
    }

    @Test func aSongIsKeptUnderItsName() throws {
        let file = try SpooledFile(name: "../../etc/a\u{1}b.mp3")
        #expect(file.name == "ab.mp3")
        try file.append(ByteBuffer(string: "song"))
        let link = try file.link()
        #expect(link.path.hasSuffix("/ab.mp3"))
        let opened = try #require(fopen(link.path, "r"))
        defer { fclose(opened) }
        var bytes = [UInt8](repeating: 0, count: 8)
        #expect(fread(&bytes, 1, 8, opened) == 4 && bytes.starts(with: "song".utf8))
        link.remove()
        #expect(fopen(link.path, "r") == nil)
        #expect(try SpooledFile(name: "..").name == "song" && SpooledFile(name: "").name == "song")
    }
}
