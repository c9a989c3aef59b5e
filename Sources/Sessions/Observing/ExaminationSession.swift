import AudioCore
import NIOCore
import Peering
import SecureChannel
import WireProtocol

/// Looks at the ways to some peers: calls each of their addresses at the same time, hears who answers there, and asks
/// broadcasters' clocks, by one way of each family of addresses: firewalls have rules for each. Events in, actions out.
///
///     dialled ──connected──▶ open ──it greets──▶ greeted ──a broadcaster's welcome──▶ its clock is asked
///        └──refused, unanswered    └──says nothing, or what no Tutti says
///
/// Takes no part: it is an observer. Over when every address has its answer and no clock is asked, or after its time.
/// Owns no socket, thread or clock.
public struct ExaminationSession {
    private struct Path {
        let target: Int
        var report: ExaminedPath
        var isSettled = false
        var connection: (id: ConnectionID, peer: PeerConnection)?
    }

    private let greeting: Greeting
    private let deadline: HostTime
    private var paths: [Path] = []
    /// The paths on which a clock is asked.
    private var clocks: Set<Int> = []
    private var actions: [ExaminationAction] = []
    private var phase = Phase.ready

    private enum Phase {
        case ready, calling, over
    }

    /// - Parameters:
    ///   - greeting: its role is ``PeerRoles/observer``.
    ///   - targets: the addresses of each peer. Of those beyond ``ExaminationLimits`` nothing is said.
    ///   - span: how long it takes where a clock is asked, or somebody does not answer.
    public init(greeting: Greeting, targets: [[NetworkAddress]], span: TimeSpan, now: HostTime) {
        self.greeting = greeting
        deadline = now + span
        for (target, addresses) in targets.prefix(ExaminationLimits.targetCount).enumerated() {
            for address in addresses.prefix(ExaminationLimits.addressCount) {
                paths.append(Path(target: target, report: ExaminedPath(target: target, address: address)))
            }
        }
    }

    /// Handles one event.
    /// - Returns: the actions to perform, in order.
    public mutating func handle(_ event: ExaminationEvent, now: HostTime) -> [ExaminationAction] {
        guard phase != .over else { return [] }
        switch event {
        case .opened(let id, let dial): opened(id, dial, now)
        case .dialFailed(let dial, let failure): settle(dial.id, ExaminedPath.Outcome(failure))
        case .authenticated(let id, let key): authenticate(id, key)
        case .broken(let id, let reason): settle(path(of: id), .speaksOtherwise(reason), closing: id)
        case .received(let id, let bytes): receive(id, bytes, now)
        case .closed(let id): closed(id)
        case .tick: break
        }
        advance(now)
        defer { actions = [] }
        return actions
    }

    private mutating func advance(_ now: HostTime) {
        if phase == .ready {
            phase = .calling
            for (index, path) in paths.enumerated() {
                let address = path.report.address
                actions.append(.dial(Dialer.Dial(id: index, key: .address(address), address: address)))
            }
        }
        for index in paths.indices {
            guard paths[index].connection?.peer.needsKeepAlive(now) == true, let id = paths[index].connection?.id else {
                continue
            }
            actions.append(.send(id, WireEncoder.keepAlive()))
        }
        let isDone = paths.allSatisfy(\.isSettled) && clocks.isEmpty
        guard isDone || now >= deadline else { return }
        phase = .over
        actions.append(.finished(paths.map(\.report)))
    }

    // MARK: Connections

    private func path(of id: ConnectionID) -> Int? { paths.firstIndex { $0.connection?.id == id } }

    private mutating func opened(_ id: ConnectionID, _ dial: Dialer.Dial, _ now: HostTime) {
        guard paths.indices.contains(dial.id), !paths[dial.id].isSettled else { return actions.append(.close(id)) }
        paths[dial.id].connection = (
            id, PeerConnection(direction: .dialed, address: dial.address.host, now: now)
        )
        paths[dial.id].report.outcome = .saysNothing
        actions.append(.send(id, WireEncoder.greeting(greeting)))
    }

    private mutating func authenticate(_ id: ConnectionID, _ key: PeerKey) {
        guard let index = path(of: id) else { return }
        paths[index].connection?.peer.authenticate(key, .stranger)
    }

    private mutating func receive(_ id: ConnectionID, _ bytes: ByteBuffer, _ now: HostTime) {
        guard let index = path(of: id) else { return }
        do throws(WireError) {
            let events = try paths[index].connection?.peer.receive(bytes, now: now) ?? []
            for case .message(let message) in events where paths[index].connection != nil {
                hear(message, on: index, id)
            }
        } catch {
            settle(index, .speaksOtherwise("\(error)"), closing: id)
        }
    }

    private mutating func hear(_ message: ControlMessage, on index: Int, _ id: ConnectionID) {
        switch message {
        case .greeting(let greeting):
            paths[index].report.outcome = .greeted(greeting.process, name: greeting.name, roles: greeting.roles)
            // A listener has no clock to be asked.
            guard greeting.roles.contains(.broadcaster), !isAskedBesides(index) else {
                return settle(index, nil, closing: id)
            }
            paths[index].isSettled = true
            clocks.insert(index)
        case .welcome(let welcome) where clocks.contains(index):
            guard paths[index].report.clockPort == nil else { return }
            paths[index].report.clockPort = welcome.clockPort
            actions.append(.askClock(id, path: index, port: welcome.clockPort, key: welcome.clockKey))
        case .refusal(let refusal):
            paths[index].report.refusal = refusal.text
            clocks.remove(index)
            settle(index, nil, closing: id)
        default: break
        }
    }

    private mutating func closed(_ id: ConnectionID) {
        guard let index = path(of: id) else { return }
        clocks.remove(index)
        // What was asked of its clock counts; nothing more is to come.
        settle(index, nil, closing: id)
    }

    /// Whether the clock is asked by another way of the same family.
    private func isAskedBesides(_ index: Int) -> Bool {
        let path = paths[index]
        return clocks.contains {
            paths[$0].target == path.target && paths[$0].report.address.isIPv6 == path.report.address.isIPv6
        }
    }

    private mutating func settle(_ index: Int?, _ outcome: ExaminedPath.Outcome?, closing id: ConnectionID? = nil) {
        if let id { actions.append(.close(id)) }
        guard let index, paths.indices.contains(index) else { return }
        let path = paths[index]
        if let outcome, !path.isSettled { paths[index].report.outcome = outcome }
        paths[index].isSettled = true
        paths[index].connection = nil
    }
}

/// One address of a peer, and what is there.
public struct ExaminedPath: Hashable, Sendable {
    public enum Outcome: Hashable, Sendable {
        /// It is reachable and accepts nothing at this port.
        case refused
        /// A router or the machine itself says that there is no way, or does not allow it.
        case unreachable
        case unanswered
        /// It takes the call, and says nothing.
        case saysNothing
        /// What it says is not what a Tutti says; how, for people.
        case speaksOtherwise(String)
        /// A Tutti is there, which proved its key: this process.
        case greeted(PeerProcess, name: String, roles: PeerRoles)
    }

    /// The peer's index among those that were examined.
    public var target: Int
    public var address: NetworkAddress
    public var outcome = Outcome.unanswered
    /// Why it turned us away, in its own words, if it did.
    public var refusal: String?
    /// Where its clock answers; nil if it did not say so, as a listener or an older release.
    public var clockPort: UInt16?

    public init(target: Int, address: NetworkAddress) {
        self.target = target
        self.address = address
    }
}

extension ExaminedPath.Outcome {
    fileprivate init(_ failure: DialFailure) {
        self =
            switch failure {
            case .unanswered: .unanswered
            case .refused: .refused
            case .unreachable: .unreachable
            }
    }
}

/// An input of an examination.
public enum ExaminationEvent: Sendable {
    case opened(ConnectionID, dial: Dialer.Dial)
    case dialFailed(Dialer.Dial, DialFailure)
    /// The other side has proved to have this key; before anything that it says.
    case authenticated(ConnectionID, PeerKey)
    /// What came over a connection is no longer what a peer sends; why, for people.
    case broken(ConnectionID, reason: String)
    case received(ConnectionID, ByteBuffer)
    case closed(ConnectionID)
    /// Time has passed; must come at least every 20 ms.
    case tick
}

/// What the shell must do, in order.
public enum ExaminationAction: Sendable {
    /// Try to connect; answer with ``ExaminationEvent/opened(_:dial:)`` or ``ExaminationEvent/dialFailed(_:_:)``.
    case dial(Dialer.Dial)
    case send(ConnectionID, ByteBuffer)
    case close(ConnectionID)
    /// Ask the clock at the other end of this connection, until the end. Once for each path, by its index.
    case askClock(ConnectionID, path: Int, port: UInt16, key: [UInt8])
    /// The examination is over; no action follows.
    case finished([ExaminedPath])
}

/// Bounds of an examination.
public enum ExaminationLimits {
    /// Peers that are examined at once.
    public static let targetCount = 16
    /// Addresses of each.
    public static let addressCount = 4
}
