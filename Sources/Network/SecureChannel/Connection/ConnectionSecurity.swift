import NIOCore
import WireProtocol

/// What lies between a connection's bytes and its messages: preamble, handshake, records, introduction.
///
///     preamble ──▶ handshake ──▶ introduction ──▶ ready        encrypted
///     preamble ─────────────────────────────────▶ ready        plain
///        └──────────────┴───────────────┴───────────┴──▶ failed
///
/// The side that dialled sends the first message of its ``Handshake`` together with its preamble, without waiting: the
/// only preamble that it accepts is the one that it sends itself, so the prologue is known before the other's arrives.
/// It can send messages one round trip after the TCP connection stands, and the other side half a round trip later.
///
/// The first that each side says over the channel is its introduction, a length of two bytes and as many bytes, by
/// which it shows who it is beside its key: see `HouseholdIntroduction`. To this layer they are just bytes. A side need
/// not have the other's to send its own, and messages behind it.
///
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
        /// The other side's introduction, once; it precedes the messages.
        public var introduction: ByteBuffer?
        /// Bytes of messages; often empty.
        public var messages = ByteBuffer()
    }

    private enum State {
        /// Without a handshake where nothing is encrypted.
        case preamble(Handshake?)
        case handshake(Handshake)
        /// The other side's is awaited.
        case introduction
        case ready
        case failed(ConnectionSecurityError)
    }

    /// To be sent at once, before anything else.
    public let opening: ByteBuffer
    private let expected: Preamble.Security
    private var state: State
    /// The beginning of a preamble or of an introduction.
    private var held = ByteBuffer()
    /// From the end of the handshake on.
    private var channel: EstablishedChannel?
    /// What the other side can do; nothing before its handshake says so.
    private var features = ChannelFeatures()

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

    /// Whether messages may come.
    public var isReady: Bool { if case .ready = state { true } else { false } }

    /// Whether there is something to say, first of all the own introduction: over an encrypted connection the other
    /// side has proved its key.
    public var canSend: Bool {
        switch state {
        case .introduction, .ready: true
        case .preamble, .handshake, .failed: false
        }
    }

    public var failure: ConnectionSecurityError? { if case .failed(let error) = state { error } else { nil } }

    /// The key that the other side has proved to have; nil before that, and where nothing is encrypted.
    public private(set) var remoteKey: PeerKey?

    /// What whoever proves something over this connection includes; nil as ``remoteKey`` is.
    public private(set) var binding: ChannelBinding?

    /// Takes bytes of the other side, in pieces of any size. After an error it repeats that error.
    public mutating func receive(_ bytes: consuming ByteBuffer) throws(ConnectionSecurityError) -> Reception {
        do throws(ConnectionSecurityError) {
            var reception = Reception()
            while try advance(&bytes, &reception) {}
            guard canSend else { return reception }
            reception.messages = try messages(in: bytes)
            if !isReady { try readIntroduction(&reception) }
            return reception
        } catch {
            fail(error)
            throw error
        }
    }

    /// Takes note that the other side ended the connection. Throws if that was before its introduction was whole, or
    /// within a record; an end between two records is no error. After an error it repeats that error.
    public mutating func end() throws(ConnectionSecurityError) {
        do throws(ConnectionSecurityError) {
            switch state {
            case .failed(let error): throw error
            case .preamble(.none): return
            case .preamble(.some(let handshake)), .handshake(let handshake): try Self.end(handshake)
            case .introduction: throw .handshake(.truncated)
            case .ready: try endRecords()
            }
        } catch {
            fail(error)
            throw error
        }
    }

    private static func end(_ handshake: Handshake) throws(ConnectionSecurityError) {
        var handshake = handshake
        do throws(HandshakeError) { try handshake.end() } catch { throw .handshake(error) }
    }

    private mutating func endRecords() throws(ConnectionSecurityError) {
        do throws(RecordError) { try channel?.opener.end() } catch { throw .record(error) }
    }

    private mutating func fail(_ error: ConnectionSecurityError) {
        state = .failed(error)
        channel = nil
        held = ByteBuffer()
    }

    /// Does one transition towards the ready state. Returns false if there is none, or more bytes are needed.
    private mutating func advance(
        _ bytes: inout ByteBuffer, _ reception: inout Reception
    ) throws(ConnectionSecurityError) -> Bool {
        switch state {
        case .introduction, .ready: return false
        case .failed(let error): throw error
        case .preamble(let handshake):
            guard try readPreamble(&bytes) else { return false }
            state = handshake.map { .handshake($0) } ?? .ready
        case .handshake(var handshake):
            let isDone = try advance(&handshake, &bytes, &reception)
            state = handshake.step == .finished ? .introduction : .handshake(handshake)
            if canSend { take(handshake.takeChannel()) }
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

    /// Takes the introduction from the front of the messages, and holds it until it is whole.
    private mutating func readIntroduction(_ reception: inout Reception) throws(ConnectionSecurityError) {
        held.writeBuffer(&reception.messages)
        guard let count: UInt16 = held.getInteger(at: held.readerIndex) else { return }
        guard count <= SecureChannelLimits.introductionByteCount else { throw .introduction }
        let length = MemoryLayout<UInt16>.size + Int(count)
        guard held.readableBytes >= length else { return }
        held.moveReaderIndex(forwardBy: MemoryLayout<UInt16>.size)
        reception.introduction = held.readSlice(length: Int(count))
        reception.messages = held
        held = ByteBuffer()
        state = .ready
    }

    /// Returns false if more bytes are needed.
    private mutating func advance(
        _ handshake: inout Handshake, _ bytes: inout ByteBuffer, _ reception: inout Reception
    ) throws(ConnectionSecurityError) -> Bool {
        do throws(HandshakeError) {
            guard let payload = try handshake.receive(&bytes) else { return false }
            features = ChannelFeatures(payload: payload)
            if handshake.step == .sending {
                let reply = try handshake.writeMessage(payload: ChannelFeatures.own.payload)
                reception.reply.writeImmutableBuffer(reply)
            }
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

    /// Returns what goes before the first message of an encrypted connection.
    /// - Parameter bytes: at most ``SecureChannelLimits/introductionByteCount``.
    public static func introduction(_ bytes: some Collection<UInt8>) -> ByteBuffer {
        precondition(bytes.count <= SecureChannelLimits.introductionByteCount)
        var buffer = ByteBuffer(integer: UInt16(bytes.count))
        buffer.writeBytes(bytes)
        return buffer
    }

    /// Returns the bytes to send for what is sent together. Only while ``canSend``.
    public mutating func protect(_ pieces: [OutgoingPiece]) -> [ByteBuffer] {
        precondition(canSend)
        if features.contains(.sharedParts) { return channel?.sealer.seal(pieces) ?? [] }
        let messages = pieces.flatMap(\.messages)
        guard let records = channel?.sealer.seal(messages) else { return messages }
        return [records]
    }

    /// Returns the bytes to send for messages that are sent together. Only while ``canSend``.
    public mutating func protect(_ messages: [ByteBuffer]) -> [ByteBuffer] {
        protect(messages.map { .message($0) })
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
