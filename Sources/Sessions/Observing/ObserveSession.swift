import AudioCore
import Households
import NIOCore
import Peering
import SecureChannel
import WireProtocol

/// An observer of a broadcast: finds it, connects, and is sent its roster. Events in, actions out.
///
///     searching ──found, and the oldest of several──▶ calling ──greeted──▶ watching ──ended, lost, refused──▶ over
///
/// Takes no part: it is sent no audio, and nobody waits for it. Owns no socket, thread or clock.
public struct ObserveSession {
    enum Phase: Equatable {
        case searching
        case calling
        case watching(ConnectionID)
        case over
    }

    private struct Link: PeerLink {
        var connection: PeerConnection
        var contact: PeerContact.Key?
    }

    private let greeting: Greeting
    private let allowedNames: [String]
    private let began: HostTime
    private var phase = Phase.searching
    private var candidates: [PeerContact] = []
    private var choiceDeadline: HostTime?
    private var connections: ConnectionTable<Link>
    private var actions: [ObserveAction] = []

    /// - Parameters:
    ///   - greeting: the observer's identity; its role is ``PeerRoles/observer``.
    ///   - address: the broadcaster's address; nil waits for contacts that mDNS finds.
    ///   - allowedNames: the only broadcasts that are of interest; empty takes any.
    public init(greeting: Greeting, address: NetworkAddress?, allowedNames: [String], now: HostTime) {
        self.greeting = greeting
        self.allowedNames = allowedNames
        began = now
        connections = ConnectionTable(
            instance: greeting.instance, peers: .broadcaster, allowed: AllowList([]), capacity: 1,
            candidates: CandidateLimits(count: 1, patience: ObserveLimits.patience, byteCount: .max))
        guard let address else { return }
        phase = .calling
        connections.dialer.update(PeerContact(address: address), now: now)
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
        case .broken(let id, let error): fail(id, .security(error))
        case .received(let id, let bytes): receive(id, bytes, now)
        case .closed(let id): closed(id, now)
        case .tick: break
        }
        advance(now)
        defer { actions = [] }
        return actions
    }

    private mutating func advance(_ now: HostTime) {
        if phase == .searching, let choiceDeadline, now >= choiceDeadline { choose(now) }
        if case .watching = phase {} else if now - began > ObserveLimits.patience { finish(.nobody) }
        guard phase != .over else { return }
        for dial in connections.dialer.dueDials(now) { actions.append(.dial(dial)) }
        for id in connections.silent(now) { closed(id, now) }
        for id in connections.keepAlivesDue(now) { actions.append(.send(id, WireEncoder.keepAlive())) }
    }

    // MARK: Finding it

    private mutating func learn(_ contact: PeerContact, _ now: HostTime) {
        guard phase == .searching, contact.roles.contains(.broadcaster),
            candidates.count < ObserveLimits.candidateCount, allowedNames.isEmpty || allowedNames.contains(contact.name)
        else { return }
        candidates.removeAll { $0.key == contact.key }
        candidates.append(contact)
        choiceDeadline = choiceDeadline ?? now + ObserveLimits.choiceTime
    }

    private mutating func choose(_ now: HostTime) {
        guard let oldest = candidates.min(by: { $0.started < $1.started }) else { return }
        if candidates.count > 1 {
            actions.append(.notice(.severalFound(candidates.map(\.name).sorted(), taken: oldest.name)))
        }
        phase = .calling
        connections.dialer.update(oldest, now: now)
    }

    // MARK: The connection

    private mutating func opened(_ id: ConnectionID, _ address: String, _ dial: Dialer.Dial, _ now: HostTime) {
        let link = Link(connection: PeerConnection(direction: .dialed, address: address, now: now))
        guard connections.add(id, link, dial: dial, now: now) == .taken else {
            actions.append(.close(id))
            return
        }
        actions.append(.send(id, WireEncoder.greeting(greeting)))
    }

    private mutating func receive(_ id: ConnectionID, _ bytes: ByteBuffer, _ now: HostTime) {
        do throws(WireError) {
            for event in try connections.receive(id, bytes, now: now) where phase != .over {
                guard case .message(let message) = event, let name = connections[id]?.connection.name else { continue }
                hear(message, from: id, name)
            }
        } catch {
            fail(id, .message(error))
        }
    }

    private mutating func fail(_ id: ConnectionID, _ error: PeerError) {
        finish(.refused(.brokenProtocol(connections[id]?.connection.name, error)))
    }

    private mutating func hear(_ message: ControlMessage, from id: ConnectionID, _ name: String) {
        switch message {
        case .greeting(let greeting):
            guard greeting.roles.contains(.broadcaster) else {
                finish(.refused(.broadcastsNothing(name)))
                return
            }
            connections.accept(id)
            connections.admit(id)
            phase = .watching(id)
            actions.append(.watching(name))
        case .refusal(let refusal) where refusal.reason == .wrongRole:
            finish(.refused(.cannotBeObserved(name)))
        case .refusal(let refusal): finish(.refused(.refused(by: name, reason: refusal.text)))
        case .roster(let roster): actions.append(.roster(roster))
        case .broadcastEnd(let end): finish(.ended(end))
        default: break
        }
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
    /// What came over a connection is no longer what a peer sends.
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
    /// How long to collect broadcasts, from the first one found, before the oldest is taken.
    public static let choiceTime = TimeSpan.milliseconds(150)
    /// A broadcast must be found and have answered within this time.
    public static let patience = TimeSpan.seconds(5)
    /// Broadcasts to choose from.
    public static let candidateCount = 64
}
