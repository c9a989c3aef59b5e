import AudioCore
import Households
import NIOCore
import Peering
import SecureChannel
import WireProtocol

/// Asks many broadcasts what they play: each once for the state of its programme, all at the same time. Events in,
/// actions out.
///
///     waiting ──room for it──▶ asked ──the state──▶ answered
///                                └──refused, gone, late──▶ refused, silent
///
/// A broadcaster serves this like any controller that follows it for a moment. It is dialled at its addresses in turn
/// until one greets as the process that mDNS announced: at an address that several networks use, another machine may
/// answer. Owns no socket, thread or clock.
public struct SurveySession {
    private struct Link {
        var connection: PeerConnection
        let dial: Dialer.Dial
        /// Whether the announced process has greeted over it.
        var isAnnounced = false
    }

    private let greeting: Greeting
    private let began: HostTime
    private var waiting: ArraySlice<PeerContact>
    /// Those that are asked, and since when, oldest first.
    private var asked: [(key: PeerContact.Key, since: HostTime)] = []
    private var answers: [PeerContact.Key: SurveyAnswer] = [:]
    /// What the announced processes that greeted have proved to have.
    public private(set) var keys: [PeerContact.Key: PeerKey] = [:]
    private var dialer = Dialer()
    private var links: [ConnectionID: Link] = [:]
    private var actions: [SurveyAction] = []
    private var isOver = false

    /// - Parameters:
    ///   - greeting: its role is ``PeerRoles/controller``.
    ///   - contacts: broadcasts that mDNS found, each once.
    public init(greeting: Greeting, contacts: [PeerContact], now: HostTime) {
        self.greeting = greeting
        waiting = contacts[...]
        began = now
    }

    /// Handles one event.
    /// - Returns: the actions to perform, in order.
    public mutating func handle(_ event: SurveyEvent, now: HostTime) -> [SurveyAction] {
        guard !isOver else { return [] }
        switch event {
        case .opened(let id, let address, let dial): opened(id, address, dial, now)
        case .dialFailed(let dial): dialer.dialDidEnd(dial.id, failure: .unanswered, now: now)
        case .authenticated(let id, let key, let standing): links[id]?.connection.authenticate(key, standing)
        case .broken(let id): drop(id, now)
        case .received(let id, let bytes): receive(id, bytes, now)
        case .closed(let id): drop(id, now)
        case .tick: break
        }
        advance(now)
        defer { actions = [] }
        return actions
    }

    private mutating func advance(_ now: HostTime) {
        let isLate = now - began >= SurveyLimits.wholeTime
        for question in asked where isLate || now - question.since >= SurveyLimits.answerTime {
            conclude(question.key, .silent)
        }
        if isLate {
            for contact in waiting { answers[contact.key] = .silent }
            waiting = []
        }
        while asked.count < SurveyLimits.askedCount, let contact = waiting.popFirst() {
            asked.append((contact.key, now))
            dialer.update(contact, now: now)
        }
        for dial in dialer.dueDials(now) { actions.append(.dial(dial)) }
        guard asked.isEmpty else { return }
        isOver = true
        actions.append(.finished(answers))
    }

    // MARK: Connections

    private mutating func opened(_ id: ConnectionID, _ address: String, _ dial: Dialer.Dial, _ now: HostTime) {
        guard asked.contains(where: { $0.key == dial.key }) else { return actions.append(.close(id)) }
        let connection = PeerConnection(direction: .dialed, address: address, now: now)
        links[id] = Link(connection: connection, dial: dial)
        actions.append(.send(id, WireEncoder.greeting(greeting)))
    }

    private mutating func receive(_ id: ConnectionID, _ bytes: ByteBuffer, _ now: HostTime) {
        do throws(WireError) {
            let events = try links[id]?.connection.receive(bytes, now: now) ?? []
            for case .message(let message) in events { hear(message, from: id, now) }
        } catch {
            drop(id, now)
        }
    }

    private mutating func hear(_ message: ControlMessage, from id: ConnectionID, _ now: HostTime) {
        guard let link = links[id] else { return }
        let key = link.dial.key
        switch message {
        case .greeting(let greeting):
            guard greeting.roles.contains(.broadcaster), greeting.instance == key.instance else {
                return drop(id, now)
            }
            take(id, now)
        // The parser takes nothing before a greeting, and one greeting.
        case .programmeState(let state): conclude(key, .state(state))
        case .refusal: conclude(key, .refused)
        default: break
        }
    }

    /// Takes the connection over which the announced process has greeted, and asks.
    private mutating func take(_ id: ConnectionID, _ now: HostTime) {
        guard let dial = links[id]?.dial else { return }
        links[id]?.isAnnounced = true
        keys[dial.key] = links[id]?.connection.remoteKey
        dialer.dialDidEnd(dial.id, failure: nil, now: now)
        close { $0 != id && $1.dial.key == dial.key }
        actions.append(.send(id, WireEncoder.follow()))
    }

    /// Goes on without a connection that ended, or that does not lead where it should.
    private mutating func drop(_ id: ConnectionID, _ now: HostTime) {
        guard let link = links.removeValue(forKey: id) else { return }
        actions.append(.close(id))
        if link.isAnnounced {
            conclude(link.dial.key, .silent)
        } else {
            dialer.dialDidEnd(link.dial.id, failure: .unanswered, now: now)
        }
    }

    private mutating func conclude(_ key: PeerContact.Key, _ answer: SurveyAnswer) {
        answers[key] = answer
        asked.removeAll { $0.key == key }
        dialer.remove(key)
        close { $1.dial.key == key }
    }

    private mutating func close(where isSuperfluous: (ConnectionID, Link) -> Bool) {
        for (id, link) in links where isSuperfluous(id, link) {
            links[id] = nil
            actions.append(.close(id))
        }
    }
}

/// What became of asking one broadcast.
public enum SurveyAnswer: Hashable, Sendable {
    case state(ProgrammeState)
    /// It turned us away.
    case refused
    /// Nobody answered in time, or nobody who is the announced process.
    case silent
}

/// An input of a survey.
public enum SurveyEvent: Sendable {
    case opened(ConnectionID, address: String, dial: Dialer.Dial)
    case dialFailed(Dialer.Dial)
    /// The other side has proved to have this key; before anything that it says.
    case authenticated(ConnectionID, PeerKey, PeerStanding = .stranger)
    /// What came over a connection is no longer what a peer sends.
    case broken(ConnectionID)
    case received(ConnectionID, ByteBuffer)
    case closed(ConnectionID)
    /// Time has passed; must come at least every 20 ms.
    case tick
}

/// What the shell must do, in order.
public enum SurveyAction: Sendable {
    /// Try to connect; answer with ``SurveyEvent/opened(_:address:dial:)`` or ``SurveyEvent/dialFailed(_:)``.
    case dial(Dialer.Dial)
    case send(ConnectionID, ByteBuffer)
    case close(ConnectionID)
    /// The survey is over, with an answer of every contact; no action follows.
    case finished([PeerContact.Key: SurveyAnswer])
}

/// Time-outs and bounds of a survey.
public enum SurveyLimits {
    /// Broadcasts asked at once; each has at most ``PeeringLimits/addressesPerContact`` connections, until one greets.
    public static let askedCount = 32
    /// How long a broadcast is waited for, dials included.
    public static let answerTime = TimeSpan.seconds(1)
    /// How long the whole survey may take, however many are there.
    public static let wholeTime = TimeSpan.seconds(2)
}
