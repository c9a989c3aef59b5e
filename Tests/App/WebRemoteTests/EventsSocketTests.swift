import NIOCore
import NIOEmbedded
import ProgrammeJSON
import Testing
import WireProtocol

@testable import WebRemote
@testable import WebServer

/// A page's socket of events, on the site's own loop.
private final class SocketScene {
    private let channel: EmbeddedChannel
    private let handler: EventsSocket
    private let socket: WebSocketConnection

    init(_ scene: SiteScene, address: String) throws {
        channel = EmbeddedChannel(loop: scene.loop)
        handler = EventsSocket(site: scene.site, address: address)
        socket = WebSocketConnection(
            channel: channel, address: address, handler: handler, limits: WebLimits(),
            budget: WriteBudget(limit: .max))
        // Its frames become bytes.
        try SocketUpgrade.addHandlers(to: channel, for: handler, socket: socket)
        socket.open()
    }

    /// Joins, and returns what it was told.
    func join(_ name: String, former: String? = nil) -> JSONValue? {
        let member = former.map { #","former":"\#($0)""# } ?? ""
        return say(#"{"join":{"name":"\#(name)"\#(member)}}"#).compactMap { $0.member("joined") }.last
    }

    func say(_ text: String) -> [JSONValue] {
        handler.received(text: text)
        return heard()
    }

    /// What it was told since the last time.
    func heard() -> [JSONValue] {
        channel.embeddedEventLoop.run()
        var (heard, bytes) = ([JSONValue](), ByteBuffer())
        while var piece = try? channel.readOutbound(as: ByteBuffer.self) { bytes.writeBuffer(&piece) }
        // Frames that are whole messages, unmasked (RFC 6455, section 5.2).
        while let kind = bytes.readInteger(as: UInt8.self), let short = bytes.readInteger(as: UInt8.self) {
            let length = short == 126 ? bytes.readInteger(as: UInt16.self).map { Int($0) } : Int(short)
            let text = bytes.readString(length: length ?? 0) ?? ""
            switch kind {
            case 0x81: if let json = try? JSONValue(parsing: text, byteLimit: 1 << 20) { heard.append(json) }
            case 0x88: isClosed = true
            default: break
            }
        }
        return heard
    }

    private(set) var isClosed = false
}

@Suite(.timeLimit(.minutes(5)))
struct EventsSocketTests {
    @Test func aPageThatComesBackEndsWhatItWas() throws {
        let scene = SiteScene()
        let first = try SocketScene(scene, address: "192.0.2.1")
        let ticket = try #require(first.join("Anna")?.member("ticket")?.string)
        let second = try SocketScene(scene, address: "192.0.2.1")
        #expect(second.join("Anna", former: ticket)?.member("name")?.string == "Anna")
        _ = first.heard()
        #expect(first.isClosed && !second.isClosed)
        #expect(try scene.get("/listen?ticket=\(ticket)") == 403)
        let third = try SocketScene(scene, address: "192.0.2.2")
        #expect(third.join("Anna")?.member("name")?.string == "Anna 2")
    }

    /// What one address has the broadcast look for leaves others their share.
    @Test func anAddressWaitsForSoManyAnswers() throws {
        let scene = SiteScene()
        let pages = try (0..<3).map { _ in try SocketScene(scene, address: "192.0.2.1") }
        for page in pages { _ = page.join("Anna") }
        var refused = 0
        for (index, page) in pages.enumerated() {
            for id in 1...10 {
                let answers = page.say(#"{"id":\#(id),"lyrics":{"item":\#(100 * index + id)}}"#)
                refused += answers.count { $0.member("error")?.string?.contains("at your address") == true }
            }
        }
        #expect(refused == 30 - Site.requestLimitOfAddress)
        let other = try SocketScene(scene, address: "192.0.2.2")
        _ = other.join("Ben")
        #expect(other.say(#"{"id":1,"lyrics":{"item":1}}"#).isEmpty)
        // Answers make room.
        scene.broadcast.take(.foundNothing(.lyrics(of: ItemID(1)), reason: ""))
        #expect(pages[0].heard().contains { $0.member("lyrics") != nil })
        #expect(pages[2].say(#"{"id":11,"lyrics":{"item":1}}"#).contains { $0.member("lyrics") != nil })
    }

    @Test func anAddressSaysSoMuch() {
        let scene = SiteScene()
        let texts = (0..<AddressRates.textBurst + 50).map { _ in scene.site.takesText(of: "192.0.2.1") }
        #expect(texts.prefix(AddressRates.textBurst).allSatisfy { $0 } && texts.last == false)
        #expect(scene.site.takesText(of: "192.0.2.2"))
    }
}
