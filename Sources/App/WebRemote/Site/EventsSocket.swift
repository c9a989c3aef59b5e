import AudioCore
import Cryptography
import HostSystem
import NIOCore
import ProgrammeJSON
import WebServer
import WireProtocol

/// A page's socket of events and commands: performs what its ``RemoteSession`` says. Confined to the site's loop.
final class EventsSocket: WebSocketHandler {
    private enum State {
        case new
        case open(WebSocketConnection)
        case closed
    }

    let messageByteLimit = RemoteSession.byteLimit
    private let site: Site
    private let address: String
    private var session: RemoteSession
    private var state = State.new
    /// Once it has joined, until it closes.
    private var membership: (holder: Tickets.Holder, ticket: Ticket)?

    init(site: Site, address: String) {
        self.site = site
        self.address = address
        session = RemoteSession(nonce: Ticket.random().hex, now: .now())
    }

    func opened(_ socket: WebSocketConnection) {
        state = .open(socket)
        guard site.add(self) else {
            return socket.close(code: 1013, reason: "too many pages are open; close one, and try again")
        }
        perform(session.greeting(site.house))
    }

    func received(text: String) {
        let isCrowded = !site.takesText(of: address)
        perform(
            session.receive(text, site.house, site.guests, &site.tickets, isCrowded: isCrowded, now: .now()))
    }

    func received(binary: ByteBuffer) { close(code: 1003, reason: "requests are text") }

    /// Ends it if its code is no longer good.
    func check() { perform(session.check(site.guests, site.house, now: .now())) }

    /// Ends it if this is its ticket: the same page has come back.
    func end(ifOf ticket: Ticket) {
        if membership?.ticket == ticket { close(code: 1001, reason: "the page has come back by another connection") }
    }

    /// Tells it what all pages are told.
    func tell(_ text: String) {
        if membership != nil, case .open(let socket) = state { socket.send(text: text) }
    }

    func closed() {
        if case .closed = state { return }
        state = .closed
        session.close()
        site.remove(self)
        if let membership { site.leave(membership.holder, membership.ticket) }
        membership = nil
    }

    private func close(code: UInt16, reason: String) {
        guard case .open(let socket) = state else { return }
        closed()
        socket.close(code: code, reason: reason)
    }

    private func perform(_ actions: [RemoteSession.Action]) {
        for action in actions {
            switch action {
            case .send(let text): if case .open(let socket) = state { socket.send(text: text) }
            case .close(let code, let reason): close(code: code, reason: reason)
            case .join(let holder, let ticket): join(holder, ticket)
            case .replace(let former): site.replacePage(with: former)
            case .request(let id, let request): answer(id, request)
            case .suspect(let what): site.suspect(address, what)
            }
        }
    }

    private func join(_ holder: Tickets.Holder, _ ticket: Ticket) {
        membership = (holder, ticket)
        site.noteJoined(holder, address)
        if let state = site.desk.stateJSON(now: .now()) { tell("{\"state\":\(state)}") }
    }

    // MARK: Requests

    private func answer(_ id: Int64, _ request: PageRequest) {
        let (site, address) = (site, address)
        guard site.beginRequest(of: address) else {
            let text = "too much is still to be answered to pages at your address; wait for it"
            return perform(session.answer(id, JSONValue.Member(key: "error", value: .string(text))))
        }
        site.perform(request, by: membership?.holder.guest) { result in
            site.endRequest(of: address)
            let member =
                switch result {
                case .success(let member): member
                case .failure(let failure): JSONValue.Member(key: "error", value: .string(failure.text))
                }
            self.perform(self.session.answer(id, member))
        }
    }
}
