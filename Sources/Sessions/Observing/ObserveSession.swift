import AudioCore
import Households
import NIOCore
import Peering
import SecureChannel
import WireProtocol

/// An observer of a broadcast: finds it, connects, and is sent its roster. Events in, actions out.
///
///     searching ──one greeted──▶ choosing ──others had time to──▶ watching ──ended, lost, refused──▶ over
///
/// Dials all that it finds, and takes the one that an idle listener would, by
/// `ConnectionTable.preferred(of:isInHousehold:)`. In a household others get more time before a stranger is watched.
///
/// Takes no part: it is sent no audio, and nobody waits for it. Owns no socket, thread or clock.
public struct ObserveSession {
    enum Phase: Equatable {
        case searching
        /// Somebody has greeted.
        case choosing(deadline: HostTime)
        case watching(ConnectionID)
        case over
    }

    private struct Link: PeerLink {
        var connection: PeerConnection
        var contact: PeerContact.Key?
        /// The last one that came before the choice.
        var roster: Roster?
    }

    private let greeting: Greeting
    private let allowedNames: [String]
    private let isInHousehold: Bool
    /// Whether the user named the broadcaster by its address.
    private let isNamed: Bool
    private let began: HostTime
    private var phase = Phase.searching
    private var connections: ConnectionTable<Link>
    /// Those that cannot be observed.
    private var failed: Set<PeerContact.Key> = []
    /// Why the first of them cannot, and since when.
    private var failure: (ending: ObserveEnding, since: HostTime)?
    private var actions: [ObserveAction] = []

    /// - Parameters:
    ///   - greeting: the observer's identity; its role is ``PeerRoles/observer``.
    ///   - address: the broadcaster's address; nil waits for contacts that mDNS finds.
    ///   - allowedNames: the only broadcasts that are of interest; empty takes any.
    ///   - isInHousehold: whether this machine has a household, whose broadcasts go before those of strangers.
    public init(
        greeting: Greeting, address: NetworkAddress?, allowedNames: [String], isInHousehold: Bool = false, now: HostTime
    ) {
        self.greeting = greeting
        self.allowedNames = allowedNames
        self.isInHousehold = isInHousehold
        isNamed = address != nil
        began = now
        connections = ConnectionTable(
            instance: greeting.instance, peers: .broadcaster, allowed: AllowList([]),
            capacity: ObserveLimits.candidateCount, candidates: ObserveLimits.candidates)
        if let address { connections.dialer.update(PeerContact(address: address), now: now) }
    }

    /// Handles one event.
    /// - Returns: the actions to perform, in order.
    public mutating func handle(_ event: ObserveEvent, now: HostTime) -> [ObserveAction] {
        guard phase != .over else { return [] }
        switch event {
        case .contact(let contact): learn(contact, now)
        case .opened(let id, let address, let dial): opened(id, address, dial, now)
        case .dialFailed(let dial): connections.dialer.dialDidEnd(dial.id, failure: .unanswered, now: now)
        case .authenticated(let id, let key, let standing): connections.authenticate(id, key, standing)
        case .broken(let id, let error): broke(id, error, now)
        case .received(let id, let bytes): receive(id, bytes, now)
        case .closed(let id): closed(id, now)
        case .tick: break
        }
        if phase != .over { advance(now) }
        defer { actions = [] }
        return actions
    }

    private mutating func advance(_ now: HostTime) {
        for id in connections.silent(now) where phase != .over { closed(id, now) }
        switch phase {
        case .searching: search(now)
        case .choosing(let deadline): if now >= deadline { choose(now) }
        case .watching, .over: break
        }
        guard phase != .over else { return }
        if !isWatching {
            for dial in connections.dialer.dueDials(now) { actions.append(.dial(dial)) }
        }
        for id in connections.keepAlivesDue(now) { actions.append(.send(id, WireEncoder.keepAlive())) }
    }

    private var isWatching: Bool { if case .watching = phase { true } else { false } }

    // MARK: Finding it

    private mutating func learn(_ contact: PeerContact, _ now: HostTime) {
        guard !isNamed, !isWatching, contact.roles.contains(.broadcaster), !failed.contains(contact.key),
            failed.count < PeeringLimits.contactCount, allowedNames.isEmpty || allowedNames.contains(contact.name)
        else { return }
        connections.dialer.update(contact, now: now)
    }

    /// Gives up if nobody can be observed.
    private mutating func search(_ now: HostTime) {
        if let failure, connections.ids.isEmpty, connections.dialer.contacts.isEmpty,
            isNamed || now - failure.since >= ObserveLimits.choiceTime
        {
            return finish(failure.ending)
        }
        if now - began > ObserveLimits.patience { finish(failure?.ending ?? .nobody) }
    }

    /// Takes note of a broadcaster that greeted: others have some time from then on.
    private mutating func consider(_ id: ConnectionID, _ now: HostTime) {
        let deadline = now + waitingTime(after: id)
        switch phase {
        case .searching: phase = .choosing(deadline: deadline)
        case .choosing(let other): phase = .choosing(deadline: min(deadline, other))
        case .watching, .over: break
        }
    }

    private func waitingTime(after id: ConnectionID) -> TimeSpan {
        if isNamed { return .zero }
        let isMember = connections.acquaintance(id, isInHousehold: isInHousehold) == .household
        return isInHousehold && !isMember ? ObserveLimits.memberTime : ObserveLimits.choiceTime
    }

    private mutating func choose(_ now: HostTime) {
        guard let chosen = connections.preferred(of: connections.ids, isInHousehold: isInHousehold),
            let link = connections[chosen]
        else {
            phase = .searching
            return
        }
        let greetings = connections.links.compactMap(\.connection.greeting)
        if Set(greetings.map(\.process)).count > 1 {
            let names = Set(greetings.map(\.name)).sorted()
            actions.append(.notice(.severalFound(names, taken: link.connection.name)))
        }
        phase = .watching(chosen)
        connections.admit(chosen)
        for id in connections.ids where id != chosen { closed(id, now) }
        actions.append(.watching(link.connection.name))
        if let roster = link.roster { actions.append(.roster(roster)) }
    }

    // MARK: Connections

    private mutating func opened(_ id: ConnectionID, _ address: String, _ dial: Dialer.Dial, _ now: HostTime) {
        let link = Link(connection: PeerConnection(direction: .dialed, address: address, now: now))
        guard !isWatching, !failed.contains(dial.key) else { return actions.append(.close(id)) }
        switch connections.add(id, link, dial: dial, now: now) {
        case .taken: break
        case .takenInstead(of: let other): closed(other, now)
        case .doubled, .full, .crowded, .addressFull: return actions.append(.close(id))
        }
        actions.append(.send(id, WireEncoder.greeting(greeting)))
    }

    private mutating func receive(_ id: ConnectionID, _ bytes: ByteBuffer, _ now: HostTime) {
        do throws(WireError) {
            for event in try connections.receive(id, bytes, now: now) {
                guard phase != .over, let name = connections[id]?.connection.name else { return }
                if case .message(let message) = event { hear(message, from: id, name, now) }
            }
            // What all together have sent of messages that are not whole.
            if let heaviest = connections.hold(id, byteCount: 0) { closed(heaviest, now) }
        } catch {
            fail(id, .message(error), now)
        }
    }

    private mutating func hear(_ message: ControlMessage, from id: ConnectionID, _ name: String, _ now: HostTime) {
        switch message {
        case .greeting(let greeting):
            guard greeting.roles.contains(.broadcaster) else {
                return fail(id, .refused(.broadcastsNothing(name)), now)
            }
            connections.accept(id)
            consider(id, now)
        case .refusal(let refusal) where refusal.reason == .wrongRole:
            fail(id, .refused(.cannotBeObserved(name)), now)
        case .refusal(let refusal): fail(id, .refused(.refused(by: name, reason: refusal.text)), now)
        case .roster(let roster) where phase == .watching(id): actions.append(.roster(roster))
        case .roster(let roster): connections.change(id) { $0.roster = roster }
        case .broadcastEnd(let end): fail(id, .ended(end), now)
        default: break
        }
    }

    /// Does without what makes no sense; also without one that left before it greeted. One that leaves after that is
    /// lost, in the middle of a record as between two.
    private mutating func broke(_ id: ConnectionID, _ error: ConnectionSecurityError, _ now: HostTime) {
        guard let link = connections[id] else { return }
        guard error.isEarlyEnd, link.connection.greeting != nil else { return fail(id, .security(error), now) }
        closed(id, now)
    }

    private mutating func fail(_ id: ConnectionID, _ error: PeerError, _ now: HostTime) {
        fail(id, .refused(.brokenProtocol(connections[id]?.connection.name, error)), now)
    }

    /// Ends the session if this is the one that is watched, and goes on without it otherwise.
    private mutating func fail(_ id: ConnectionID, _ ending: ObserveEnding, _ now: HostTime) {
        guard phase != .watching(id) else { return finish(ending) }
        guard let link = connections.remove(id, pause: .zero, now: now) else { return }
        actions.append(.close(id))
        if failure == nil { failure = (ending, now) }
        guard let key = link.contact else { return }
        failed.insert(key)
        connections.dialer.remove(key)
    }

    private mutating func closed(_ id: ConnectionID, _ now: HostTime) {
        guard let link = connections.remove(id, pause: .zero, now: now) else { return }
        actions.append(.close(id))
        if phase == .watching(id) { finish(.lost(link.connection.name)) }
    }

    private mutating func finish(_ ending: ObserveEnding) {
        for id in connections.ids { actions.append(.close(id)) }
        phase = .over
        actions.append(.finished(ending))
    }
}

/// An input of an observer's session.
public enum ObserveEvent: Sendable {
    /// mDNS named a broadcaster.
    case contact(PeerContact)
    case opened(ConnectionID, address: String, dial: Dialer.Dial)
    case dialFailed(Dialer.Dial)
    /// The other side has proved to have this key; before anything that it says.
    case authenticated(ConnectionID, PeerKey, PeerStanding = .stranger)
    /// What came over a connection is no longer what a peer sends, or it ended in the middle.
    case broken(ConnectionID, ConnectionSecurityError)
    case received(ConnectionID, ByteBuffer)
    case closed(ConnectionID)
    /// Time has passed; must come at least every 20 ms.
    case tick
}

/// What the shell must do, in order.
public enum ObserveAction: Sendable {
    /// Try to connect; answer with ``ObserveEvent/opened(_:address:dial:)`` or ``ObserveEvent/dialFailed(_:)``.
    case dial(Dialer.Dial)
    case send(ConnectionID, ByteBuffer)
    case close(ConnectionID)
    /// The broadcast of this name is observed.
    case watching(String)
    case roster(Roster)
    case notice(ObserveNotice)
    /// The session is over; no action follows.
    case finished(ObserveEnding)
}

/// How it ended.
public enum ObserveEnding: Hashable, Sendable {
    /// No broadcast was found, or none answered.
    case nobody
    /// The other side refuses, or cannot be observed.
    case refused(ObserveRefusal)
    /// The broadcaster of this name vanished without a farewell.
    case lost(String)
    case ended(BroadcastEnd)
}

/// Why a broadcast cannot be observed. Names and texts come from a peer.
public enum ObserveRefusal: Error, Hashable {
    case broadcastsNothing(String)
    /// It runs an older Tutti, which takes an observer for another broadcaster.
    case cannotBeObserved(String)
    /// It says why, in words for people.
    case refused(by: String, reason: String)
    /// It broke the protocol; nil for a name that is no longer known.
    case brokenProtocol(String?, PeerError)
}

/// Time-outs and bounds of an observer.
public enum ObserveLimits {
    /// How long to collect broadcasts, from the first greeting on, before one is chosen: as long as a listener does.
    public static let choiceTime = TimeSpan.milliseconds(150)
    /// The same in a household while all that greeted are strangers.
    public static let memberTime = TimeSpan.seconds(1)
    /// A broadcast must be found and have answered within this time.
    public static let patience = TimeSpan.seconds(5)
    /// Broadcasts to choose from.
    public static let candidateCount = 64
    /// All together may hold as much of messages that are not whole as eight longest ones have.
    static let candidates = CandidateLimits(
        count: candidateCount, patience: PeeringLimits.greetingTimeout, byteCount: 8 * WireLimits.payloadByteCount)
}
