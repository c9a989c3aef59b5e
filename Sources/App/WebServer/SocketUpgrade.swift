import NIOCore
import NIOHTTP1
import NIOWebSocket

/// The opening handshake of a WebSocket (RFC 6455 section 4.2).
enum SocketUpgrade {
    /// - Throws: ``WebRefusal`` for a head that does not ask for a WebSocket, or not rightly.
    static func check(_ head: HTTPRequestHead) throws(WebRefusal) {
        let headers = head.headers
        guard head.method == .GET, head.version == .http1_1,
            headers[canonicalForm: "connection"].contains(where: { $0.lowercased() == "upgrade" }),
            headers[canonicalForm: "upgrade"].contains(where: { $0.lowercased() == "websocket" })
        else { throw refusal(.upgradeRequired, "This is a WebSocket: open it with one, or use a newer browser.") }
        guard headers["sec-websocket-version"] == ["13"] else {
            throw refusal(.upgradeRequired, "WebSockets are of version 13 here: use a newer browser.")
        }
        // 16 bytes in base64.
        let keys = headers["sec-websocket-key"]
        guard keys.count == 1, keys[0].utf8.count == 24, keys[0].hasSuffix("==") else {
            throw WebRefusal(.badRequest, "A WebSocket is asked for with one Sec-WebSocket-Key of 16 bytes in base64.")
        }
    }

    private static func refusal(_ status: WebStatus, _ reason: String) -> WebRefusal {
        WebRefusal(
            status, reason,
            headers: [("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Version", "13")])
    }

    /// Returns the headers that accept. Completes at once.
    static func accepting(_ head: HTTPRequestHead, on channel: any Channel) -> EventLoopFuture<HTTPHeaders> {
        NIOWebSocketServerUpgrader(
            automaticErrorHandling: false,
            shouldUpgrade: { channel, _ in channel.eventLoop.makeSucceededFuture([:]) },
            upgradePipelineHandler: { channel, _ in channel.eventLoop.makeSucceededVoidFuture() }
        ).buildUpgradeResponse(channel: channel, upgradeRequest: head, initialResponseHeaders: [:])
    }

    /// Adds to a pipeline what a WebSocket needs.
    static func addHandlers(
        to channel: any Channel, for handler: any WebSocketHandler, socket: WebSocketConnection
    ) throws {
        let limit = handler.messageByteLimit
        // A control frame has up to 125 bytes.
        let decoder = WebSocketFrameDecoder(maxFrameSize: min(max(limit, 125), Int(UInt32.max)))
        try channel.pipeline.syncOperations.addHandlers([
            WebSocketFrameEncoder(), ByteToMessageHandler(decoder),
            WebSocketFrameHandler(socket, messageByteLimit: limit),
        ])
    }
}
