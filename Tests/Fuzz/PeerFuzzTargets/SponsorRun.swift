import AudioCore
import HouseholdSessions
import Households
import NIOCore
import Pairing
import Peering
import SecureChannel
import WireProtocol

/// A member that lets a new machine in, and whoever answers where it calls: some know the code.
///
/// Nobody is let in who did not know it, or by another key than its own; the household is sent to nobody else, and
/// whole; nothing follows the end.
struct SponsorRun {
    /// The other end of one connection.
    private struct End {
        let keys: PeerKeyPair
        var inbox: PeerConnection
        /// The newest step that it was sent.
        var step: [UInt8]?
        var exchange: PairingExchange?
        /// Whether it has begun with the right code.
        var knows = false
    }

    /// The one that was typed, and another.
    private static let codes = ["1234 5678", "1234 5679"].compactMap { PairingCode($0) }
    private static let byteLimit = 128 * 1024
    private let keys = HandshakeRun.keys
    private let binding = ChannelBinding(.zero)
    private var session: SponsorSession
    private var now = HostTime(nanoseconds: 0)
    private var dials: [Dialer.Dial] = []
    private var ends: [Int: End] = [:]
    /// Whom the session wanted to let in, and what became of that.
    private var asked: SigningKey?
    private var home: Household?
    private var hasSentHousehold = false
    private var isOver = false
    private var broken: String?

    /// - Parameter setting: which machine is meant.
    init(_ setting: UInt8) {
        let target: SponsorTarget =
            switch setting % 3 {
            case 0: .address(NetworkAddress(host: "10.0.0.1"))
            case 1: .named("new")
            default: .any
            }
        let greeting = Greeting(
            roles: .pairing, peer: HandshakeRun.keys[0].key.uuid, instance: 1, started: 0, name: "member")
        session = SponsorSession(
            greeting: greeting, keys: HandshakeRun.keys[0], target: target, code: Self.codes[0],
            now: HostTime(nanoseconds: 0))
    }

    consuming func violation(_ reader: inout InputReader) -> String? {
        perform(session.start(now: now))
        // Curve arithmetic takes its time.
        for _ in 0..<60 where !reader.isEmpty {
            let operation = reader.byte()
            act(operation & 0x0F, Int(operation >> 4 & 3), &reader)
            if let broken { return broken }
        }
        return heldByteCount(of: session) <= Self.byteLimit ? nil : "it keeps too much"
    }

    private mutating func act(_ operation: UInt8, _ id: Int, _ reader: inout InputReader) {
        let connection = ConnectionID(id)
        switch operation {
        case 0, 1: open(id, as: keys[1 + Int(reader.byte() & 1)], greets: operation == 0)
        case 2: say(WireEncoder.pairing(reader.bytes(Int(reader.byte() & 0x7F))), id)
        case 3: say(ByteBuffer(bytes: reader.bytes(Int(reader.byte()))), id)
        case 4: begin(id, knows: reader.byte() & 1 == 0)
        case 5: answer(id)
        case 6: stateKey(id, isOwn: reader.byte() & 1 == 0)
        case 7: letIn(asked ?? keys[3].signingKey)
        case 8: handle(.notAdmitted(.notStored("full")))
        case 9: handle(.closed(connection))
        case 10: handle(.broken(connection, reader.byte() & 1 == 0 ? .record(.notAuthentic) : .record(.truncated)))
        case 11: say(WireEncoder.refusal(Refusal(reader.byte() & 1 == 0 ? .wrongCode : .other, "no")), id)
        case 12: search(reader.byte())
        case 13: say(WireEncoder.keepAlive(), id)
        default:
            now += .milliseconds(Int64(reader.byte()) * 100)
            handle(.tick)
        }
    }

    // MARK: The network

    private mutating func search(_ result: UInt8) {
        switch result % 4 {
        case 0, 1:
            let name = result % 4 == 0 ? "new" : "other"
            handle(
                .contact(
                    PeerContact(
                        key: .instance(2, service: name), name: name, roles: .pairing,
                        addresses: [NetworkAddress(host: name)])))
        case 2: handle(.searchFailed("no"))
        default: if let dial = dials.popLast() { handle(.dialFailed(dial)) }
        }
    }

    private mutating func open(_ id: Int, as machine: PeerKeyPair, greets: Bool) {
        guard let dial = dials.popLast() else { return }
        handle(.closed(ConnectionID(id)))
        ends[id] = End(keys: machine, inbox: PeerConnection(direction: .accepted, address: "", now: now))
        handle(.opened(ConnectionID(id), address: "10.0.0.\(id)", dial: dial))
        handle(.authenticated(ConnectionID(id), machine.key, binding))
        guard greets else { return }
        say(
            WireEncoder.greeting(
                Greeting(roles: .pairing, peer: machine.key.uuid, instance: 2, started: 0, name: "new")), id)
    }

    private mutating func say(_ bytes: ByteBuffer, _ id: Int) { handle(.received(ConnectionID(id), bytes)) }

    // MARK: Others

    private mutating func begin(_ id: Int, knows: Bool) {
        guard let machine = ends[id]?.keys else { return }
        ends[id]?.exchange = PairingExchange(
            .newcomer, code: Self.codes[knows ? 0 : 1], ownKey: machine.key, remoteKey: keys[0].key, binding: binding)
        if knows { ends[id]?.knows = true }
    }

    private mutating func answer(_ id: Int) {
        guard let step = ends[id]?.step, let answer = try? ends[id]?.exchange?.receive(step) else { return }
        say(WireEncoder.pairing(answer), id)
    }

    private mutating func stateKey(_ id: Int, isOwn: Bool) {
        guard let own = ends[id]?.keys else { return }
        say(WireEncoder.pairing((isOwn ? own : keys[3]).signingKey.bytes.bytes), id)
    }

    /// The shell stores a household with this key in it, whether it was asked to or not.
    private mutating func letIn(_ key: SigningKey) {
        guard var household = try? Household(name: "Home", founder: keys[0], memberName: "member"),
            (try? household.admit(key, name: "new", by: keys[0])) != nil
        else { return }
        if home == nil { home = household }
        handle(.admitted(household))
    }

    // MARK: The session

    private mutating func handle(_ event: SponsorEvent) {
        let actions = session.handle(event, now: now)
        if isOver, !actions.isEmpty { broken = "something follows the end" }
        perform(actions)
    }

    private mutating func perform(_ actions: [SponsorAction]) {
        for action in actions {
            switch action {
            case .search, .close: break
            case .dial(let dial): dials.append(dial)
            case .send(let id, let bytes): hear(bytes, id.number)
            case .admit(let key, let name):
                let isKnown = ends.values.contains { $0.knows && $0.keys.signingKey == key }
                if !isKnown { broken = "a stranger is let in" }
                if asked != nil { broken = "two are let in" }
                if name.isEmpty { broken = "somebody without a name is let in" }
                asked = key
                home = nil
            case .finished(.paired): end(if: hasSentHousehold)
            case .finished(.failed): end(if: true)
            }
        }
    }

    private mutating func end(if isAllowed: Bool) {
        if isOver || !isAllowed { broken = "it ends too soon, or twice" }
        isOver = true
    }

    /// The other end of a connection takes what it is sent.
    private mutating func hear(_ bytes: ByteBuffer, _ id: Int) {
        guard var end = ends[id] else { return }
        for case .message(let message) in (try? end.inbox.receive(bytes, now: now)) ?? [] {
            switch message {
            case .pairing(let step): end.step = step
            case .household(let document):
                hasSentHousehold = true
                if !end.knows || asked != end.keys.signingKey { broken = "a stranger is sent the household" }
                let sent = try? Household(decoding: Array(document.readableBytesView))
                if sent == nil || sent != home { broken = "another household is sent" }
            default: break
            }
        }
        ends[id] = end
    }
}
