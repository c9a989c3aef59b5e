import NIOCore
import NIOEmbedded

@testable import WebServer

/// A client of a connection without a socket, on a clock of its own.
final class EmbeddedClient {
    let channel = EmbeddedChannel()
    private var hasEnded = false

    init(limits: WebLimits = .init(), refusal: WebRefusal? = nil, site: (any EventLoop) -> any WebSite) throws {
        let connection = WebConnection(
            site: site(channel.embeddedEventLoop), check: HeadCheck(names: ["kitchen"]), limits: limits,
            address: "192.0.2.7", budget: WriteBudget(limit: limits.waitingBytes), refusal: refusal,
            onSocket: { _ in })
        try connection.addHandlers(to: channel)
        channel.pipeline.fireChannelActive()
        channel.closeFuture.assumeIsolated().whenComplete { [unowned self] _ in hasEnded = true }
    }

    var loop: EmbeddedEventLoop { channel.embeddedEventLoop }

    /// Whether the server has ended the connection.
    var isClosed: Bool {
        loop.run()
        return hasEnded
    }

    /// Lets time pass.
    func wait(seconds: Int64) { loop.advanceTime(by: .seconds(seconds)) }

    /// Ends the connection at the client's side.
    func hangUp() {
        channel.pipeline.close(promise: nil)
        loop.run()
    }

    func say(_ text: String) { say(Array(text.utf8)) }

    func say(_ bytes: [UInt8]) {
        _ = try? channel.writeInbound(ByteBuffer(bytes: bytes))
        loop.run()
    }

    /// What the server has said since the last time.
    func hear() -> [UInt8] {
        loop.run()
        var heard: [UInt8] = []
        while let piece = try? channel.readOutbound(as: IOData.self) {
            if case .byteBuffer(let bytes) = piece { heard += bytes.readableBytesView }
        }
        return heard
    }

    func hearText() -> String { String(decoding: hear(), as: UTF8.self) }
}

/// Responses as a test compares them.
struct HeardResponse: Equatable {
    let status: Int
    /// By names in lower case.
    let headers: [String: String]
    let body: String

    /// Takes apart responses that follow each other, each with a Content-Length.
    static func all(in text: String, toHead: Bool = false) -> [HeardResponse] {
        var (responses, rest) = ([HeardResponse](), Array(text.utf8)[...])
        let gap = Array("\r\n\r\n".utf8)
        while let end = rest.indices.first(where: { rest[$0...].starts(with: gap) }) {
            let lines = String(decoding: rest[..<end], as: UTF8.self).split(separator: "\r\n")
            var headers: [String: String] = [:]
            for line in lines.dropFirst() {
                let parts = line.split(separator: ":", maxSplits: 1)
                headers[parts[0].lowercased()] = String(parts[1].drop { $0 == " " })
            }
            rest = rest[(end + gap.count)...]
            let length = toHead ? 0 : Int(headers["content-length"] ?? "0") ?? 0
            responses.append(
                HeardResponse(
                    status: Int(lines[0].split(separator: " ")[1]) ?? 0, headers: headers,
                    body: String(decoding: rest.prefix(length), as: UTF8.self)))
            rest = rest.dropFirst(length)
        }
        return responses
    }
}

extension EmbeddedClient {
    /// Says it and takes apart what comes back.
    func ask(_ text: String, toHead: Bool = false) -> [HeardResponse] {
        say(text)
        return HeardResponse.all(in: hearText(), toHead: toHead)
    }
}
