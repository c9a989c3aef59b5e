import NIOCore
import WireProtocol

/// What lies between a connection's bytes and its messages: preamble, handshake, records.
///
///     preamble ──▶ handshake ──▶ ready        encrypted
///     preamble ────────────────▶ ready        plain
///        └──────────────┴──────────┴──▶ failed
///
/// The side that dialled sends the first message of its ``Handshake`` together with its preamble, without waiting: the
/// only preamble that it accepts is the one that it sends itself, so the prologue is known before the other's arrives.
/// It can send messages one round trip after the TCP connection stands, and the other side half a round trip later.
/// Owns no socket and reads no clock: how long a handshake may take is for the owner to limit.
///
/// Not copyable, see ``EstablishedChannel``.
public struct ConnectionSecurity: ~Copyable {
    public enum Protection: Sendable {
        case encrypted(Handshake.Role, PeerKeyPair)
        /// For local sockets, whose access the file system decides on.
        case plain
    }

    /// What bytes of the other side lead to.
    public struct Reception {
        /// To be sent at once; often empty.
        public var reply = ByteBuffer()
        /// Bytes of messages; often empty.
        public var messages = ByteBuffer()
    }

    private enum State {
        /// Without a handshake where nothing is encrypted.
        case preamble(Handshake?)
        case handshake(Handshake)
        case ready
        case failed(ConnectionSecurityError)
    }

    /// To be sent at once, before anything else.
    public let opening: ByteBuffer
    private let expected: Preamble.Security
    private var state: State
    /// The beginning of a preamble.
    private var held = ByteBuffer()
    /// While it is ready, and encrypted.
    private var channel: EstablishedChannel?

    public init(_ protection: Protection) {
        switch protection {
        case .plain:
            expected = .plain
            state = .preamble(nil)
            opening = ByteBuffer(bytes: Preamble.bytes(.plain))
        case .encrypted(let role, let keys):
            expected = .encrypted
            let preamble = Preamble.bytes(.encrypted)
            var handshake = Handshake(
                role, keys: keys, prologue: Handshake.prologue(initiator: preamble, responder: preamble))
            var opening = ByteBuffer(bytes: preamble)
            do throws(HandshakeError) {
                if handshake.step == .sending { opening.writeImmutableBuffer(try handshake.writeMessage()) }
                state = .preamble(handshake)
            } catch {
                state = .failed(.handshake(error))
            }
            self.opening = opening
        }
    }

    /// Whether messages can be sent, and may come.
    public var isReady: Bool { if case .ready = state { true } else { false } }

    public var failure: ConnectionSecurityError? { if case .failed(let error) = state { error } else { nil } }

    /// The key that the other side has proved to have; nil before it is ready, and where nothing is encrypted.
    public private(set) var remoteKey: PeerKey?

    /// What whoever proves something over this connection includes; nil as ``remoteKey`` is.
    public private(set) var binding: ChannelBinding?

    /// Takes bytes of the other side, in pieces of any size. After an error it repeats that error.
    public mutating func receive(_ bytes: consuming ByteBuffer) throws(ConnectionSecurityError) -> Reception {
        do throws(ConnectionSecurityError) {
            var reception = Reception()
            while try advance(&bytes, &reception) {}
            if isReady { reception.messages = try messages(in: bytes) }
            return reception
        } catch {
            state = .failed(error)
            channel = nil
            held = ByteBuffer()
            throw error
        }
    }

    /// Does one transition towards the ready state. Returns false if there is none, or more bytes are needed.
    private mutating func advance(
        _ bytes: inout ByteBuffer, _ reception: inout Reception
    ) throws(ConnectionSecurityError) -> Bool {
        switch state {
        case .ready: return false
        case .failed(let error): throw error
        case .preamble(let handshake):
            guard try readPreamble(&bytes) else { return false }
            state = handshake.map { .handshake($0) } ?? .ready
        case .handshake(var handshake):
            let isDone = try advance(&handshake, &bytes, &reception)
            state = handshake.step == .finished ? .ready : .handshake(handshake)
            if isReady { take(handshake.takeChannel()) }
            return isDone
        }
        return true
    }

    private mutating func take(_ channel: consuming EstablishedChannel) {
        remoteKey = channel.remoteKey
        binding = channel.binding
        self.channel = consume channel
    }

    private mutating func readPreamble(_ bytes: inout ByteBuffer) throws(ConnectionSecurityError) -> Bool {
        let missing = min(Preamble.byteCount - held.readableBytes, bytes.readableBytes)
        if var part = bytes.readSlice(length: missing) { held.writeBuffer(&part) }
        do throws(PreambleError) {
            return try Preamble.read(from: &held, expecting: expected)
        } catch {
            throw .preamble(error)
        }
    }

    /// Returns false if more bytes are needed.
    private func advance(
        _ handshake: inout Handshake, _ bytes: inout ByteBuffer, _ reception: inout Reception
    ) throws(ConnectionSecurityError) -> Bool {
        do throws(HandshakeError) {
            guard try handshake.receive(&bytes) != nil else { return false }
            if handshake.step == .sending { reception.reply.writeImmutableBuffer(try handshake.writeMessage()) }
            return true
        } catch {
            throw .handshake(error)
        }
    }

    private mutating func messages(in bytes: consuming ByteBuffer) throws(ConnectionSecurityError) -> ByteBuffer {
        guard channel != nil else { return bytes }
        do throws(RecordError) {
            return try channel?.open(bytes) ?? ByteBuffer()
        } catch {
            throw .record(error)
        }
    }

    /// Returns the bytes to send for messages that are sent together. Only while it is ready.
    public mutating func protect(_ messages: [ByteBuffer]) -> [ByteBuffer] {
        precondition(isReady)
        guard let records = channel?.sealer.seal(messages) else { return messages }
        return [records]
    }
}

extension EstablishedChannel {
    /// Returns the plaintext of all records that these bytes complete. What stands before a bad one is lost with the
    /// connection.
    fileprivate mutating func open(_ bytes: consuming ByteBuffer) throws(RecordError) -> ByteBuffer {
        let plaintext = try opener.open(bytes)
        if let failure = opener.failure { throw failure }
        return plaintext
    }
}
