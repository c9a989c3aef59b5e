import NIOCore
import NIOEmbedded
import Testing

@testable import WebRemote
@testable import WebServer

/// A socket by which a page listens, on the site's own loop.
private final class ListenScene {
    private let channel: EmbeddedChannel
    private let socket: WebSocketConnection
    private let handler: ListenSocket

    init(_ scene: SiteScene, address: String, ticket: Ticket) throws {
        channel = EmbeddedChannel(loop: scene.loop)
        handler = ListenSocket(site: scene.site, ticket: ticket)
        socket = WebSocketConnection(
            channel: channel, address: address, handler: handler, limits: WebLimits(),
            budget: WriteBudget(limit: .max))
        // Its frames become bytes.
        try SocketUpgrade.addHandlers(to: channel, for: handler, socket: socket)
        socket.open()
    }

    /// The browser is gone.
    func close() { handler.closed() }

    /// With which status and reason it was closed (RFC 6455, section 5.5.1); nil while it is open.
    func closing() -> (code: UInt16, reason: String)? {
        channel.embeddedEventLoop.run()
        var bytes = ByteBuffer()
        while var piece = try? channel.readOutbound(as: ByteBuffer.self) { bytes.writeBuffer(&piece) }
        guard bytes.readInteger(as: UInt8.self) == 0x88, let length = bytes.readInteger(as: UInt8.self),
            let code = bytes.readInteger(as: UInt16.self), let reason = bytes.readString(length: Int(length) - 2)
        else { return nil }
        return (code, reason)
    }
}

@Suite(.timeLimit(.minutes(5)))
struct ListenSocketTests {
    private func ticket(_ scene: SiteScene) -> Ticket {
        scene.site.tickets.issue(to: Tickets.Holder(name: "Anna", rights: [.listen], instance: 1, guest: nil))
    }

    private func listen(_ scene: SiteScene, at address: String) throws -> ListenScene {
        try ListenScene(scene, address: address, ticket: ticket(scene))
    }

    @Test func soManyOfOneAddressListenAndOthersHaveTheirShare() throws {
        let scene = SiteScene(connector: ScriptedConnector())
        let sockets = try (0..<Site.listeningLimitOfAddress).map { _ in try listen(scene, at: "192.0.2.1") }
        #expect(sockets.allSatisfy { $0.closing() == nil })
        let refused = try listen(scene, at: "192.0.2.1").closing()
        #expect(refused?.code == 1013 && refused?.reason == Site.tooManyListen)
        #expect(try listen(scene, at: "192.0.2.2").closing() == nil)
        // Whoever leaves makes room for one.
        sockets[0].close()
        sockets[0].close()
        #expect(try listen(scene, at: "192.0.2.1").closing() == nil)
        #expect(try listen(scene, at: "192.0.2.1").closing()?.code == 1013)
    }

    /// What is refused takes no place, neither of the address nor of the ticket.
    @Test func whatIsRefusedIsNotCounted() throws {
        let away = SiteScene()
        for _ in 0...Site.listeningLimitOfAddress {
            let refused = try listen(away, at: "192.0.2.1").closing()
            #expect(refused?.code == 1013 && refused?.reason.hasPrefix("nothing is broadcast") == true)
        }
        let scene = SiteScene(connector: ScriptedConnector())
        let sockets = try (0..<Site.listeningLimitOfAddress).map { _ in try listen(scene, at: "192.0.2.1") }
        let again = ticket(scene)
        for _ in 0..<3 {
            #expect(try ListenScene(scene, address: "192.0.2.1", ticket: again).closing()?.code == 1013)
        }
        sockets[0].close()
        #expect(try ListenScene(scene, address: "192.0.2.1", ticket: again).closing() == nil)
        #expect(try ListenScene(scene, address: "192.0.2.2", ticket: .random()).closing()?.code == 1008)
    }
}
