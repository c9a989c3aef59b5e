import AudioCore
import Households
import NIOCore
import Peering
import SecureChannel
import WireProtocol

/// A controller of a broadcast: finds it, connects, makes its requests one after the other, and ends. Events in,
/// actions out.
///
///     asking locally ──none──▶ searching ──one was found, and greeted──▶ talking ──all is done──▶ over
///          └────this machine's own, or the one that it listens to───────────▲
///     calling an address ──greeted──────────────────────────────────────────┘
///
/// A name is a broadcast's; if mDNS finds none that is called so, a broadcast at the host of that name is taken, by the
/// same rules. Without a name or an address it takes this machine's own broadcast, else the one that this machine
/// listens to, else the only one that mDNS finds. With several to choose from it takes none. In a household it takes of
/// those that mDNS finds only a member's, and the only member's if there are strangers' too: a name proves nothing, and
/// a song that is sent is for the household. Owns no socket, thread or clock.
public struct ControlSession {
    private enum Phase {
        /// Programs of this machine were called by their local sockets. `deadline`: when all that will greet have.
        case askingLocally(deadline: HostTime?)
        case searching(BroadcastSearch)
        case calling(since: HostTime)
        case talking(ConnectionID, Dialogue)
        case over
    }

    /// Who is at the other end of a connection.
    public enum Origin: Hashable, Sendable {
        /// A broadcaster of this machine, or a listener that passes everything on to its broadcaster.
        case ownBroadcast, ownListener
        case dialed(Dialer.Dial)
    }

    private struct Link: PeerLink {
        var connection: PeerConnection
        var contact: PeerContact.Key?
        let origin: Origin
    }

    private let greeting: Greeting
    private let target: ControlTarget
    private var requests: [ControlRequest]
    private let takesMembersOnly: Bool
    private var phase: Phase
    /// Broadcasts that this machine's programs are of, or hear.
    private var namesHere: Set<String> = []
    private var connections: ConnectionTable<Link>
    private var actions: [ControlAction] = []

    /// - Parameters:
    ///   - greeting: its role is ``PeerRoles/controller``.
    ///   - requests: in their order; at least one.
    ///   - takesMembersOnly: whether this machine has a household.
    public init(
        greeting: Greeting, target: ControlTarget, requests: [ControlRequest], takesMembersOnly: Bool = false,
        now: HostTime
    ) {
        self.greeting = greeting
        self.takesMembersOnly = takesMembersOnly
        self.target = target
        self.requests = requests
        phase = .askingLocally(deadline: nil)
        connections = ConnectionTable(
            instance: greeting.instance, peers: .broadcaster, allowed: AllowList([]),
            capacity: ControlLimits.connectionCount,
            candidates: CandidateLimits(
                count: ControlLimits.connectionCount, patience: ControlLimits.patience, byteCount: .max))
        guard case .address(let address) = target else { return }
        phase = .calling(since: now)
        connections.dialer.update(PeerContact(address: address), now: now)
    }

    /// Whether a listener answers all that is asked for.
    private var asksTheMachineAlone: Bool {
        requests.allSatisfy { request in
            switch request {
            case .lookup(.songs), .lookup(.findings): true
            default: false
            }
        }
    }

    /// Whether anything is asked for that is believed of nobody but members: what is wrong with a machine, and what
    /// mends it, which a person may then do.
    private var asksForTrust: Bool { requests.contains(.lookup(.findings)) }

    private func isAsked(_ roles: PeerRoles) -> Bool {
        roles.contains(.broadcaster) || asksTheMachineAlone && roles.contains(.listener)
    }

    /// Whether it follows the programme, and so may wait longer for time to pass.
    public var isFollowing: Bool {
        if case .talking(_, let dialogue) = phase { dialogue.isFollowing } else { false }
    }

    /// Handles one event.
    /// - Returns: the actions to perform, in order.
    public mutating func handle(_ event: ControlEvent, now: HostTime) -> [ControlAction] {
        if case .over = phase { return [] }
        switch event {
        case .request(let request): add(request)
        case .opened(let id, let origin, let address): opened(id, origin, address, now)
        case .calledLocalPrograms:
            if case .askingLocally = phase { phase = .askingLocally(deadline: now + ControlLimits.localTime) }
        case .contact(let contact): learn(contact, now)
        case .searchFailed(let reason):
            if case .searching(var search) = phase {
                search.note(obstacle: reason)
                phase = .searching(search)
            }
        case .dialFailed(let dial): dialFailed(dial, now)
        case .authenticated(let id, let key, let standing): authenticate(id, key, standing, now)
        case .standing(let id, let standing):
            connections.note(standing, of: id)
            judge(id, standing, now)
        case .broken(let id, let error): broke(id, error, now)
        case .received(let id, let bytes): receive(id, bytes, now)
        case .closed(let id): closed(id, now)
        case .songOpened, .songRead, .songFailed:
            if case .talking(let id, var dialogue) = phase { perform(dialogue.takeSong(event, now), id, dialogue) }
        case .tick: break
        }
        advance(now)
        defer { actions = [] }
        return actions
    }

    private mutating func advance(_ now: HostTime) {
        switch phase {
        case .askingLocally(let deadline): if let deadline { chooseLocalProgram(deadline, now) }
        case .searching(let search): goOn(with: search, now)
        case .calling(let since): if now - since > ControlLimits.patience { finish(.noAnswer) }
        case .talking(let id, var dialogue):
            perform(dialogue.advance(now), id, dialogue)
        case .over: return
        }
        for dial in connections.dialer.dueDials(now) { actions.append(.dial(dial)) }
        for id in connections.silent(now) { closed(id, now) }
        for id in connections.keepAlivesDue(now) { actions.append(.send(id, WireEncoder.keepAlive())) }
    }

    // MARK: Finding it

    /// Chooses among the programs of this machine once all have greeted that will.
    private mutating func chooseLocalProgram(_ deadline: HostTime, _ now: HostTime) {
        guard connections.links.allSatisfy({ $0.connection.greeting != nil }) || now >= deadline else { return }
        let greeted = connections.ids.filter { connections[$0]?.connection.greeting != nil }
        for origin in [Origin.ownBroadcast, .ownListener] {
            var candidates: [PeerProcess: [ConnectionID]] = [:]
            for id in greeted where connections[id]?.origin == origin {
                guard let greeting = connections[id]?.connection.greeting else { continue }
                if case .named(let name) = target, name != greeting.name { continue }
                candidates[greeting.process, default: []].append(id)
            }
            if candidates.count > 1 {
                let names = candidates.values.compactMap { $0.first.flatMap { connections[$0]?.connection.name } }
                return finish(.ambiguous(names.sorted()))
            }
            if let ids = candidates.values.first {
                tellListeners(ids.dropFirst())
                return talk(over: ids[0], now)
            }
        }
        namesHere = Set(greeted.compactMap { connections[$0]?.connection.name })
        phase = .searching(BroadcastSearch(for: target, isInHousehold: takesMembersOnly, now: now))
        actions.append(.search)
    }

    /// Tells further listeners of this machine that hear the same broadcast what is asked of a listener: the one that
    /// it is meant for does it only if it was asked for here. The broadcaster acts once, however often it is asked.
    private mutating func tellListeners(_ ids: some Sequence<ConnectionID>) {
        let commands = requests.compactMap { request -> ByteBuffer? in
            guard case .command(let command) = request, case .listeners = command.operation else { return nil }
            return WireEncoder.command(command)
        }
        for id in ids { actions += commands.map { .send(id, $0) } }
    }

    private func notFound(_ search: BroadcastSearch) -> ControlEnding {
        if let obstacle = search.obstacle, namesHere.isEmpty { return .cannotSearch(obstacle) }
        return .notFound(others: namesHere.union(search.names).sorted())
    }

    private mutating func dialFailed(_ dial: Dialer.Dial, _ now: HostTime) {
        connections.dialer.dialDidEnd(dial.id, failure: .unanswered, now: now)
        guard case .searching(var search) = phase, search.noteUnanswered(dial.key) else { return }
        connections.dialer.remove(dial.key)
        phase = .searching(search)
    }

    private mutating func learn(_ contact: PeerContact, _ now: HostTime) {
        guard case .searching(var search) = phase, isAsked(contact.roles) else { return }
        search.learn(contact, now)
        phase = .searching(search)
    }

    private mutating func goOn(with search: BroadcastSearch, _ now: HostTime) {
        var search = search
        for contact in search.takeDue(now) { connections.dialer.update(contact, now: now) }
        phase = .searching(search)
        switch search.verdict(now) {
        case .take(let id):
            for key in search.dialed where connections[id]?.contact != key { connections.dialer.remove(key) }
            talk(over: id, now)
        case .nothing: finish(notFound(search))
        case .fail(let ending): finish(ending)
        case nil: break
        }
    }

    // MARK: The connection

    private mutating func opened(_ id: ConnectionID, _ origin: Origin, _ address: String, _ now: HostTime) {
        var dial: Dialer.Dial?
        if case .dialed(let its) = origin { dial = its }
        // Whoever else was asked comes too late.
        if case .talking = phase { return actions.append(.close(id)) }
        let link = Link(
            connection: PeerConnection(direction: dial == nil ? .local : .dialed, address: address, now: now),
            origin: origin)
        switch connections.add(id, link, dial: dial, now: now) {
        case .taken: break
        case .takenInstead(of: let other): closed(other, now)
        case .doubled, .full, .crowded, .addressFull: return actions.append(.close(id))
        }
        actions.append(.send(id, WireEncoder.greeting(greeting)))
    }

    private mutating func authenticate(
        _ id: ConnectionID, _ key: PeerKey, _ standing: PeerStanding, _ now: HostTime
    ) {
        connections.authenticate(id, key, standing)
        judge(id, standing, now)
    }

    /// Does without a stranger's broadcast, in a household; and without a stranger's word on machines.
    private mutating func judge(_ id: ConnectionID, _ standing: PeerStanding, _ now: HostTime) {
        switch (target, standing) {
        case (_, .thisMachine), (_, .member): break
        // Whoever writes an address means what is there.
        case (.address, _) where !asksForTrust: break
        case (.address, _), (.any, _), (.named, _):
            guard takesMembersOnly || asksForTrust, case .dialed(let dial)? = connections[id]?.origin else { return }
            fail(id, .notOfHousehold([connections.dialer.contact(dial.key)?.name ?? "\(dial.address)"]), now)
        }
    }

    private mutating func receive(_ id: ConnectionID, _ bytes: ByteBuffer, _ now: HostTime) {
        do throws(WireError) {
            for event in try connections.receive(id, bytes, now: now) {
                guard case .message(let message) = event, let link = connections[id] else { continue }
                receive(message, from: id, link, now)
            }
        } catch {
            fail(id, .message(error), now)
        }
    }

    /// Ends the session for what makes no sense; also if the other side left before it greeted. One that leaves after
    /// that is lost, in the middle of a record as between two.
    private mutating func broke(_ id: ConnectionID, _ error: ConnectionSecurityError, _ now: HostTime) {
        guard let link = connections[id] else { return }
        guard error.isEarlyEnd, link.connection.greeting != nil else { return fail(id, .security(error), now) }
        closed(id, now)
    }

    private mutating func fail(_ id: ConnectionID, _ error: PeerError, _ now: HostTime) {
        fail(id, .brokenProtocol(connections[id]?.connection.name ?? "", error), now)
    }

    private mutating func receive(_ message: ControlMessage, from id: ConnectionID, _ link: Link, _ now: HostTime) {
        switch message {
        case .greeting(let greeting):
            guard isAsked(greeting.roles) else { return fail(id, .broadcastsNothing(greeting.name), now) }
            connections.accept(id)
            connections.admit(id)
            switch (phase, link.origin) {
            case (.calling, _): talk(over: id, now)
            case (.searching(var search), .dialed(let dial)):
                search.note(.broadcast(id, greeting.process, name: greeting.name), from: dial.key)
                phase = .searching(search)
            default: break
            }
        case .refusal(let refusal): fail(id, .turnedAway(by: link.connection.name, refusal.text), now)
        case .broadcastEnd(let end): if isTalking(over: id) { finish(.ended(link.connection.name, end)) }
        default:
            guard case .talking(id, var dialogue) = phase else { return }
            perform(dialogue.receive(message, now), id, dialogue)
        }
    }

    private func isTalking(over id: ConnectionID) -> Bool {
        if case .talking(id, _) = phase { true } else { false }
    }

    /// Ends the session if it depends on this connection; else does without it.
    private mutating func fail(_ id: ConnectionID, _ ending: ControlEnding, _ now: HostTime) {
        switch (phase, connections[id]?.origin) {
        case (.calling, _): finish(ending)
        case (.talking(let partner, _), _) where partner == id: finish(ending)
        case (.searching(var search), .dialed(let dial)?):
            search.note(.refusal(ending), from: dial.key)
            phase = .searching(search)
            closed(id, now)
            connections.dialer.remove(dial.key)
        case (.askingLocally, _), (.searching, _), (.talking, _), (.over, _): closed(id, now)
        }
    }

    private mutating func closed(_ id: ConnectionID, _ now: HostTime) {
        guard let link = connections.remove(id, pause: .zero, now: now) else { return }
        actions.append(.close(id))
        if isTalking(over: id) { finish(.lost(link.connection.name)) }
        guard case .searching(var search) = phase else { return }
        search.noteClosed(id)
        phase = .searching(search)
    }

    // MARK: Talking

    private mutating func talk(over id: ConnectionID, _ now: HostTime) {
        for other in connections.ids where other != id { closed(other, now) }
        let name = connections[id]?.connection.name ?? ""
        actions.append(.answer(.connected(name, at: place(of: id))))
        var dialogue = Dialogue(requests.map { translated($0, over: id) }, with: name)
        perform(dialogue.advance(now), id, dialogue)
    }

    private func place(of id: ConnectionID) -> BroadcastPlace {
        switch connections[id]?.origin {
        case .ownBroadcast, nil: .thisMachine
        case .ownListener: .beyondListener
        case .dialed(let dial): .host(dial.address.host)
        }
    }

    private mutating func add(_ request: ControlRequest) {
        guard case .talking(let id, var dialogue) = phase else { return requests.append(request) }
        dialogue.add(translated(request, over: id))
        phase = .talking(id, dialogue)
    }

    /// Returns what another machine can do of a request: it does not see this one's files.
    private func translated(_ request: ControlRequest, over id: ConnectionID) -> [ControlRequest] {
        connections[id]?.origin == .ownBroadcast ? [request] : request.sendingFiles
    }

    private mutating func perform(_ steps: [Dialogue.Step], _ id: ConnectionID, _ dialogue: Dialogue) {
        phase = .talking(id, dialogue)
        for step in steps {
            switch step {
            case .send(let bytes): actions.append(.send(id, bytes))
            case .answer(let answer): actions.append(.answer(answer))
            case .openSong(let path): actions.append(.openSong(path: path))
            case .readSong(let byteCount): actions.append(.readSong(byteCount: byteCount))
            case .finish(let ending): return finish(ending)
            }
        }
    }

    private mutating func finish(_ ending: ControlEnding) {
        for id in connections.ids { actions.append(.close(id)) }
        phase = .over
        actions.append(.finished(ending))
    }
}
