import AudioCore
import HostSystem
import NIOCore
import WebServer

/// The socket over which a page asks for the session time. Confined to the site's loop.
final class ClockSocket: WebSocketHandler, TicketSocket {
    let messageByteLimit = 64
    private let site: Site
    private let ticket: Ticket
    private var exchange = ClockExchangeSession()
    /// Nil before it opened and after it closed.
    private var socket: WebSocketConnection?

    init(site: Site, ticket: Ticket) {
        self.site = site
        self.ticket = ticket
    }

    func opened(_ socket: WebSocketConnection) {
        guard site.open(self, .clock, with: ticket) != nil else {
            return socket.close(code: 1008, reason: Site.badTicket)
        }
        self.socket = socket
    }

    func received(text: String) { end(code: 1003, reason: "a question for the time is 8 bytes, not text") }

    func received(binary: ByteBuffer) {
        let received = HostTime.now()
        switch exchange.receive(binary, now: received) {
        case .answer: socket?.send(binary: ClockExchangeSession.answer(binary, received: received, sent: .now()))
        case .drop: break
        case .refuse: end(code: 1008, reason: "a question for the time is 8 bytes")
        }
    }

    func end(code: UInt16, reason: String) {
        guard let socket else { return }
        closed()
        socket.close(code: code, reason: reason)
    }

    func closed() {
        guard socket != nil else { return }
        socket = nil
        site.close(self, .clock, with: ticket)
    }
}
