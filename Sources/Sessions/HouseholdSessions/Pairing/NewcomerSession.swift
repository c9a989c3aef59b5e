import AudioCore
import Cryptography
import Households
import NIOCore
import Pairing
import Peering
import SecureChannel
import WireProtocol

/// A new machine that waits to be let into a household: shows a code, and takes what the member sends on which it is
/// typed. Events in, actions out.
///
///     offering ──first step──▶ trying ──right code──▶ awaiting document ──▶ storing ──▶ over
///        ▲                       │                           │                │
///        └───────failure─────────┴───────────────────────────┘                └─failure─▶ over
///
/// Anybody may connect, one may try at a time, and each try uses a code up: see `PairingWindow`. After the third
/// failure it is over. A stranger learns this machine's name, and whether its code was right. Owns no socket, file or
/// clock.
public struct NewcomerSession {
    private enum Phase {
        case offering
        case trying(PairingParty, PairingExchange)
        case awaitingDocument(PairingParty)
        /// Whatever the member does now, the household is stored.
        case storing(PairingParty, Household)
        case over
    }

    private struct Link: PeerLink {
        var connection: PeerConnection
        var contact: PeerContact.Key?
        var binding: ChannelBinding?
    }

    private let greeting: Greeting
    private let keys: PeerKeyPair
    private var window = PairingWindow<PairingParty>()
    private var phase = Phase.offering
    private var hasShownCode = false
    private var connections: ConnectionTable<Link>
    private var actions: [NewcomerAction] = []

    /// - Parameters:
    ///   - greeting: its role is ``PeerRoles/pairing``.
    ///   - keys: of this machine; what the household lets in.
    public init(greeting: Greeting, keys: PeerKeyPair) {
        self.greeting = greeting
        self.keys = keys
        connections = ConnectionTable(
            instance: greeting.instance, peers: .pairing, allowed: AllowList([]),
            capacity: NewcomerLimits.connectionCount,
            candidates: CandidateLimits(
                count: NewcomerLimits.candidateCount, patience: PairingLimits.attemptTimeout,
                byteCount: NewcomerLimits.candidateByteCount))
    }

    /// Shows the first code.
    /// - Returns: the actions to perform, in order.
    public mutating func start(now: HostTime) -> [NewcomerAction] {
        follow(window.open(now: now), .timedOut, now)
        defer { actions = [] }
        return actions
    }

    /// Handles one event.
    /// - Returns: the actions to perform, in order.
    public mutating func handle(_ event: NewcomerEvent, now: HostTime) -> [NewcomerAction] {
        if case .over = phase { return [] }
        switch event {
        case .opened(let id, let address): opened(id, address, now)
        case .authenticated(let id, let key, let binding):
            // Whatever it is to this machine, it must know the code.
            connections.authenticate(id, key, .stranger)
            connections[id]?.binding = binding
        case .broken(let id, let error): drop(id, error.isEarlyEnd ? .lost : .broken(.security(error)), now)
        case .received(let id, let bytes): receive(id, bytes, now)
        case .closed(let id): drop(id, .lost, now)
        case .stored: stored(now)
        case .notStored(let reason): notStored(reason, now)
        case .tick: break
        }
        advance(now)
        defer { actions = [] }
        return actions
    }

    private mutating func advance(_ now: HostTime) {
        if case .over = phase { return }
        expire(now)
        for id in connections.silent(now) { drop(id, .lost, now) }
        for id in connections.keepAlivesDue(now) { actions.append(.send(id, WireEncoder.keepAlive())) }
    }

    /// Who tries; nil while nobody does, and once it cannot fail any more.
    private var party: PairingParty? {
        switch phase {
        case .trying(let party, _), .awaitingDocument(let party): party
        case .offering, .storing, .over: nil
        }
    }

    // MARK: The window

    private mutating func expire(_ now: HostTime) {
        if case .storing = phase { return }
        guard let deadline = window.nextDeadline, now >= deadline else { return }
        if let party { turnAway(party.connection, Refusal(.other, "the pairing took too long"), now) }
        follow(window.expire(now: now), .timedOut, now)
    }

    /// Ends the try of whoever tries.
    private mutating func fail(_ failure: PairingTryFailure, _ now: HostTime) {
        guard let party else { return }
        follow(window.end(party, isSuccess: false, now: now), failure, now)
    }

    /// - Parameter failure: of the try that the actions end, if they do.
    private mutating func follow(
        _ steps: [PairingWindow<PairingParty>.Action], _ failure: PairingTryFailure, _ now: HostTime
    ) {
        for step in steps {
            switch step {
            case .show(let code):
                phase = .offering
                actions.append(.tell(.code(code, isFirst: !hasShownCode)))
                hasShownCode = true
            case .failed(let party, let left): actions.append(.tell(.failed(party, failure, left: left)))
            case .closed(.tooManyFailures): finish(.failed(.tooManyFailures))
            case .succeeded, .closed: break
            }
        }
    }

    private mutating func finish(_ ending: NewcomerEnding) {
        for id in connections.ids { actions.append(.close(id)) }
        phase = .over
        actions.append(.finished(ending))
    }

    // MARK: Connections

    private mutating func opened(_ id: ConnectionID, _ address: String, _ now: HostTime) {
        let connection = PeerConnection(direction: .accepted, address: address, now: now)
        switch connections.add(id, Link(connection: connection), dial: nil, now: now) {
        case .taken: break
        case .takenInstead(let other): drop(other, .lost, now)
        case .doubled, .full, .crowded, .addressFull: return actions.append(.close(id))
        }
        actions.append(.send(id, WireEncoder.greeting(greeting)))
    }

    private mutating func receive(_ id: ConnectionID, _ bytes: ByteBuffer, _ now: HostTime) {
        do throws(WireError) {
            let events = try connections.receive(id, bytes, now: now)
            for case .message(let message) in events where connections[id] != nil { receive(message, from: id, now) }
        } catch {
            refuse(id, Refusal(.protocolError, "\(error)"), .broken(.message(error)), now)
        }
        if let crowding = connections.hold(id, byteCount: 0) { drop(crowding, .lost, now) }
    }

    private mutating func receive(_ message: ControlMessage, from id: ConnectionID, _ now: HostTime) {
        switch message {
        case .greeting(let greeting) where !greeting.roles.contains(.pairing):
            refuse(id, Refusal(.wrongRole, "it waits to be paired, and plays nothing"), .malformed, now)
        case .refusal(let refusal): drop(id, .refused(refusal.text), now)
        case .pairing(let step): take(step, from: id, now)
        case .household(let document): take(document, from: id, now)
        default: break
        }
    }

    /// Closes a connection and says why.
    private mutating func refuse(
        _ id: ConnectionID, _ refusal: Refusal, _ failure: PairingTryFailure, _ now: HostTime
    ) {
        let isTrying = party?.connection == id
        turnAway(id, refusal, now)
        if isTrying { fail(failure, now) }
    }

    private mutating func turnAway(_ id: ConnectionID, _ refusal: Refusal, _ now: HostTime) {
        guard connections.remove(id, pause: .zero, now: now) != nil else { return }
        actions.append(.send(id, WireEncoder.refusal(refusal)))
        actions.append(.close(id))
    }

    /// Forgets a connection that ended, or closes it without a word.
    private mutating func drop(_ id: ConnectionID, _ failure: PairingTryFailure, _ now: HostTime) {
        guard connections.remove(id, pause: .zero, now: now) != nil else { return }
        actions.append(.close(id))
        if party?.connection == id { fail(failure, now) }
    }

    // MARK: Pairing

    private mutating func take(_ step: [UInt8], from id: ConnectionID, _ now: HostTime) {
        switch phase {
        case .trying(let party, let exchange) where party.connection == id: advance(exchange, step, of: party, now)
        case .awaitingDocument(let party) where party.connection == id:
            refuse(id, Refusal(.protocolError, "that is no household"), .malformed, now)
        case .storing(let party, _) where party.connection == id: break
        case .offering, .trying, .awaitingDocument, .storing, .over: begin(with: id, step, now)
        }
    }

    private mutating func begin(with id: ConnectionID, _ step: [UInt8], _ now: HostTime) {
        guard let link = connections[id], let key = link.connection.remoteKey, let binding = link.binding else {
            return
        }
        let party = PairingParty(connection: id, name: link.connection.name, address: link.connection.address)
        do throws(PairingWindow<PairingParty>.Refusal) {
            let code = try window.begin(party, now: now)
            let exchange = PairingExchange(
                .newcomer, code: code, ownKey: keys.key, remoteKey: key, binding: binding)
            advance(exchange, step, of: party, now)
        } catch {
            turnAway(id, Refusal(.busy, "another machine is pairing with it: try again in a moment"), now)
        }
    }

    private mutating func advance(
        _ exchange: PairingExchange, _ step: [UInt8], of party: PairingParty, _ now: HostTime
    ) {
        let id = party.connection
        var exchange = exchange
        phase = .trying(party, exchange)
        do throws(PairingError) {
            if let answer = try exchange.receive(step) { actions.append(.send(id, WireEncoder.pairing(answer))) }
            phase = .trying(party, exchange)
        } catch {
            switch error {
            case .wrongCode:
                return refuse(id, Refusal(.wrongCode, "that is not the code that it shows"), .wrongCode, now)
            case .malformed: return refuse(id, Refusal(.protocolError, "that is no pairing"), .malformed, now)
            }
        }
        guard exchange.hasSucceeded else { return }
        connections.admit(id)
        phase = .awaitingDocument(party)
        actions.append(.send(id, WireEncoder.pairing(keys.signingKey.bytes.bytes)))
    }

    private mutating func take(_ document: ByteBuffer, from id: ConnectionID, _ now: HostTime) {
        guard case .awaitingDocument(let party) = phase, party.connection == id,
            let sponsor = connections[id]?.connection.remoteKey
        else { return }
        do throws(HouseholdError) {
            let household = try Household(decoding: SecretBytes(copying: document.readableBytesView))
            guard household.isMember(keys.key), household.isMember(sponsor) else { throw .notMember }
            phase = .storing(party, household)
            actions.append(.store(household))
        } catch {
            refuse(id, Refusal(.protocolError, "that is no household with both in it"), .unusableHousehold(error), now)
        }
    }

    private mutating func stored(_ now: HostTime) {
        guard case .storing(let party, let household) = phase else { return }
        _ = window.end(party, isSuccess: true, now: now)
        if connections[party.connection] != nil { actions.append(.send(party.connection, WireEncoder.pairing([]))) }
        finish(.paired(household))
    }

    private mutating func notStored(_ reason: String, _ now: HostTime) {
        guard case .storing(let party, _) = phase else { return }
        turnAway(party.connection, Refusal(.other, "it cannot store the household"), now)
        finish(.failed(.notStored(reason)))
    }
}
