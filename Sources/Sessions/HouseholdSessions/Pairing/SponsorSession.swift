import AudioCore
import Cryptography
import Households
import NIOCore
import Pairing
import Peering
import SecureChannel
import WireProtocol

/// A member that lets a new machine in: finds it, shows that it knows its code, and sends it the household. Events in,
/// actions out.
///
///     searching ──found──▶ calling ──greeted──▶ pairing ──receipt──▶ over
///                              ▲ at once, with an address
///
/// Without a name or an address it takes the only machine that waits. With several to choose from it takes none: a
/// wrong one would cost a try. Owns no socket, file or clock.
public struct SponsorSession {
    private enum Phase {
        case searching(since: HostTime, choice: HostTime?)
        case calling(since: HostTime)
        case pairing(ConnectionID, Step, since: HostTime)
        case over
    }

    /// What comes next.
    private enum Step {
        case exchange(PairingExchange)
        case signingKey
        /// Of the shell.
        case admission
        case receipt
    }

    private struct Link: PeerLink {
        var connection: PeerConnection
        var contact: PeerContact.Key?
        let dial: Dialer.Dial
        var binding: ChannelBinding?
    }

    private let greeting: Greeting
    private let keys: PeerKeyPair
    private let target: SponsorTarget
    private let code: PairingCode
    private var phase: Phase
    private var found: [PeerContact] = []
    private var household: Household?
    /// The new machine's, for display.
    private var name = ""
    private var connections: ConnectionTable<Link>
    private var actions: [SponsorAction] = []

    /// - Parameters:
    ///   - greeting: its role is ``PeerRoles/pairing``.
    ///   - keys: of this machine, a member.
    ///   - code: as somebody read it from the new machine.
    public init(greeting: Greeting, keys: PeerKeyPair, target: SponsorTarget, code: PairingCode, now: HostTime) {
        self.greeting = greeting
        self.keys = keys
        self.target = target
        self.code = code
        phase = .searching(since: now, choice: nil)
        connections = ConnectionTable(
            instance: greeting.instance, peers: .pairing, allowed: AllowList([]),
            capacity: PeeringLimits.addressesPerContact,
            candidates: CandidateLimits(
                count: PeeringLimits.addressesPerContact, patience: SponsorLimits.patience, byteCount: .max))
    }

    /// Begins to search, or calls the address.
    /// - Returns: the actions to perform, in order.
    public mutating func start(now: HostTime) -> [SponsorAction] {
        guard case .address(let address) = target else { return [.search] }
        call(PeerContact(address: address), now)
        return handle(.tick, now: now)
    }

    /// Handles one event.
    /// - Returns: the actions to perform, in order.
    public mutating func handle(_ event: SponsorEvent, now: HostTime) -> [SponsorAction] {
        if case .over = phase { return [] }
        switch event {
        case .contact(let contact): learn(contact, now)
        case .searchFailed(let reason): if case .searching = phase { fail(.cannotSearch(reason)) }
        case .opened(let id, let address, let dial): opened(id, address, dial, now)
        case .dialFailed(let dial): connections.dialer.dialDidEnd(dial.id, failure: .unanswered, now: now)
        case .authenticated(let id, let key, let binding):
            // Whatever it is to this machine, it must know the code.
            connections.authenticate(id, key, .stranger)
            connections[id]?.binding = binding
        case .broken(let id, let error): broke(id, error, now)
        case .received(let id, let bytes): receive(id, bytes, now)
        case .closed(let id): end(id, { .lost($0) }, now)
        case .admitted(let household): admitted(household, now)
        case .notAdmitted(let failure): notAdmitted(failure)
        case .tick: break
        }
        advance(now)
        defer { actions = [] }
        return actions
    }

    private mutating func advance(_ now: HostTime) {
        switch phase {
        case .searching(let since, let choice):
            if let choice, now >= choice {
                choose(now)
            } else if now - since > SponsorLimits.patience {
                fail(.notFound(others: found.map(\.name).sorted()))
            }
        case .calling(let since): if now - since > SponsorLimits.patience { fail(.noAnswer) }
        case .pairing(let id, _, let since):
            if now - since > PairingLimits.attemptTimeout { end(id, { .timedOut($0) }, now) }
        case .over: return
        }
        for dial in connections.dialer.dueDials(now) { actions.append(.dial(dial)) }
        for id in connections.silent(now) { end(id, { .lost($0) }, now) }
        for id in connections.keepAlivesDue(now) { actions.append(.send(id, WireEncoder.keepAlive())) }
    }

    // MARK: Finding it

    private mutating func learn(_ contact: PeerContact, _ now: HostTime) {
        guard case .searching(let since, let choice) = phase, contact.roles.contains(.pairing),
            found.count < SponsorLimits.foundCount
        else { return }
        found.removeAll { $0.key == contact.key }
        found.append(contact)
        switch target {
        case .named(let name): if PeerName(contact.name) == PeerName(name) { call(contact, now) }
        case .any, .address: phase = .searching(since: since, choice: choice ?? now + SponsorLimits.choiceTime)
        }
    }

    private mutating func choose(_ now: HostTime) {
        guard found.count == 1 else { return fail(.ambiguous(found.map(\.name).sorted())) }
        call(found[0], now)
    }

    private mutating func call(_ contact: PeerContact, _ now: HostTime) {
        phase = .calling(since: now)
        connections.dialer.update(contact, now: now)
    }

    // MARK: The connection

    private mutating func opened(_ id: ConnectionID, _ address: String, _ dial: Dialer.Dial, _ now: HostTime) {
        let link = Link(connection: PeerConnection(direction: .dialed, address: address, now: now), dial: dial)
        // It calls one contact, which has one connection: none has to make room for another.
        guard case .calling = phase, connections.add(id, link, dial: dial, now: now) == .taken else {
            return actions.append(.close(id))
        }
        actions.append(.send(id, WireEncoder.greeting(greeting)))
    }

    private mutating func receive(_ id: ConnectionID, _ bytes: ByteBuffer, _ now: HostTime) {
        do throws(WireError) {
            let events = try connections.receive(id, bytes, now: now)
            for case .message(let message) in events where connections[id] != nil { receive(message, from: id, now) }
        } catch {
            giveUp(id, .message(error), now)
        }
    }

    private mutating func receive(_ message: ControlMessage, from id: ConnectionID, _ now: HostTime) {
        switch message {
        case .greeting(let greeting): greet(greeting, id, now)
        case .refusal(let refusal): end(id, { Self.failure(refusal, by: $0) }, now, reason: refusal.text)
        case .pairing(let bytes): take(bytes, from: id, now)
        default: break
        }
    }

    private static func failure(_ refusal: Refusal, by name: String) -> SponsorFailure {
        refusal.reason == .wrongCode ? .wrongCode(name) : .turnedAway(by: name, refusal.reason, refusal.text)
    }

    /// Begins with the first that greets and is the machine that was found.
    private mutating func greet(_ greeting: Greeting, _ id: ConnectionID, _ now: HostTime) {
        guard case .calling = phase, let link = connections[id] else { return drop(id, now) }
        // At an address that several networks use, another machine may answer.
        if let instance = link.dial.key.instance, instance != greeting.instance { return drop(id, now) }
        name = greeting.name
        guard greeting.roles.contains(.pairing) else { return fail(.doesNotWait(name)) }
        guard let key = link.connection.remoteKey, let binding = link.binding else { return drop(id, now) }
        for other in connections.ids where other != id { drop(other, now) }
        connections.accept(id)
        connections.admit(id)
        var exchange = PairingExchange(.member, code: code, ownKey: keys.key, remoteKey: key, binding: binding)
        actions.append(.send(id, WireEncoder.pairing(exchange.start())))
        phase = .pairing(id, .exchange(exchange), since: now)
    }

    /// One that leaves after it greeted is lost, in the middle of a record as between two.
    private mutating func broke(_ id: ConnectionID, _ error: ConnectionSecurityError, _ now: HostTime) {
        guard error.isEarlyEnd, connections[id]?.connection.greeting != nil else {
            return giveUp(id, .security(error), now)
        }
        end(id, { .lost($0) }, now)
    }

    /// Ends the session for what makes no sense. Another try would bring the same, also before the other side greets.
    private mutating func giveUp(_ id: ConnectionID, _ error: PeerError, _ now: HostTime) {
        if case .calling = phase, let link = connections[id] {
            return fail(.brokenProtocol(link.connection.name, error))
        }
        end(id, { .brokenProtocol($0, error) }, now)
    }

    /// Ends the session if it depends on this connection; else does without it.
    /// - Parameter reason: of the other side.
    private mutating func end(
        _ id: ConnectionID, _ failure: (String) -> SponsorFailure, _ now: HostTime, reason: String? = nil
    ) {
        switch phase {
        case .pairing(id, .admission, _): drop(id, now)
        case .pairing(id, .receipt, _): fail(.unconfirmed(name, reason: reason))
        case .pairing(id, _, _): fail(failure(name))
        case .calling where connections[id]?.connection.greeting != nil:
            fail(failure(connections[id]?.connection.name ?? ""))
        case .searching, .calling, .pairing, .over: drop(id, now)
        }
    }

    private mutating func drop(_ id: ConnectionID, _ now: HostTime) {
        guard connections.remove(id, pause: .zero, now: now) != nil else { return }
        actions.append(.close(id))
    }

    private mutating func fail(_ failure: SponsorFailure) { finish(.failed(failure)) }

    private mutating func finish(_ ending: SponsorEnding) {
        for id in connections.ids { actions.append(.close(id)) }
        phase = .over
        actions.append(.finished(ending))
    }

    // MARK: Pairing

    private mutating func take(_ bytes: [UInt8], from id: ConnectionID, _ now: HostTime) {
        guard case .pairing(id, let step, let since) = phase else { return }
        switch step {
        case .exchange(let exchange): advance(exchange, bytes, id, since)
        case .signingKey: admit(bytes, id, since)
        case .receipt where bytes.isEmpty: if let household { finish(.paired(name, household)) }
        case .admission, .receipt: refuse(id, Refusal(.protocolError, "that is no receipt"), .malformed(name))
        }
    }

    private mutating func advance(
        _ exchange: PairingExchange, _ bytes: [UInt8], _ id: ConnectionID, _ since: HostTime
    ) {
        var exchange = exchange
        do throws(PairingError) {
            if let answer = try exchange.receive(bytes) { actions.append(.send(id, WireEncoder.pairing(answer))) }
            phase = .pairing(id, exchange.hasSucceeded ? .signingKey : .exchange(exchange), since: since)
        } catch {
            switch error {
            case .wrongCode: refuse(id, Refusal(.wrongCode, "that is not the code"), .doesNotKnowCode(name))
            case .malformed: refuse(id, Refusal(.protocolError, "that is no pairing"), .malformed(name))
            }
        }
    }

    /// Takes the new machine's signing key.
    private mutating func admit(_ bytes: [UInt8], _ id: ConnectionID, _ since: HostTime) {
        guard let key = Bytes32(bytes).flatMap({ SigningKey($0) }), let link = connections[id],
            key.peerKey == link.connection.remoteKey
        else { return refuse(id, Refusal(.protocolError, "that is another's key"), .foreignKey(name)) }
        phase = .pairing(id, .admission, since: since)
        let shown = PeerName(name)?.text ?? ""
        let isName = (1...HouseholdLimits.nameByteCount).contains(shown.utf8.count)
        actions.append(.admit(key, name: isName ? shown : link.connection.address))
    }

    private mutating func admitted(_ household: Household, _ now: HostTime) {
        guard case .pairing(let id, .admission, _) = phase else { return }
        guard connections[id] != nil else { return fail(.unconfirmed(name, reason: nil)) }
        self.household = household
        phase = .pairing(id, .receipt, since: now)
        let document = household.encoded().withBytes { Array($0) }
        actions.append(.send(id, WireEncoder.household(document)))
    }

    private mutating func notAdmitted(_ failure: AdmissionFailure) {
        guard case .pairing(let id, .admission, _) = phase else { return }
        refuse(id, Refusal(.other, "the household does not take it in"), .notAdmitted(name, failure))
    }

    private mutating func refuse(_ id: ConnectionID, _ refusal: Refusal, _ failure: SponsorFailure) {
        actions.append(.send(id, WireEncoder.refusal(refusal)))
        fail(failure)
    }
}
