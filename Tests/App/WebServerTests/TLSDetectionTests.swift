import NIOCore
import NIOEmbedded
import NIOSSL
import StreamTestKit
import Testing

@testable import WebServer

/// Clients of a server with a certificate that are slow, too many, or no clients at all: on a clock of their own.
@Suite(.timeLimit(.minutes(5))) struct TLSDetectionTests {
    /// A connection that was accepted just now.
    private final class Caller {
        let channel = EmbeddedChannel()
        private(set) var schemes: [WebScheme] = []
        private var hasEnded = false

        init(_ certificate: WebCertificate, isRefused: Bool = false) throws {
            let detection = TLSDetection(certificate: certificate, limits: WebLimits())
            try detection.addHandlers(to: channel, isRefused: isRefused) { [unowned self] scheme, _ in
                schemes.append(scheme)
            }
            try channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 1)).wait()
            channel.closeFuture.assumeIsolated().whenComplete { [unowned self] _ in hasEnded = true }
        }

        func wait(seconds: Int64) { channel.embeddedEventLoop.advanceTime(by: .seconds(seconds)) }

        func say(_ bytes: [UInt8]) {
            _ = try? channel.writeInbound(ByteBuffer(bytes: bytes))
            channel.embeddedEventLoop.run()
        }

        var isClosed: Bool {
            channel.embeddedEventLoop.run()
            return hasEnded
        }

        func hear() -> [UInt8] {
            var heard: [UInt8] = []
            while let piece = try? channel.readOutbound(as: ByteBuffer.self) { heard += piece.readableBytesView }
            return heard
        }
    }

    private let certificate: WebCertificate

    init() throws {
        let directory = TemporaryDirectory()
        let made = try MadeCertificate(["DNS:music.example.org"], in: directory)
        certificate = try WebCertificate(chain: made.certificate(), key: made.key())
    }

    /// What a client says first, as TLS of its own makes it.
    private func hello() throws -> [UInt8] {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.certificateVerification = .none
        let client = EmbeddedChannel(
            handler: try NIOSSLClientHandler(
                context: try NIOSSLContext(configuration: configuration), serverHostname: nil))
        try client.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 1)).wait()
        var bytes: [UInt8] = []
        while let piece = try client.readOutbound(as: ByteBuffer.self) { bytes += piece.readableBytesView }
        return bytes
    }

    @Test func whoSaysNothingIsClosed() throws {
        let caller = try Caller(certificate)
        caller.wait(seconds: 9)
        #expect(!caller.isClosed)
        caller.wait(seconds: 1)
        #expect(caller.isClosed && caller.hear().isEmpty)
    }

    @Test func aHandshakeThatStopsIsClosed() throws {
        let hello = try hello()
        for count in [1, 5, hello.count - 1, hello.count] {
            let caller = try Caller(certificate)
            caller.wait(seconds: 9)
            caller.say(Array(hello.prefix(count)))
            #expect(caller.hear().isEmpty == (count < hello.count))
            caller.wait(seconds: 9)
            #expect(!caller.isClosed, "after \(count) bytes")
            caller.wait(seconds: 1)
            #expect(caller.isClosed && caller.schemes.isEmpty, "after \(count) bytes")
        }
    }

    @Test func aHandshakeThatDripsIsClosed() throws {
        let caller = try Caller(certificate)
        for byte in try hello().prefix(10) {
            caller.say([byte])
            #expect(!caller.isClosed)
            caller.wait(seconds: 1)
        }
        #expect(caller.isClosed)
    }

    @Test func whatIsNoHandshakeIsClosed() throws {
        let caller = try Caller(certificate)
        caller.say([22] + Array("ET / HTTP/1.1\r\n\r\n".utf8))
        #expect(caller.isClosed && caller.schemes.isEmpty)
    }

    /// The first byte alone decides, and is not lost.
    @Test func allElseIsPlainHTTP() throws {
        for byte: UInt8 in [0, 21, 23, 0x47, 0x80, 0xFF] {
            let caller = try Caller(certificate)
            caller.say([byte])
            #expect(caller.schemes == [.http] && !caller.isClosed)
            let first = try caller.channel.readInbound(as: ByteBuffer.self)
            #expect(first.map { Array($0.readableBytesView) } == [byte])
        }
    }

    /// A handshake costs more than all else that a stranger can ask for.
    @Test func nothingIsCalculatedForThoseBeyondTheLimits() throws {
        let caller = try Caller(certificate, isRefused: true)
        caller.say(try hello())
        #expect(caller.isClosed && caller.hear().isEmpty && caller.schemes.isEmpty)
        let plain = try Caller(certificate, isRefused: true)
        plain.say([0x47])
        #expect(plain.schemes == [.http])
        let silent = try Caller(certificate, isRefused: true)
        silent.wait(seconds: 3)
        #expect(silent.isClosed)
    }
}
