import Cryptography
import SecureChannel

/// Finds out whether both sides of a channel know the same code, and tells neither it nor anything else.
///
/// CPace within an encrypted channel. The session identifier is the channel's binding: so whoever stands between two
/// channels has two different ones, and cannot pass messages on. Each side then shows that it has the same session key
/// (section 10.4); the member first, so that the machine that shows the code learns of every wrong guess.
///
///     member                              newcomer
///     ready                               awaitingShare
///       └──────────── share, 32 bytes ──────────┐
///     awaitingShare                       awaitingConfirmation
///       ┌──────────── share, 32 bytes ──────────┘
///     awaitingConfirmation
///       └──────────── code of 64 bytes ─────────┐
///       ┌──────────── code of 64 bytes ───── succeeded
///     succeeded
///
/// Only `succeeded` says anything of the other side: that it knows the code, and that the channel leads to it.
public struct PairingExchange {
    /// Which side this is.
    public enum Role: Hashable, Sendable {
        /// Lets the other one in: the code was typed here. Begins.
        case member
        /// Wants in: shows the code.
        case newcomer
    }

    private enum State {
        case ready, awaitingShare
        /// - key: of both codes.
        case awaitingConfirmation(key: SecretBytes, theirMessage: [UInt8])
        case succeeded
        case failed(PairingError)
    }

    public let role: Role
    private var state: State
    private let cpace: CPace

    /// Different for both sides, so that nobody can give a side its own code back.
    private static let memberData = Array("member".utf8)
    private static let newcomerData = Array("newcomer".utf8)

    /// - Parameters:
    ///   - ownKey: this peer's key.
    ///   - remoteKey: the key that the other side of the channel has proved to have.
    public init(_ role: Role, code: PairingCode, ownKey: PeerKey, remoteKey: PeerKey, binding: ChannelBinding) {
        self.init(
            role, code: code, ownKey: ownKey, remoteKey: remoteKey, binding: binding,
            scalar: Ristretto255.randomScalar())
    }

    init(
        _ role: Role, code: PairingCode, ownKey: PeerKey, remoteKey: PeerKey, binding: ChannelBinding,
        scalar: SecretBytes
    ) {
        self.role = role
        let keys = role == .member ? [ownKey, remoteKey] : [remoteKey, ownKey]
        cpace = CPace(
            password: code.digits,
            channelIdentifier: ([Array("tutti pairing 1".utf8)] + keys.map(\.bytes.bytes)).flatMap(CPace.prefixed),
            sessionIdentifier: binding.bytes.bytes, scalar: scalar)
        state = role == .member ? .ready : .awaitingShare
    }

    public var hasSucceeded: Bool {
        if case .succeeded = state { true } else { false }
    }

    /// What ended the exchange; nil if nothing did.
    public var failure: PairingError? {
        if case .failed(let error) = state { error } else { nil }
    }

    /// Returns a member's first message.
    public mutating func start() -> [UInt8] {
        guard case .ready = state else { preconditionFailure("only a member begins, and once") }
        state = .awaitingShare
        return cpace.share.bytes
    }

    /// Takes a message of the other side, and returns the answer; nil if there is none. After an error it repeats that
    /// error. Nothing that comes after success undoes it.
    public mutating func receive(_ message: [UInt8]) throws(PairingError) -> [UInt8]? {
        if hasSucceeded { throw .malformed }
        do throws(PairingError) {
            switch state {
            case .awaitingShare: return try receiveShare(message)
            case .awaitingConfirmation(let key, let theirMessage):
                return try receiveConfirmation(message, key: key, of: theirMessage)
            case .failed(let error): throw error
            case .ready, .succeeded: throw .malformed
            }
        } catch {
            state = .failed(error)
            throw error
        }
    }

    private mutating func receiveShare(_ message: [UInt8]) throws(PairingError) -> [UInt8] {
        guard let theirs = Bytes32(message), theirs != cpace.share else { throw .malformed }
        let isMember = role == .member
        let shares = isMember ? [cpace.share, theirs] : [theirs, cpace.share]
        guard
            let sessionKey = cpace.sessionKey(
                with: theirs, shares: [(shares[0], Self.memberData), (shares[1], Self.newcomerData)])
        else { throw .malformed }
        let key = cpace.confirmationKey(sessionKey)
        state = .awaitingConfirmation(
            key: key, theirMessage: CPace.message(theirs, isMember ? Self.newcomerData : Self.memberData))
        return isMember ? confirmation(key) : cpace.share.bytes
    }

    private mutating func receiveConfirmation(
        _ message: [UInt8], key: SecretBytes, of theirMessage: [UInt8]
    ) throws(PairingError) -> [UInt8]? {
        let expected = Hashing.hmacSHA512(key: key, theirMessage)
        guard message.count == expected.count else { throw .malformed }
        guard expected.matches(message) else { throw .wrongCode }
        state = .succeeded
        return role == .newcomer ? confirmation(key) : nil
    }

    private func confirmation(_ key: SecretBytes) -> [UInt8] {
        let data = role == .member ? Self.memberData : Self.newcomerData
        return Hashing.hmacSHA512(key: key, CPace.message(cpace.share, data)).withBytes { Array($0) }
    }
}
