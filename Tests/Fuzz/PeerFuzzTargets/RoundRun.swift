import AudioCore
import HouseholdSessions
import Households
import NIOCore
import Peering
import SecureChannel
import WireProtocol

/// A round among Tuttis that are found, some of them members, who say anything.
///
/// Only members that are meant, and that greeted as such, count as told. Documents come whole. A round that tells ends
/// in time, and nothing follows its end; one that enrols never ends by itself.
struct RoundRun {
    private static let byteLimit = 512 * 1024
    private let keys = HandshakeRun.keys
    private let members: Set<PeerKey>?
    private let document: [UInt8]
    private var session: HouseholdRound
    private var now = HostTime(nanoseconds: 0)
    private var dials: [Dialer.Dial] = []
    /// Connections that are open, and what the kernel holds of each.
    private var open: [Int: Int] = [:]
    /// Over which something else was said than whole messages.
    private var noisy: Set<Int> = []
    /// The keys that the other sides have proved to have; those of members; those whose owners may have greeted.
    private var proven: [Int: PeerKey] = [:]
    private var provenMembers: Set<PeerKey> = []
    private var greeted: Set<PeerKey> = []
    private var isOver = false
    private var broken: String?

    /// - Parameter setting: what the round is for.
    init(_ setting: UInt8) {
        let keys = HandshakeRun.keys
        let meant: Set<PeerKey> = [keys[1].key, keys[2].key]
        let purpose: HouseholdRound.Purpose =
            switch setting % 4 {
            case 0: .telling(meant)
            case 1: .leaving(meant)
            case 2: .enrolling
            default: .removing(meant)
            }
        members = setting % 4 == 2 ? nil : meant
        let home = try? Household(name: "Home", founder: keys[0], memberName: "member")
        document = home?.encoded().withBytes { Array($0) } ?? []
        let greeting = Greeting(
            roles: .controller, peer: keys[0].key.uuid, instance: 1, started: 0, name: "round")
        session = HouseholdRound(greeting: greeting, purpose: purpose, now: HostTime(nanoseconds: 0))
    }

    consuming func violation(_ reader: inout InputReader) -> String? {
        for _ in 0..<400 where !reader.isEmpty {
            let operation = reader.byte()
            act(operation & 0x0F, Int(operation >> 4 & 7), &reader)
            if let broken { return broken }
        }
        return heldByteCount(of: session) <= Self.byteLimit ? nil : "it keeps too much"
    }

    private mutating func act(_ operation: UInt8, _ id: Int, _ reader: inout InputReader) {
        let connection = ConnectionID(id)
        switch operation {
        case 0: find(reader.byte())
        case 1: refuseDial(reader.byte() & 1 == 0 ? .refused : .unanswered)
        case 2, 3: connect(id)
        case 4: identify(id, as: reader.byte())
        case 5: greet(id)
        case 6: handle(.document(connection, WireEncoder.household(document)))
        case 7: write(id)
        case 8: say(WireEncoder.household(document), id)
        case 9: makeNoise(reader.bytes(Int(reader.byte())), id)
        case 10: refuse(id, Refusal(.notAllowed, "no"))
        case 11: end(id, isBroken: false)
        case 12: end(id, isBroken: true)
        case 13: if reader.byte() == 0 { handle(.searchFailed) }
        case 15: refuse(id, Refusal(.removedLately, "no"))
        default:
            now += .milliseconds(Int64(reader.byte()) * 20)
            handle(.tick)
        }
    }

    // MARK: The network

    private mutating func find(_ byte: UInt8) {
        let addresses = (0...byte >> 6).map { NetworkAddress(host: "10.0.\(byte & 0x3F).\($0)") }
        handle(
            .found(
                PeerContact(
                    key: .instance(UInt64(byte & 0x3F), service: ""), name: "Tutti", roles: .listener,
                    addresses: addresses)))
    }

    private mutating func refuseDial(_ failure: DialFailure) {
        if let dial = dials.popLast() { handle(.dialFailed(dial, failure)) }
    }

    private mutating func connect(_ id: Int) {
        guard open[id] == nil, let dial = dials.popLast() else { return }
        open[id] = 0
        noisy.remove(id)
        proven[id] = nil
        handle(.opened(ConnectionID(id), address: dial.address.host, dial: dial))
    }

    /// A side proves its key once, before it says anything.
    private mutating func identify(_ id: Int, as byte: UInt8) {
        guard open[id] != nil, proven[id] == nil else { return }
        let key = keys[Int(byte & 3)].key
        let standing: PeerStanding = [.member, .removedLately, .stranger, .removed][Int(byte >> 2 & 3)]
        proven[id] = key
        if standing == .member { provenMembers.insert(key) }
        handle(.authenticated(ConnectionID(id), key, standing))
    }

    private mutating func greet(_ id: Int) {
        guard open[id] != nil, let key = proven[id] else { return }
        greeted.insert(key)
        let greeting = Greeting(roles: .listener, peer: key.uuid, instance: 2, started: 0, name: "Tutti")
        say(WireEncoder.greeting(greeting), id)
    }

    /// Whoever refuses with this reason has taken what it was told first.
    private mutating func refuse(_ id: Int, _ refusal: Refusal) {
        if open[id] != nil, let key = proven[id], refusal.reason == .removedLately { greeted.insert(key) }
        say(WireEncoder.refusal(refusal), id)
    }

    private mutating func write(_ id: Int) {
        guard let count = open[id], count > 0 else { return }
        open[id] = 0
        handle(.written(ConnectionID(id), byteCount: count))
    }

    private mutating func makeNoise(_ bytes: [UInt8], _ id: Int) {
        noisy.insert(id)
        // It may be a greeting.
        if let key = proven[id] { greeted.insert(key) }
        say(ByteBuffer(bytes: bytes), id)
    }

    private mutating func say(_ bytes: ByteBuffer, _ id: Int) {
        if open[id] != nil, proven[id] != nil { handle(.received(ConnectionID(id), bytes)) }
    }

    private mutating func end(_ id: Int, isBroken: Bool) {
        guard open.removeValue(forKey: id) != nil else { return }
        handle(isBroken ? .broken(ConnectionID(id)) : .closed(ConnectionID(id)))
    }

    // MARK: The session

    private mutating func handle(_ event: RoundEvent) {
        let actions = session.handle(event, now: now)
        if isOver, !actions.isEmpty { broken = "something follows the end" }
        for action in actions { perform(action) }
        if members != nil, !isOver, now - HostTime(nanoseconds: 0) >= RoundLimits.tellingTime {
            broken = "it does not end"
        }
    }

    private mutating func perform(_ action: RoundAction) {
        switch action {
        case .dial(let dial): dials.append(dial)
        case .send(let id, let bytes): open[id.number]? += bytes.readableBytes
        case .close(let id): open[id.number] = nil
        case .household(let id, let bytes):
            if open[id.number] == nil { broken = "a document of a connection that is over" }
            if !noisy.contains(id.number), Array(bytes.readableBytesView) != document { broken = "half a document" }
        case .refused(let id, _, _):
            if members != nil || open[id.number] == nil { broken = "a refusal of nobody who was asked" }
        case .finished(let outcome):
            if isOver || members == nil { broken = "it ends too often" }
            let present = provenMembers.intersection(greeted)
            let meant = members ?? []
            if !outcome.told.isSubset(of: present.intersection(meant)) { broken = "told who was not there" }
            if !meant.intersection(provenMembers).isSuperset(of: outcome.refusals.keys) { broken = "refused by nobody" }
            isOver = true
        }
    }
}
