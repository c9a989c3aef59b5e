import Cryptography
import NIOCore
import StreamTestKit
import Testing

@testable import SecureChannel

/// Two sides, and somebody on the way between them.
@Suite(.timeLimit(.minutes(5)))
final class HandshakeTests {
    private let prologue = Handshake.prologue(initiator: Array("TUTTI\n\u{2}\u{1}".utf8), responder: [1, 2, 3])
    private let keys = (initiator: PeerKeyPair.random(), responder: PeerKeyPair.random())
    private lazy var initiator = Handshake(.initiator, keys: keys.initiator, prologue: prologue)
    private lazy var responder = Handshake(.responder, keys: keys.responder, prologue: prologue)

    /// Passes a message on, in pieces; what was changed on the way is up to `change`.
    private func pass(
        _ message: ByteBuffer, to side: inout Handshake, pieces: Int = .max,
        _ change: (inout [UInt8]) -> Void = { _ in }
    ) throws -> [UInt8]? {
        var bytes = Array(message.readableBytesView)
        change(&bytes)
        var rest = bytes[...]
        while !rest.isEmpty {
            var piece = ByteBuffer(bytes: rest.prefix(pieces))
            rest = rest.dropFirst(pieces)
            if let payload = try side.receive(&piece) {
                #expect(piece.readableBytes == 0 && rest.isEmpty)
                return payload
            }
        }
        return nil
    }

    @Test(arguments: [1, 3, 50, Int.max]) func bothSidesEndWithTheSameChannel(pieces: Int) throws {
        #expect(initiator.step == .sending && responder.step == .receiving)
        #expect(try pass(initiator.writeMessage(), to: &responder, pieces: pieces) == [])
        #expect(try pass(responder.writeMessage(payload: [1, 2]), to: &initiator, pieces: pieces) == [1, 2])
        #expect(initiator.remoteKey == keys.responder.key && responder.remoteKey == nil)
        #expect(try pass(initiator.writeMessage(payload: [3]), to: &responder, pieces: pieces) == [3])
        #expect(initiator.step == .finished && responder.step == .finished)

        var one = initiator.takeChannel()
        var other = responder.takeChannel()
        let (binding, remoteKeys) = (one.binding, [one.remoteKey, other.remoteKey])
        #expect(binding == other.binding)
        #expect(remoteKeys == [keys.responder.key, keys.initiator.key])
        let there = try other.opener.open(one.sealer.seal(ByteBuffer(string: "there")))
        let back = try one.opener.open(other.sealer.seal(ByteBuffer(string: "back")))
        #expect(String(buffer: there) == "there" && String(buffer: back) == "back")
    }

    @Test func bytesBehindAMessageAreLeft() throws {
        var first = try initiator.writeMessage()
        first.writeString("records")
        #expect(try responder.receive(&first) == [])
        #expect(String(buffer: first) == "records")
        #expect(try responder.receive(&first) == nil)
        #expect(String(buffer: first) == "records")
    }

    @Test(arguments: 0..<100) func aChangedMessageIsNoticed(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let changed = Int.random(in: 0..<3, using: &generator)
        func flip(_ index: Int) -> (inout [UInt8]) -> Void {
            { bytes in
                guard index == changed else { return }
                // The highest bit of an X25519 key means nothing, but is hashed.
                let place = Int.random(in: 2..<bytes.count, using: &generator)
                bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            }
        }
        #expect(throws: HandshakeError.notAuthentic, "seed \(seed)") {
            _ = try pass(initiator.writeMessage(), to: &responder, flip(0))
            _ = try pass(responder.writeMessage(payload: [1]), to: &initiator, flip(1))
            _ = try pass(initiator.writeMessage(payload: [2]), to: &responder, flip(2))
        }
    }

    @Test func anotherPreambleIsNoticed() throws {
        var other = Handshake(.responder, keys: keys.responder, prologue: prologue + [0])
        _ = try pass(initiator.writeMessage(), to: &other)
        let second = try other.writeMessage()
        #expect(throws: HandshakeError.notAuthentic) { try pass(second, to: &initiator) }
        #expect(initiator.step == .failed(.notAuthentic))
        #expect(throws: HandshakeError.notAuthentic) { try initiator.writeMessage() }
    }

    /// Keys with which every agreement is zero (RFC 7748, section 6.1): 0, 1, and one of order 8.
    @Test(arguments: [
        [UInt8](repeating: 0, count: 32), [1] + [UInt8](repeating: 0, count: 31),
        bytes("e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800"),
    ]) func keysOfLowOrderAreRefused(key: [UInt8]) throws {
        _ = try pass(initiator.writeMessage(), to: &responder) { $0.replaceSubrange(2..<34, with: key) }
        #expect(throws: HandshakeError.unusableKey) { try responder.writeMessage() }
    }

    /// Two processes of one user have one key.
    @Test func bothSidesMayHaveTheSameKey() throws {
        var own = Handshake(.responder, keys: keys.initiator, prologue: prologue)
        _ = try pass(initiator.writeMessage(), to: &own)
        _ = try pass(own.writeMessage(), to: &initiator)
        _ = try pass(initiator.writeMessage(), to: &own)
        #expect(own.step == .finished && own.remoteKey == keys.initiator.key)
    }

    /// Lengths that no message at this place has are refused before anything is stored.
    @Test(arguments: [0, 31, 33, 65_535]) func lengthsOfNoFirstMessageAreRefused(length: Int) throws {
        var buffer = ByteBuffer()
        buffer.writeInteger(UInt16(length))
        #expect(throws: HandshakeError.badLength(length)) { try responder.receive(&buffer) }
    }

    @Test(arguments: [95, 96 + 4_097]) func lengthsOfNoSecondMessageAreRefused(length: Int) throws {
        _ = try initiator.writeMessage()
        var buffer = ByteBuffer()
        buffer.writeInteger(UInt16(length))
        #expect(throws: HandshakeError.badLength(length)) { try initiator.receive(&buffer) }
    }

    @Test func theLongestPayloadsFit() throws {
        let payload = [UInt8](repeating: 7, count: SecureChannelLimits.payloadByteCount)
        _ = try pass(initiator.writeMessage(), to: &responder)
        #expect(try pass(responder.writeMessage(payload: payload), to: &initiator) == payload)
        #expect(try pass(initiator.writeMessage(payload: payload), to: &responder) == payload)
    }

    @Test func aReplayedHandshakeDoesNotFinish() throws {
        let first = try initiator.writeMessage()
        _ = try pass(first, to: &responder)
        _ = try pass(responder.writeMessage(), to: &initiator)
        let third = try initiator.writeMessage()
        _ = try pass(third, to: &responder)

        var again = Handshake(.responder, keys: keys.responder, prologue: prologue)
        _ = try pass(first, to: &again)
        _ = try again.writeMessage()
        #expect(throws: HandshakeError.notAuthentic) { try pass(third, to: &again) }
    }

    @Test func anEndWithinTheHandshakeIsNoticed() throws {
        _ = try initiator.writeMessage()
        #expect(throws: HandshakeError.truncated) { try initiator.end() }
        #expect(throws: HandshakeError.truncated) { try initiator.end() }
    }
}
