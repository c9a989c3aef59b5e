import AudioCore
import Controlling
import NIOCore
import Observing
import SecureChannel
import Testing
import TuttiRuntime
import WireProtocol

/// What commands say when the other side ends the connection in the middle of something: with real sockets.
@Suite(.serialized, .timeLimit(.minutes(5))) struct EarlyEndTests {
    private static let cut = ConnectionSecurityError.handshake(.truncated)
    /// Nothing, a preamble, and one with the beginning of the second message.
    static let answers: [[UInt8]] = [
        [], Preamble.bytes(.encrypted), Preamble.bytes(.encrypted) + [0, 96] + [UInt8](repeating: 7, count: 40),
    ]

    @Test(arguments: answers) func aCommandSaysSo(answer: [UInt8]) throws {
        let server = try #require(try LeavingServer(saying: answer))
        defer { server.stop() }
        var options = ControlOptions([.command(Command(.programme(.pause)))])
        options.target = .address(NetworkAddress(host: "127.0.0.1", port: server.port))
        let controller = Controller(options: options, identity: .test("hand"))
        let failure = #expect(throws: RuntimeFailure.self) { try controller.run { _ in } }
        let ending = ControlEnding.brokenProtocol("127.0.0.1", .security(Self.cut))
        #expect(failure == RuntimeFailure(.lost, .control(ending, options.target)))
    }

    @Test(arguments: answers) func aCheckSaysSo(answer: [UInt8]) throws {
        let server = try #require(try LeavingServer(saying: answer))
        defer { server.stop() }
        var options = CheckOptions()
        options.address = NetworkAddress(host: "127.0.0.1", port: server.port)
        let checker = Checker(options: options, identity: .test("check"))
        let failure = #expect(throws: RuntimeFailure.self) { _ = try checker.run { _ in } }
        let refusal = ObserveRefusal.brokenProtocol("127.0.0.1", .security(Self.cut))
        #expect(failure?.reason == .checkRefused(refusal))
    }

    @Test(arguments: answers) func aListenerSaysSoAndGoesOn(answer: [UInt8]) throws {
        let server = try #require(try LeavingServer(saying: answer))
        defer { server.stop() }
        let listener = try RunningListener(name: "kitchen") {
            $0.address = NetworkAddress(host: "127.0.0.1", port: server.port)
        }
        let told = RuntimeNotice.listening(.leftEarly("127.0.0.1", reason: "\(Self.cut)", isNamed: true))
        #expect(listener.waitForNotice(told), "\(listener.notices)")
        #expect(listener.stop() == .success(.interrupted))
    }

    /// An end between two records is no error, one within a record is.
    @Test func onlyAnEndWithinARecordIsAnError() throws {
        let listener = try RunningListener(name: "kitchen")
        var polite = RawPeer(port: listener.port, keys: .random())
        #expect(polite != nil)
        polite = nil
        try leaveWithinARecord(listener.port)
        let told = RuntimeNotice.listening(
            .leftEarly("127.0.0.1", reason: "\(ConnectionSecurityError.record(.truncated))", isNamed: false))
        #expect(listener.waitForNotice(told), "\(listener.notices)")
        let early = listener.notices.count { if case .listening(.leftEarly) = $0 { true } else { false } }
        #expect(early == 1, "\(listener.notices)")
        #expect(listener.stop() == .success(.interrupted))
    }

    /// Shakes hands, introduces itself, says all of a record but its last byte, and goes.
    private func leaveWithinARecord(_ port: UInt16) throws {
        let peer = try #require(RawPeer(port: port))
        var security = ConnectionSecurity(.encrypted(.initiator, .random()))
        peer.say(Array(security.opening.readableBytesView))
        while !security.canSend {
            guard let heard = peer.hear(within: 5_000), !heard.isEmpty else {
                Issue.record("it does not shake hands")
                return
            }
            let reception = try security.receive(ByteBuffer(bytes: heard))
            peer.say(Array(reception.reply.readableBytesView))
        }
        var records = security.protect([ConnectionSecurity.introduction([])])
        records += security.protect([WireEncoder.keepAlive()])
        peer.say(Array(records.flatMap { Array($0.readableBytesView) }.dropLast()))
        // What is unread when a socket is closed would make that a reset.
        while let heard = peer.hear(within: 300), !heard.isEmpty {}
    }
}
