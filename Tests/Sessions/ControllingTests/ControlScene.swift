import AudioCore
import Controlling
import Households
import NIOCore
import Peering
import SecureChannel
import WireProtocol

/// A controller, with broadcasters played by the test.
struct ControlScene {
    var session: ControlSession
    var now = HostTime(nanoseconds: 3_000_000_000)
    var dials: [Dialer.Dial] = []
    var isSearching = false
    var sent: [Int: [ControlMessage]] = [:]
    private var inboxes: [Int: PeerConnection] = [:]
    private var keys: [Int: PeerKey] = [:]
    var closed: Set<Int> = []
    /// Without the places of broadcasts.
    var answers: [ControlAnswer] = []
    var place: BroadcastPlace?
    var opened: [String] = []
    var reads: [Int] = []
    var ending: ControlEnding?

    init(_ target: ControlTarget = .any, _ requests: [ControlRequest], inHousehold: Bool = false) {
        let greeting = Greeting(
            roles: .controller, peer: UUIDBytes(high: 0, low: 1), instance: 1, started: 0, name: "Hand")
        session = ControlSession(
            greeting: greeting, target: target, requests: requests, takesMembersOnly: inHousehold, now: now)
    }

    mutating func handle(_ event: ControlEvent) {
        for action in session.handle(event, now: now) {
            switch action {
            case .search: isSearching = true
            case .dial(let dial): dials.append(dial)
            case .send(let id, let bytes): take(bytes, id.number)
            case .close(let id): closed.insert(id.number)
            case .answer(.connected(let name, let place)):
                answers.append(.connected(name))
                self.place = place
            case .answer(let answer): answers.append(answer)
            case .openSong(let path): opened.append(path)
            case .readSong(let byteCount): reads.append(byteCount)
            case .finished(let ending): self.ending = ending
            }
        }
    }

    private mutating func take(_ bytes: ByteBuffer, _ id: Int) {
        var inbox = inboxes[id] ?? PeerConnection(direction: .accepted, address: "", now: now)
        let events = (try? inbox.receive(bytes, now: now)) ?? []
        inboxes[id] = inbox
        sent[id, default: []] += events.compactMap { if case .message(let message) = $0 { message } else { nil } }
    }

    mutating func wait(_ span: TimeSpan) {
        let end = now + span
        while now < end {
            now += .milliseconds(5)
            handle(.tick)
        }
    }

    /// A program of this machine answers in the name of this broadcast.
    mutating func open(
        _ id: Int, _ origin: ControlSession.Origin, _ name: String, roles: PeerRoles = .broadcaster
    ) {
        handle(.opened(ConnectionID(id), origin, address: "socket \(id)"))
        greet(id, name, roles: roles)
    }

    mutating func greet(_ id: Int, _ name: String, roles: PeerRoles = .broadcaster) {
        let greeting = Greeting(
            roles: roles, peer: keys[id]?.uuid ?? UUIDBytes(high: 0, low: 2), instance: UInt64(name.utf8.count),
            started: 0, name: name)
        handle(.received(ConnectionID(id), WireEncoder.greeting(greeting)))
    }

    /// A broadcaster of the network proves to be what it is.
    mutating func open(_ id: Int, as standing: PeerStanding, by dial: Dialer.Dial) {
        handle(.opened(ConnectionID(id), .dialed(dial), address: "10.0.0.\(id)"))
        let key = PeerKeyPair.random().key
        keys[id] = key
        handle(.authenticated(ConnectionID(id), key, standing))
    }

    mutating func find(_ name: String, service: String = "") {
        handle(
            .contact(
                PeerContact(
                    key: .instance(UInt64(name.utf8.count), service: service), name: name, roles: .broadcaster,
                    started: 0, addresses: [NetworkAddress(host: name + service)])))
    }

    mutating func say(_ bytes: ByteBuffer, _ id: Int = 1) { handle(.received(ConnectionID(id), bytes)) }

    /// Answers the newest command.
    mutating func answer(_ verdict: CommandOutcome.Verdict, _ id: Int = 1) {
        guard case .command(let command)? = sent[id]?.last else { return }
        say(WireEncoder.outcome(CommandOutcome(id: command.id, verdict, sent: SessionTime(nanoseconds: 0))), id)
    }
}
