import AudioCore
import Cryptography
import HouseholdSessions
import Households
import NIOCore
import Pairing
import Peering
import SecureChannel
import WireProtocol

/// A machine's keys and its greeting.
struct Machine {
    let name: String
    let keys = PeerKeyPair.random()

    init(_ name: String) { self.name = name }

    var key: PeerKey { keys.key }
    var instance: UInt64 { key.uuid.low }

    func greeting(_ roles: PeerRoles = .pairing) -> Greeting {
        Greeting(roles: roles, peer: key.uuid, instance: instance, started: 0, name: name)
    }

    /// A household of this machine, and of others.
    func household(with others: Machine...) throws -> Household {
        var household = try Household(name: "Home", founder: keys, memberName: name)
        for other in others { try household.admit(other.keys.signingKey, name: other.name, by: keys) }
        return household
    }
}

/// What a session sends, as the other sides of its connections read it.
struct SentMessages {
    private(set) var messages: [Int: [ControlMessage]] = [:]
    private(set) var bytes: [Int: [ByteBuffer]] = [:]
    private var inboxes: [Int: PeerConnection] = [:]

    mutating func take(_ bytes: ByteBuffer, _ id: Int, _ now: HostTime) {
        self.bytes[id, default: []].append(bytes)
        var inbox = inboxes[id] ?? PeerConnection(direction: .accepted, address: "", now: now)
        let events = (try? inbox.receive(bytes, now: now)) ?? []
        inboxes[id] = inbox
        messages[id, default: []] += events.compactMap { if case .message(let message) = $0 { message } else { nil } }
    }

    /// Takes what was not taken yet.
    mutating func takeBytes(_ id: Int) -> [ByteBuffer] { bytes.removeValue(forKey: id) ?? [] }

    /// The newest message over a connection.
    subscript(id: Int) -> ControlMessage? { messages[id]?.last }

    func step(_ id: Int) -> [UInt8]? { if case .pairing(let step)? = self[id] { step } else { nil } }

    func refusal(_ id: Int) -> Refusal.Reason? {
        if case .refusal(let refusal)? = self[id] { refusal.reason } else { nil }
    }
}

/// A new machine, with members played by the test.
struct NewcomerScene {
    let machine = Machine("Kitchen")
    private var session: NewcomerSession
    var now = HostTime(nanoseconds: 3_000_000_000)
    var sent = SentMessages()
    private(set) var codes: [String] = []
    private(set) var failures: [(party: PairingParty, failure: PairingTryFailure, left: Int)] = []
    private(set) var stored: Household?
    private(set) var closed: Set<Int> = []
    private(set) var ending: NewcomerEnding?
    /// Of every connection.
    static let binding = ChannelBinding(RandomNumbers.bytes32())

    init() {
        session = NewcomerSession(greeting: machine.greeting(), keys: machine.keys)
        perform(session.start(now: now))
    }

    var code: String { codes.last ?? "" }

    var household: Household? { if case .paired(let household)? = ending { household } else { nil } }

    var failure: NewcomerFailure? { if case .failed(let failure)? = ending { failure } else { nil } }

    /// A code that is not the one shown.
    var otherCode: String { code.first == "0" ? "1111 1111" : "0000 0000" }

    mutating func handle(_ event: NewcomerEvent) { perform(session.handle(event, now: now)) }

    private mutating func perform(_ actions: [NewcomerAction]) {
        for action in actions {
            switch action {
            case .send(let id, let bytes): sent.take(bytes, id.number, now)
            case .close(let id): closed.insert(id.number)
            case .tell(.code(let code, let isFirst)):
                codes.append(isFirst == codes.isEmpty ? code.displayText : "first twice")
            case .tell(.failed(let party, let failure, let left)): failures.append((party, failure, left))
            case .store(let household): stored = household
            case .finished(let ending): self.ending = ending
            }
        }
    }

    mutating func connect(_ id: Int, _ member: Machine, address: String = "10.0.0.2") {
        handle(.opened(ConnectionID(id), address: address))
        handle(.authenticated(ConnectionID(id), member.key, Self.binding))
    }

    /// Somebody connects and greets.
    mutating func open(_ id: Int, _ member: Machine, address: String = "10.0.0.2", roles: PeerRoles = .pairing) {
        connect(id, member, address: address)
        say(WireEncoder.greeting(member.greeting(roles)), id)
    }

    mutating func say(_ bytes: ByteBuffer, _ id: Int = 1) { handle(.received(ConnectionID(id), bytes)) }

    /// Somebody connects and shows that it knows a code, or not.
    mutating func attempt(
        _ code: String, _ member: Machine, _ id: Int = 1, binding: ChannelBinding = Self.binding
    ) throws {
        open(id, member)
        var exchange = PairingExchange(
            .member, code: PairingCode(code)!, ownKey: member.key, remoteKey: machine.key, binding: binding)
        say(WireEncoder.pairing(exchange.start()), id)
        guard let share = sent.step(id) else { return }
        say(WireEncoder.pairing(try exchange.receive(share) ?? []), id)
    }

    mutating func wait(_ span: TimeSpan, keepingAlive ids: Int...) {
        let end = now + span
        while now < end {
            now += .milliseconds(50)
            for id in ids { say(WireEncoder.keepAlive(), id) }
            handle(.tick)
        }
    }
}

/// A member, with new machines played by the test.
struct SponsorScene {
    let machine = Machine("Den")
    private var session: SponsorSession
    var now = HostTime(nanoseconds: 3_000_000_000)
    var sent = SentMessages()
    private(set) var dials: [Dialer.Dial] = []
    private(set) var isSearching = false
    private(set) var admitted: (key: SigningKey, name: String)?
    private(set) var closed: Set<Int> = []
    private(set) var ending: SponsorEnding?

    init(_ target: SponsorTarget = .address(NetworkAddress(host: "10.0.0.1")), code: String = "1234 5678") {
        session = SponsorSession(
            greeting: machine.greeting(), keys: machine.keys, target: target, code: PairingCode(code)!, now: now)
        perform(session.start(now: now))
    }

    var failure: SponsorFailure? { if case .failed(let failure)? = ending { failure } else { nil } }

    var pairedName: String? { if case .paired(let name, _)? = ending { name } else { nil } }

    mutating func handle(_ event: SponsorEvent) { perform(session.handle(event, now: now)) }

    private mutating func perform(_ actions: [SponsorAction]) {
        for action in actions {
            switch action {
            case .search: isSearching = true
            case .dial(let dial): dials.append(dial)
            case .send(let id, let bytes): sent.take(bytes, id.number, now)
            case .close(let id): closed.insert(id.number)
            case .admit(let key, let name): admitted = (key, name)
            case .finished(let ending): self.ending = ending
            }
        }
    }

    mutating func find(_ machine: Machine, roles: PeerRoles = .pairing) {
        handle(
            .contact(
                PeerContact(
                    key: .instance(machine.instance, service: machine.name), name: machine.name, roles: roles,
                    addresses: [NetworkAddress(host: machine.name)])))
    }

    /// The newest dial connects.
    mutating func connect(_ id: Int, _ newcomer: Machine, binding: ChannelBinding = NewcomerScene.binding) {
        guard let dial = dials.last else { return }
        handle(.opened(ConnectionID(id), address: "10.0.0.1", dial: dial))
        handle(.authenticated(ConnectionID(id), newcomer.key, binding))
    }

    /// The newest dial connects, and its other side greets.
    mutating func open(_ newcomer: Machine, roles: PeerRoles = .pairing, _ id: Int = 1) {
        connect(id, newcomer)
        say(WireEncoder.greeting(newcomer.greeting(roles)), id)
    }

    mutating func say(_ bytes: ByteBuffer, _ id: Int = 1) { handle(.received(ConnectionID(id), bytes)) }

    /// The new machine answers both steps of the exchange, and states a key.
    mutating func answer(as newcomer: Machine, code: String = "1234 5678", stating key: SigningKey? = nil) throws {
        var exchange = PairingExchange(
            .newcomer, code: PairingCode(code)!, ownKey: newcomer.key, remoteKey: machine.key,
            binding: NewcomerScene.binding)
        for _ in 0..<2 {
            guard let step = sent.step(1), let answer = try exchange.receive(step) else { return }
            say(WireEncoder.pairing(answer))
        }
        say(WireEncoder.pairing((key ?? newcomer.keys.signingKey).bytes.bytes))
    }

    mutating func wait(_ span: TimeSpan, keepingAlive ids: Int...) {
        let end = now + span
        while now < end {
            now += .milliseconds(20)
            for id in ids { say(WireEncoder.keepAlive(), id) }
            handle(.tick)
        }
    }
}
