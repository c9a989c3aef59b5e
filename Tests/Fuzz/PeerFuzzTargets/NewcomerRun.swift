import AudioCore
import HouseholdSessions
import Households
import NIOCore
import Pairing
import Peering
import SecureChannel
import WireProtocol

/// A new machine that waits to be paired, and anybody who connects: some know the code.
///
/// No more than three tries fail, a household is stored only from whoever knew the code, and nothing follows the end.
struct NewcomerRun {
    private static let byteLimit = 128 * 1024
    private let keys = HandshakeRun.keys
    private let binding = ChannelBinding(.zero)
    private var session: NewcomerSession
    private var now = HostTime(nanoseconds: 0)
    private var code: PairingCode?
    private var codeCount = 0
    private var failureCount = 0
    /// The newest step that the session sent over each connection.
    private var steps: [Int: [UInt8]] = [:]
    /// Of those who do as a member does.
    private var exchanges: [Int: PairingExchange] = [:]
    /// Connections over which somebody began who knew the code.
    private var knowing: Set<Int> = []
    private var stored: Household?
    private var isOver = false
    private var broken: String?

    init() {
        let greeting = Greeting(
            roles: .pairing, peer: HandshakeRun.keys[0].key.uuid, instance: 1, started: 0, name: "new")
        session = NewcomerSession(greeting: greeting, keys: HandshakeRun.keys[0])
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
        case 0, 1: open(id, greets: operation == 0)
        case 2: say(WireEncoder.pairing(reader.bytes(Int(reader.byte() & 0x7F))), id)
        case 3: handle(.received(connection, ByteBuffer(bytes: reader.bytes(Int(reader.byte())))))
        case 4: begin(id, knows: reader.byte() & 1 == 0)
        case 5, 6: answer(id)
        case 7: sendHousehold(id, isWhole: reader.byte() & 1 == 0)
        case 8: handle(.closed(connection))
        case 9: handle(stored == nil || reader.byte() & 1 == 0 ? .notStored("full") : .stored)
        case 10: say(WireEncoder.refusal(Refusal(.other, "no")), id)
        case 11: handle(.broken(connection, reader.byte() & 1 == 0 ? .record(.notAuthentic) : .record(.truncated)))
        case 12: say(WireEncoder.keepAlive(), id)
        default:
            now += .milliseconds(Int64(reader.byte()) * 500)
            handle(.tick)
        }
    }

    private mutating func open(_ id: Int, greets: Bool) {
        handle(.closed(ConnectionID(id)))
        (exchanges[id], steps[id]) = (nil, nil)
        knowing.remove(id)
        handle(.opened(ConnectionID(id), address: "10.0.0.\(id)"))
        handle(.authenticated(ConnectionID(id), keys[1].key, binding))
        guard greets else { return }
        let greeting = Greeting(roles: .pairing, peer: keys[1].key.uuid, instance: 2, started: 0, name: "member")
        say(WireEncoder.greeting(greeting), id)
    }

    private mutating func begin(_ id: Int, knows: Bool) {
        guard let code else { return }
        let other = PairingCode(code.displayText == "0000 0000" ? "00000001" : "00000000")
        guard let typed = knows ? code : other else { return }
        var exchange = PairingExchange(
            .member, code: typed, ownKey: keys[1].key, remoteKey: keys[0].key, binding: binding)
        say(WireEncoder.pairing(exchange.start()), id)
        exchanges[id] = exchange
        if knows { knowing.insert(id) }
    }

    private mutating func answer(_ id: Int) {
        guard let step = steps[id], let answer = try? exchanges[id]?.receive(step) else { return }
        say(WireEncoder.pairing(answer), id)
    }

    private mutating func sendHousehold(_ id: Int, isWhole: Bool) {
        var household = try? Household(name: "Home", founder: keys[1], memberName: "member")
        if isWhole { try? household?.admit(keys[0].signingKey, name: "new", by: keys[1]) }
        guard let document = household?.encoded() else { return }
        say(WireEncoder.household(document.withBytes { Array($0) }), id)
    }

    private mutating func say(_ bytes: ByteBuffer, _ id: Int) { handle(.received(ConnectionID(id), bytes)) }

    private mutating func handle(_ event: NewcomerEvent) {
        let actions = session.handle(event, now: now)
        if isOver, !actions.isEmpty { broken = "something follows the end" }
        perform(actions)
    }

    private mutating func perform(_ actions: [NewcomerAction]) {
        for action in actions {
            switch action {
            case .send(let id, let bytes): if let step = Self.step(in: bytes) { steps[id.number] = step }
            case .close: break
            case .tell(.code(let shown, let isFirst)):
                code = shown
                if isFirst != (codeCount == 0) { broken = "the first code is not the first" }
                codeCount += 1
            case .tell(.failed(_, _, let left)):
                failureCount += 1
                if failureCount + left != PairingLimits.failureCount { broken = "failures are not counted" }
            case .store(let household):
                stored = household
                if knowing.isEmpty { broken = "a stranger's household" }
                if !household.isMember(keys[0].key) { broken = "another's household" }
            case .finished: isOver = true
            }
        }
    }

    /// The step of a pairing that a message is; nil for any other.
    private static func step(in message: ByteBuffer) -> [UInt8]? {
        let bytes = Array(message.readableBytesView)
        return bytes.prefix(2) == [0, 6] ? Array(bytes.dropFirst(6)) : nil
    }
}
