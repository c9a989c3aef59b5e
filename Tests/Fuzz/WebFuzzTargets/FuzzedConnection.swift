import NIOCore
import NIOEmbedded
import WebServer

/// A connection without a socket, at a site that checks what reaches it.
final class FuzzedConnection {
    private let channel = EmbeddedChannel()
    private let site: FuzzedSite
    private(set) var heard: [UInt8] = []
    private var isClosed = false

    init(messageByteLimit: Int) {
        site = FuzzedSite(on: channel.embeddedEventLoop, messageByteLimit: messageByteLimit)
        channel.closeFuture.assumeIsolated().whenComplete { [unowned self] _ in isClosed = true }
        do { try WebServer.serve(channel, site: site, names: ["kitchen"]) } catch { fatalError("\(error)") }
        channel.pipeline.fireChannelActive()
    }

    /// What the site has seen.
    var messages: [FuzzedSite.Message] { site.messages }

    /// - Parameter pieces: their sizes, over and over.
    func say(_ bytes: [UInt8], in pieces: [Int]) {
        var (offset, turn) = (0, 0)
        while offset < bytes.count {
            let piece = bytes[offset...].prefix(max(1, pieces[turn % pieces.count]))
            offset += piece.count
            turn += 1
            _ = try? channel.writeInbound(ByteBuffer(bytes: piece))
            listen()
        }
    }

    private func listen() {
        channel.embeddedEventLoop.run()
        while let piece = try? channel.readOutbound(as: IOData.self) {
            if case .byteBuffer(let bytes) = piece { heard += bytes.readableBytesView }
        }
    }

    /// Says nothing more. Which rule was broken until the connection has ended, nil if none.
    func violationAtEnd() -> String? {
        let spoken = heard.count
        for _ in 0..<60 where !isClosed {
            channel.embeddedEventLoop.advanceTime(by: .seconds(1))
            listen()
        }
        if !isClosed { return "a silent client is kept for a minute" }
        // Pings, and why it ends.
        if heard.count - spoken > 2_000 { return "\(heard.count - spoken) bytes to a silent client" }
        return site.violation
    }
}
