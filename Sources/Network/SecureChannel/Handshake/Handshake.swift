import Cryptography
import NIOCore

/// The handshake that follows the preambles: who the other side is, and the keys of all that follows.
///
/// Noise_XX_25519_ChaChaPoly_SHA256 (The Noise Protocol Framework, revision 34). XX needs no knowledge of the other
/// side's key beforehand, and hides both keys from whoever only listens. SHA-256, because libsodium has HMAC for it,
/// and a handshake hashes too little for BLAKE2b's speed to matter. The prologue is both preambles, so that a changed
/// one ends the handshake. Each message is a length (u16) and that many bytes.
///
///     initiator                          responder
///     sendingFirst                       awaitingFirst
///          └──────── 32 bytes ────────────────┐
///     awaitingSecond                     sendingSecond
///          ┌──────── 96 bytes, payload ───────┘
///     sendingThird                       awaitingThird
///          └──────── 64 bytes, payload ───────┐
///     finished                           finished
///
/// The second message's payload is readable for anybody who sends a first one. The third one's only for whoever has the
/// key that the second one states. Neither side knows whose handshake it answers until it is ``Step/finished``, and
/// then knows only that the other side has ``EstablishedChannel/remoteKey``: what that key may do is for others to say.
/// It may be this side's own: two processes of one user share a key.
///
/// Owns no socket and reads no clock. After an error it repeats that error. The length of a handshake in time is for
/// the owner to limit.
public struct Handshake {
    public enum Role: Hashable, Sendable {
        /// The side that dialled.
        case initiator
        case responder
    }

    /// What the owner does next.
    public enum Step: Hashable, Sendable {
        /// Call ``writeMessage(payload:)``.
        case sending
        /// Give what comes to ``receive(_:)``.
        case receiving
        /// Call ``takeChannel()``, once. What follows is records.
        case finished
        case failed(HandshakeError)
    }

    private enum State {
        case sendingFirst, awaitingSecond, sendingThird
        case awaitingFirst, sendingSecond, awaitingThird
        case finished
        case failed(HandshakeError)
    }

    public let role: Role
    private var state: State
    private var noise: NoiseXX
    private var held = ByteBuffer()
    private var isTaken = false

    /// - Parameter prologue: what both sides sent before, in one order: at most 256 bytes.
    public init(_ role: Role, keys: PeerKeyPair, prologue: [UInt8]) {
        self.init(role, ownStatic: keys.agreement, ownEphemeral: .random(), prologue: prologue)
    }

    init(_ role: Role, ownStatic: X25519.KeyPair, ownEphemeral: X25519.KeyPair, prologue: [UInt8]) {
        precondition(prologue.count <= SecureChannelLimits.prologueByteCount)
        self.role = role
        noise = NoiseXX(ownStatic: ownStatic, ownEphemeral: ownEphemeral, prologue: prologue)
        state = role == .initiator ? .sendingFirst : .awaitingFirst
    }

    /// Returns the prologue for two preambles.
    public static func prologue(initiator: [UInt8], responder: [UInt8]) -> [UInt8] { initiator + responder }

    public var step: Step {
        switch state {
        case .sendingFirst, .sendingSecond, .sendingThird: .sending
        case .awaitingFirst, .awaitingSecond, .awaitingThird: .receiving
        case .finished: .finished
        case .failed(let error): .failed(error)
        }
    }

    /// The other side's key: known to the initiator before it sends the third message, to the responder at the end.
    public var remoteKey: PeerKey? {
        switch state {
        case .sendingThird, .finished: PeerKey(noise.theirStatic)
        default: nil
        }
    }

    /// Returns the next message, with its length before it. Only while ``step`` is `sending`.
    /// - Parameter payload: at most ``SecureChannelLimits/payloadByteCount`` bytes; none in the first message, which
    ///   nobody could authenticate.
    public mutating func writeMessage(payload: [UInt8] = []) throws(HandshakeError) -> ByteBuffer {
        precondition(payload.count <= SecureChannelLimits.payloadByteCount)
        do throws(HandshakeError) {
            let message = try nextMessage(payload)
            var buffer = ByteBuffer()
            buffer.writeInteger(UInt16(message.count))
            buffer.writeBytes(message)
            return buffer
        } catch {
            state = .failed(error)
            throw error
        }
    }

    private mutating func nextMessage(_ payload: [UInt8]) throws(HandshakeError) -> [UInt8] {
        switch state {
        case .sendingFirst:
            precondition(payload.isEmpty, "a first message has no payload")
            state = .awaitingSecond
            return noise.writeFirst([])
        case .sendingSecond:
            state = .awaitingThird
            return try noise.writeSecond(payload)
        case .sendingThird:
            state = .finished
            return try noise.writeThird(payload)
        case .failed(let error): throw error
        case .awaitingFirst, .awaitingSecond, .awaitingThird, .finished:
            preconditionFailure("it is not this side's turn")
        }
    }

    /// Takes bytes of the other side; leaves those that follow its message.
    /// - Returns: the message's payload; nil if more bytes are needed, or if none are wanted now.
    public mutating func receive(_ bytes: inout ByteBuffer) throws(HandshakeError) -> [UInt8]? {
        if case .failed(let error) = state { throw error }
        guard step == .receiving else { return nil }
        do throws(HandshakeError) {
            guard let message = try message(from: &bytes) else { return nil }
            return try read(message)
        } catch {
            fail(error)
            throw error
        }
    }

    /// Takes note that the connection ended.
    public mutating func end() throws(HandshakeError) {
        switch state {
        case .finished: return
        case .failed(let error): throw error
        default:
            fail(.truncated)
            throw .truncated
        }
    }

    /// Returns what the handshake led to. Call it once, when ``step`` is `finished`.
    public mutating func takeChannel() -> EstablishedChannel {
        guard case .finished = state, !isTaken else { preconditionFailure("there is no channel to take") }
        isTaken = true
        let (first, second) = noise.split()
        return EstablishedChannel(
            remoteKey: PeerKey(noise.theirStatic), binding: ChannelBinding(noise.handshakeHash),
            sealer: RecordSealer(key: role == .initiator ? first : second),
            opener: RecordOpener(key: role == .initiator ? second : first))
    }

    private mutating func fail(_ error: HandshakeError) {
        state = .failed(error)
        held = ByteBuffer()
    }

    private mutating func read(_ message: [UInt8]) throws(HandshakeError) -> [UInt8] {
        switch state {
        case .awaitingFirst:
            let payload = try noise.readFirst(message)
            state = .sendingSecond
            return payload
        case .awaitingSecond:
            let payload = try noise.readSecond(message)
            state = .sendingThird
            return payload
        case .awaitingThird:
            let payload = try noise.readThird(message)
            state = .finished
            return payload
        case .sendingFirst, .sendingSecond, .sendingThird, .finished, .failed: return []
        }
    }

    /// The lengths that the awaited message may have.
    private var allowedByteCounts: ClosedRange<Int> {
        let payload = SecureChannelLimits.payloadByteCount
        return switch state {
        case .awaitingSecond: NoiseXX.overhead.second...NoiseXX.overhead.second + payload
        case .awaitingThird: NoiseXX.overhead.third...NoiseXX.overhead.third + payload
        default: NoiseXX.overhead.first...NoiseXX.overhead.first
        }
    }

    /// Returns the next message without its length; nil if it is not there yet. Takes no byte behind it.
    private mutating func message(from bytes: inout ByteBuffer) throws(HandshakeError) -> [UInt8]? {
        take(from: &bytes, upTo: SecureChannelLimits.lengthByteCount)
        guard let length = held.getInteger(at: held.readerIndex, as: UInt16.self) else { return nil }
        guard allowedByteCounts.contains(Int(length)) else { throw .badLength(Int(length)) }
        let total = SecureChannelLimits.lengthByteCount + Int(length)
        take(from: &bytes, upTo: total)
        guard held.readableBytes == total else { return nil }
        let message = Array(held.readableBytesView.dropFirst(SecureChannelLimits.lengthByteCount))
        held = ByteBuffer()
        return message
    }

    private mutating func take(from bytes: inout ByteBuffer, upTo total: Int) {
        let missing = min(total - held.readableBytes, bytes.readableBytes)
        guard missing > 0, var part = bytes.readSlice(length: missing) else { return }
        held.writeBuffer(&part)
    }
}

extension Handshake: CustomStringConvertible {
    public var description: String { "\(role), \(step)" }
}
