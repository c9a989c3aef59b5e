import NIOCore
import Testing
import WireProtocol

@testable import SecureChannel

/// Connections that the other side ends: where that is an error.
@Suite(.timeLimit(.minutes(5)))
struct ConnectionEndTests {
    private final class Side {
        private var security: ConnectionSecurity

        init(_ protection: ConnectionSecurity.Protection) { security = ConnectionSecurity(protection) }

        var opening: [UInt8] { Array(security.opening.readableBytesView) }

        /// - Returns: what it answers at once.
        func take(_ bytes: some Sequence<UInt8>) throws -> [UInt8] {
            let reception = try security.receive(ByteBuffer(bytes: bytes))
            return Array(reception.reply.readableBytesView)
        }

        func say(_ message: ByteBuffer) -> [UInt8] {
            security.protect([message]).flatMap { Array($0.readableBytesView) }
        }

        /// - Returns: the error that it is; nil if it is none.
        func end() -> ConnectionSecurityError? {
            do throws(ConnectionSecurityError) { try security.end() } catch { return error }
            return nil
        }
    }

    /// Preamble and second message, with its payload.
    private static let handshakeByteCount = 8 + 2 + 96 + 1
    /// A record with an introduction of no bytes, one with a word.
    private static let introductionByteCount = 2 + 2 + 16
    private static let wordByteCount = 2 + 4 + 16

    /// A dialler hears so many bytes of a handshake, an introduction and a word.
    private func dialler(afterHearing count: Int) throws -> Side {
        let dialler = Side(.encrypted(.initiator, .random()))
        let other = Side(.encrypted(.responder, .random()))
        let handshake = try other.opening + other.take(dialler.opening)
        #expect(handshake.count == Self.handshakeByteCount)
        let third = try dialler.take(handshake.prefix(count))
        guard count > handshake.count else { return dialler }
        _ = try other.take(third)
        let records = other.say(ConnectionSecurity.introduction([])) + other.say(ByteBuffer(string: "word"))
        _ = try dialler.take(records.prefix(count - handshake.count))
        return dialler
    }

    @Test func anEndIsAnErrorUnlessItIsBetweenRecords() throws {
        let ready = Self.handshakeByteCount + Self.introductionByteCount
        let end = ready + Self.wordByteCount
        for count in 0...end {
            let error = try dialler(afterHearing: count).end()
            let expected: ConnectionSecurityError? =
                switch count {
                case ..<ready: .handshake(.truncated)
                case ready, end: nil
                default: .record(.truncated)
                }
            #expect(error == expected, "after \(count) bytes")
        }
    }

    @Test func nothingFollowsSuchAnEnd() throws {
        let side = try dialler(afterHearing: Self.handshakeByteCount)
        let errors = [side.end(), side.end()]
        #expect(errors == [.handshake(.truncated), .handshake(.truncated)])
        #expect(throws: ConnectionSecurityError.handshake(.truncated)) { try side.take([1]) }
    }

    @Test func whoWasCalledNoticesToo() throws {
        let other = Side(.encrypted(.responder, .random()))
        let dialler = Side(.encrypted(.initiator, .random()))
        _ = try other.take(dialler.opening)
        #expect(other.end() == .handshake(.truncated))
        #expect(Side(.encrypted(.responder, .random())).end() == .handshake(.truncated))
    }

    /// A program of this machine that only looks.
    @Test func aPlainConnectionMayEndAtAnyTime() throws {
        let side = Side(.plain)
        #expect(side.end() == nil)
        _ = try side.take(Preamble.bytes(.plain) + [1, 2, 3])
        #expect(side.end() == nil)
    }

    @Test func whatIsWrongBeforeTheEndIsTheError() throws {
        let side = Side(.encrypted(.responder, .random()))
        #expect(throws: ConnectionSecurityError.preamble(.notTutti)) { try side.take(Array("HTTP".utf8)) }
        #expect(side.end() == .preamble(.notTutti))
    }
}
