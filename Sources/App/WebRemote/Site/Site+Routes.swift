import AudioCore
import Controlling
import Cryptography
import MusicLibrary
import NIOCore
import ProgrammeJSON
import WebServer
import WireProtocol

/// Which request goes where.
extension Site {
    /// What a request is about, without regard to its method.
    private enum Place {
        case file(WebResponse)
        case events, listening, clock
        case stream
        case status, queue, songs, commands, schema
        case artwork(ItemID), lyrics(ItemID), levels(ItemID)

        var methods: [String] {
            switch self {
            case .commands: ["POST"]
            case .songs: ["GET", "POST"]
            default: ["GET"]
            }
        }
    }

    /// Bytes of a command that is posted.
    private static let commandByteLimit = 64 * 1024

    func route(_ request: WebRequest) -> WebRoute {
        do throws(WebRefusal) {
            guard let place = place(of: request) else { throw WebRefusal(.notFound, "there is nothing here") }
            guard place.methods.contains(request.method) else {
                let allowed = place.methods.joined(separator: ", ")
                throw WebRefusal(.methodNotAllowed, "only \(allowed) works here", headers: [("Allow", allowed)])
            }
            return try route(request, to: place)
        } catch {
            return .respond(loop.makeFailedFuture(error))
        }
    }

    private func place(of request: WebRequest) -> Place? {
        if let file = files.response(at: request.path, accepting: request.header("Accept-Encoding")) {
            return .file(file)
        }
        switch request.path {
        case "/api/v1/events": return .events
        case "/listen": return .listening
        case "/clock": return .clock
        case "/stream", "/stream.mp3": return .stream
        case "/api/v1/status": return .status
        case "/api/v1/queue": return .queue
        case "/api/v1/songs": return .songs
        case "/api/v1/commands": return .commands
        case "/api/v1/schema": return .schema
        default: return Self.itemPlace(request.path)
        }
    }

    private static func itemPlace(_ path: String) -> Place? {
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 6, parts[1...3] == ["api", "v1", "items"], parts[4].utf8.allSatisfy({ $0 < 0x3A }),
            let item = UInt32(parts[4]).map({ ItemID($0) })
        else { return nil }
        switch parts[5] {
        case "artwork": return .artwork(item)
        case "lyrics": return .lyrics(item)
        case "levels": return .levels(item)
        default: return nil
        }
    }

    private func route(_ request: WebRequest, to place: Place) throws(WebRefusal) -> WebRoute {
        switch place {
        case .file(let response): return .respond(response, on: loop)
        case .schema: return .respond(WebResponse(json: APISchema.text), on: loop)
        case .events: return .socket(EventsSocket(site: self, address: request.address))
        case .listening: return .socket(ListenSocket(site: self, ticket: try ticket(of: request)))
        case .clock: return .socket(ClockSocket(site: self, ticket: try ticket(of: request)))
        case .stream:
            return try stream(for: request) { () throws(WebRefusal) in
                rights(of: try guest(of: request, body: ByteBuffer()))
            }
        case .commands: return collectCommand(request)
        case .songs where request.method == "POST": return try upload(request)
        case .status, .queue, .songs, .artwork, .lyrics, .levels:
            let rights = try rights(for: request, at: place)
            try Self.demandAny(rights)
            return .respond(
                whenPresent { () throws(WebRefusal) in try self.respond(to: request, at: place, rights) })
        }
    }

    private func ticket(of request: WebRequest) throws(WebRefusal) -> Ticket {
        guard let ticket = Ticket(request.query("ticket")), tickets.holder(of: ticket) != nil else {
            throw WebRefusal(.forbidden, Self.badTicket)
        }
        return ticket
    }

    // MARK: Who asks

    /// Returns what whoever wants to read something may do. Pages fetch with their ticket what an item holds: an
    /// image's address cannot carry a proof.
    private func rights(for request: WebRequest, at place: Place) throws(WebRefusal) -> PageRights {
        switch place {
        case .artwork, .lyrics, .levels:
            guard request.query("ticket") != nil else { break }
            try countRequest(request)
            return tickets.holder(of: try ticket(of: request))?.rights ?? []
        default: break
        }
        return rights(of: try guest(of: request, body: ByteBuffer()))
    }

    private func countRequest(_ request: WebRequest) throws(WebRefusal) {
        guard takesRequest(of: request.address) else {
            throw WebRefusal(
                .tooManyRequests, "too many requests; ask at most \(AddressRates.perSecond) times a second")
        }
    }

    /// Returns who asks; nil for somebody without a code.
    /// - Parameter body: what a guest's proof covers.
    private func guest(of request: WebRequest, body: ByteBuffer) throws(WebRefusal) -> GuestID? {
        try countRequest(request)
        guard let header = request.header("Authorization") else { return nil }
        guard let stated = GuestAuthorization(header: header) else {
            throw WebRefusal(
                .unauthorized, "the header is: Authorization: Tutti-Guest ID N MAC", headers: Self.challenge)
        }
        guard let guest = guests.guest(stated.id, at: WallClock.seconds()) else {
            suspect(request.address, "a code that is unknown, withdrawn or over")
            throw WebRefusal(
                .unauthorized, "this code is not good, or not any more; ask for another one", headers: Self.challenge)
        }
        let mac = GuestProof.http(
            guest.key, number: stated.number, method: request.isHead ? "HEAD" : request.method, target: request.target,
            bodyDigest: Hashing.sha256(Array(body.readableBytesView)))
        guard GuestProof.matches(mac, hex: stated.mac) else {
            suspect(request.address, "a wrong proof of \(guest.name)'s code")
            throw WebRefusal(.unauthorized, "the proof of this code is wrong", headers: Self.challenge)
        }
        guard accept(stated.number, of: stated.id) else {
            throw WebRefusal(
                .unauthorized,
                "N was used before, or is no time of now: milliseconds since 1970, here \(WallClock.milliseconds())",
                headers: Self.challenge)
        }
        return stated.id
    }

    static let challenge = [("WWW-Authenticate", "Tutti-Guest")]

    private static func demand(_ right: ProgrammeRight, _ rights: PageRights) throws(WebRefusal) {
        guard rights.contains(right) else {
            throw WebRefusal(
                rights.isEmpty ? .unauthorized : .forbidden, PageRequest.missing(right),
                headers: rights.isEmpty ? challenge : [])
        }
    }

    /// Whoever may listen or command sees what plays.
    private static func demandAny(_ rights: PageRights) throws(WebRefusal) {
        if rights.isEmpty { try demand(.listen, rights) }
    }

    // MARK: What is read

    /// Completes once the broadcast's state is known; fails where that does not come soon.
    func presence() -> EventLoopFuture<Void> {
        let promise = loop.makePromise(of: Void.self)
        desk.whenFollowing(now: .now()) { isThere in
            if isThere { promise.succeed() } else { promise.fail(Self.refusal(.away)) }
        }
        return promise.futureResult
    }

    /// Answers once the broadcast's state is known.
    private func whenPresent(
        _ answer: @escaping () throws(WebRefusal) -> EventLoopFuture<WebResponse>
    ) -> EventLoopFuture<WebResponse> {
        presence().assumeIsolated().flatMap {
            do throws(WebRefusal) { return try answer() } catch { return self.loop.makeFailedFuture(error) }
        }.nonisolated()
    }

    private func respond(
        to request: WebRequest, at place: Place, _ rights: PageRights
    ) throws(WebRefusal) -> EventLoopFuture<WebResponse> {
        switch place {
        case .artwork(let item): return lookUp(.artwork(of: item), orElse: Self.noPicture, Self.picture)
        case .lyrics(let item):
            return lookUp(.lyrics(of: item)) { bytes in
                WebResponse(mediaType: "text/plain; charset=utf-8", body: ByteBuffer(bytes: bytes))
            }
        case .levels(let item):
            return lookUp(.levels(of: item)) { bytes in
                LevelEnvelope(encoded: bytes).map { WebResponse(json: $0.json) }
            }
        case .queue:
            let page: QueuePageRequest
            do throws(PageRequest.Fault) {
                page = try PageRequest.page(
                    from: Self.number(request, "from", 0),
                    count: Self.number(request, "count", PageRequest.defaultCount))
            } catch { throw WebRefusal(.badRequest, error.text) }
            return try answer(.queue(page), rights) { $0 }
        case .songs:
            let songs: PageRequest
            do throws(PageRequest.Fault) {
                songs = try PageRequest.songs(
                    request.query("query") ?? "",
                    limit: Self.number(request, "limit", PageRequest.defaultSongCount))
            } catch { throw WebRefusal(.badRequest, error.text) }
            return try answer(songs, rights) { .object(["songs": $0]) }
        default:
            guard let state = desk.stateJSON(now: .now()) else { throw Self.refusal(.away) }
            return loop.makeSucceededFuture(WebResponse(json: state))
        }
    }

    private static func number(_ request: WebRequest, _ name: String, _ standard: Int) throws(PageRequest.Fault) -> Int
    {
        guard let text = request.query(name) else { return standard }
        guard let number = Int(text) else { throw PageRequest.Fault("'\(name)' is a whole number") }
        return number
    }

    /// Answers what pages ask for in texts, too.
    private func answer(
        _ request: PageRequest, _ rights: PageRights, _ body: @escaping (JSONValue) -> JSONValue
    ) throws(WebRefusal) -> EventLoopFuture<WebResponse> {
        if let obstacle = request.obstacle(for: rights, instance: nil) {
            throw WebRefusal(
                rights.isEmpty ? .unauthorized : .forbidden, obstacle, headers: rights.isEmpty ? Self.challenge : [])
        }
        let promise = loop.makePromise(of: WebResponse.self)
        perform(request, by: nil) { result in
            switch result {
            case .success(let member):
                let isRefused = member.value.member("done") == .bool(false)
                promise.succeed(WebResponse(json: body(member.value), status: isRefused ? .conflict : .ok))
            case .failure(let failure): promise.fail(Self.refusal(failure))
            }
        }
        return promise.futureResult
    }

    private func lookUp(
        _ subject: LookupSubject, orElse none: WebResponse? = nil, _ body: @escaping ([UInt8]) -> WebResponse?
    ) -> EventLoopFuture<WebResponse> {
        let promise = loop.makePromise(of: WebResponse.self)
        desk.lookUp(subject, now: .now()) { result in
            switch result {
            case .success(let bytes?):
                guard let response = body(bytes) else {
                    return promise.fail(WebRefusal(.unsupportedMediaType, "what the song has is of an unknown kind"))
                }
                promise.succeed(response)
            case .success(nil):
                guard let none else {
                    return promise.fail(WebRefusal(.notFound, "the song has none, or is no longer queued"))
                }
                promise.succeed(none)
            case .failure(let failure): promise.fail(Self.refusal(failure))
            }
        }
        return promise.futureResult
    }

    /// Most songs of some libraries have no picture: a page that asks makes no mistake.
    private static let noPicture = WebResponse(status: .noContent, mediaType: "", body: ByteBuffer())

    /// Only pictures are served as such: nothing that a song holds becomes a page.
    private static func picture(_ bytes: [UInt8]) -> WebResponse? {
        PictureFormat(bytes).map { format in
            // The same item always has the same picture; items of other broadcasts have other digests.
            WebResponse(
                mediaType: format.mediaType, body: ByteBuffer(bytes: bytes),
                headers: [("ETag", "\"\(Hashing.sha256(bytes).hex.prefix(32))\"")])
        }
    }

    private static func refusal(_ failure: DeskFailure) -> WebRefusal {
        switch failure {
        case .away, .tooBusy, .noAnswer: WebRefusal(.unavailable, failure.text)
        case .nothingFound: WebRefusal(.notFound, failure.text)
        case .unknownPath: WebRefusal(.conflict, failure.text)
        }
    }

    // MARK: What is sent

    private func collectCommand(_ request: WebRequest) -> WebRoute {
        .collect(byteLimit: Self.commandByteLimit) { body in
            do throws(WebRefusal) {
                let rights = self.rights(of: try self.guest(of: request, body: body))
                try Self.demandAny(rights)
                return self.whenPresent { () throws(WebRefusal) in
                    try self.answer(try self.command(body), rights) { $0 }
                }
            } catch {
                return self.loop.makeFailedFuture(error)
            }
        }
    }

    private func command(_ body: ByteBuffer) throws(WebRefusal) -> PageRequest {
        let json: JSONValue
        do throws(JSONError) {
            json = try JSONValue(parsing: Array(body.readableBytesView), byteLimit: Self.commandByteLimit)
        } catch { throw WebRefusal(.badRequest, "\(error)") }
        do throws(PageRequest.Fault) {
            return try PageRequest.command(json, listeners)
        } catch { throw WebRefusal(.badRequest, error.text) }
    }

    private func upload(_ request: WebRequest) throws(WebRefusal) -> WebRoute {
        let guest = try guest(of: request, body: ByteBuffer())
        try Self.demand(.add, rights(of: guest))
        guard let name = request.query("name"), !name.isEmpty else {
            throw WebRefusal(.badRequest, "the song's file name is missing: POST /api/v1/songs?name=NAME")
        }
        var position: Int?
        if let text = request.query("position") {
            guard let number = UInt32(text), number < UInt32.max else {
                throw WebRefusal(.badRequest, "'position' is a place in the queue, from 0")
            }
            position = Int(number)
        }
        if let length = request.header("Content-Length").flatMap({ UInt64($0) }), length > UInt64(SongUpload.byteLimit)
        {
            throw WebRefusal(.contentTooLarge, "\(CommandRefusal.songTooLong)")
        }
        let upload = SongUpload(site: self, of: request.address, sentBy: guest, name: name, position: position)
        guard begin(upload) else { throw WebRefusal(.tooManyRequests, "\(CommandRefusal.tooManySongs)") }
        return .upload(upload)
    }
}
