import NIOCore
import WebServer

/// The socket over which a page listens: bytes of the wire protocol, between the page and the broadcast. Frames mean
/// nothing in it. Confined to the site's loop; the broadcast's calls are brought there.
final class ListenSocket: WebSocketHandler, TicketSocket {
    private enum State {
        case new
        case open(WebSocketConnection, any BrowserPassage)
        case closed
    }

    /// A listener says little: greeting, reports and settings have less than a kilobyte each.
    let messageByteLimit = 16 * 1024
    private let site: Site
    private let ticket: Ticket
    private var state = State.new

    init(site: Site, ticket: Ticket) {
        self.site = site
        self.ticket = ticket
    }

    func opened(_ socket: WebSocketConnection) {
        guard let holder = site.open(self, .listening, with: ticket) else {
            return refuse(socket, 1008, Site.badTicket)
        }
        guard site.beginListening(at: socket.address) else {
            site.close(self, .listening, with: ticket)
            return refuse(socket, Self.tryAgainLater, Site.tooManyListen)
        }
        let running = site.running
        let passage = site.connector.connect(
            instance: holder.instance, address: socket.address,
            send: { bytes in running.execute { self.send(bytes) } },
            close: { running.execute { self.end(code: 1000, reason: "the broadcast closes the connection") } })
        guard let passage else {
            leave(socket)
            return refuse(socket, Self.tryAgainLater, "nothing is broadcast at the moment; try again")
        }
        state = .open(socket, passage)
    }

    /// A code of the registry that RFC 6455 section 11.7 began.
    private static let tryAgainLater: UInt16 = 1013

    private func refuse(_ socket: WebSocketConnection, _ code: UInt16, _ reason: String) {
        state = .closed
        socket.close(code: code, reason: reason)
    }

    private func send(_ bytes: ByteBuffer) {
        if case .open(let socket, _) = state { socket.send(binary: bytes) }
    }

    func received(text: String) { end(code: 1003, reason: "a listener sends bytes, not text") }

    func received(binary: ByteBuffer) {
        if case .open(_, let passage) = state { passage.receive(binary) }
    }

    func wrote(byteCount: Int) {
        if case .open(_, let passage) = state { passage.noteWritten(byteCount: byteCount) }
    }

    func end(code: UInt16, reason: String) {
        guard case .open(let socket, _) = state else { return }
        closed()
        socket.close(code: code, reason: reason)
    }

    func closed() {
        guard case .open(let socket, let passage) = state else { return }
        state = .closed
        leave(socket)
        passage.close()
    }

    private func leave(_ socket: WebSocketConnection) {
        site.close(self, .listening, with: ticket)
        site.endListening(at: socket.address)
    }
}

// Confined to the site's loop, to which the broadcast's calls are brought.
extension ListenSocket: @unchecked Sendable {}
