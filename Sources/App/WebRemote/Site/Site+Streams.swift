import HostSystem
import NIOCore
import ProgrammeJSON
import WebServer

/// Streams without sync.
extension Site {
    /// A stream for whoever asks: with a ticket of its own, else with the rights of any request.
    /// - Parameter rights: of whoever asks without a ticket.
    func stream(
        for request: WebRequest, rights: () throws(WebRefusal) -> PageRights
    ) throws(WebRefusal) -> WebRoute {
        var guest: GuestID?
        if let text = request.query("ticket") {
            guard let ticket = Ticket(text) else { throw Self.badStreamTicket }
            let use = streamTickets.use(ticket, now: .now())
            guard use.isGood, mayStream(use.guest) else { throw Self.badStreamTicket }
            guest = use.guest
        } else {
            guard try rights().contains(.listen) else {
                throw WebRefusal(.unauthorized, PageRequest.missing(.listen), headers: Self.challenge)
            }
            guest = request.header("Authorization").flatMap { GuestAuthorization(header: $0)?.id }
        }
        guard streams.count < RadioStream.countLimit else {
            throw WebRefusal(
                .unavailable, "\(RadioStream.countLimit) streams run already: end one, and try again",
                headers: [("Retry-After", "30")])
        }
        guard streamCounts.begin(request.address) else {
            throw WebRefusal(
                .tooManyRequests,
                "\(RadioStream.countLimitOfAddress) streams run to your address already: end one, and try again",
                headers: [("Retry-After", "30")])
        }
        let worker = StreamWorker(
            running: streamLoop, connector: connector, address: request.address, head: streamHead,
            makeEncoder: LAMEEncoder.maker())
        let stream = RadioStream(site: self, of: request.address, guest: guest, worker: worker)
        streams[ObjectIdentifier(stream)] = stream
        return .stream(stream)
    }

    private static let badStreamTicket = WebRefusal(
        .forbidden, "this address was good once, for a few minutes: take another one from the page")

    private var streamHead: WebResponse {
        // A header is one line.
        let scalars = house.name.unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }
        let shown = String(String.UnicodeScalarView(scalars))
        return WebResponse(mediaType: "audio/mpeg", body: ByteBuffer(), headers: [("icy-name", shown)])
    }

    /// Whether somebody may go on listening.
    private func mayStream(_ guest: GuestID?) -> Bool {
        guard let guest else { return access.open.contains(.listen) }
        return guests.guest(guest, at: WallClock.seconds()).map { access.rights(of: $0.role).contains(.listen) }
            ?? false
    }

    /// Ends the streams of those who may not listen any more.
    func checkStreams() {
        for stream in streams.values where !mayStream(stream.guest) { stream.end() }
    }

    func remove(_ stream: RadioStream) {
        if streams.removeValue(forKey: ObjectIdentifier(stream)) != nil { streamCounts.end(stream.address) }
    }

    /// The answer to a page that asks where its player finds the stream.
    func streamAddress(for guest: GuestID?) -> JSONValue {
        let ticket = streamTickets.issue(to: guest, now: .now())
        return .object(["path": .string("/stream?ticket=\(ticket.hex)")])
    }
}
