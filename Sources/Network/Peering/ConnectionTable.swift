import AudioCore
import Households
import NIOCore
import SecureChannel
import WireProtocol

/// What a session keeps per connection.
public protocol PeerLink {
    var connection: PeerConnection { get set }
    /// The dialer's key of the peer; nil for a caller unknown to the dialer. The table sets it.
    var contact: PeerContact.Key? { get set }
}

/// The connections and the contacts to dial: what broadcasters and listeners have in common.
///
/// A contact has one connection, however many of its addresses answer, and a process has one, whoever dialled. The
/// table tells the ``dialer`` what comes and goes. What is sent over a connection, and about it, is up to the session:
/// the table sends nothing. A connection that has not proved to be of use is a candidate; ``CandidateLimits`` keeps
/// their number low.
public struct ConnectionTable<Link: PeerLink> {
    /// What happens to an open connection.
    public enum Admission: Hashable, Sendable {
        case taken
        /// Taken, but another candidate must be closed to make room.
        case takenInstead(of: ConnectionID)
        /// Another address of the same contact connected first.
        case doubled
        /// No room for connections, for candidates, or for connections from that address.
        case full, crowded, addressFull
    }

    @usableFromInline var entries = OrderedDictionary<ConnectionID, Link>()
    private var candidates: CandidatePool
    public var dialer = Dialer()
    public private(set) var allowed: AllowList
    /// Which names belong to which keys.
    public var pins = PinnedNames()
    /// Number of connections per address.
    private var addressCounts: [String: Int] = [:]
    /// Number of connections per contact, and the connections of each process that greeted.
    private var contactCounts: [PeerContact.Key: Int] = [:]
    private var processes: [PeerProcess: [ConnectionID]] = [:]
    /// Processes that seem to be connected twice.
    var contests: [PeerProcess: IdentityContest] = [:]
    /// When connections were last judged.
    private var lastTurn: HostTime?
    private let instance: UInt64
    let role: PeerRoles
    private let capacity: Int

    /// - Parameters:
    ///   - instance: this process.
    ///   - role: the role of the peers to dial.
    ///   - allowed: the only peers of that role to dial.
    ///   - capacity: connections at once, candidates included.
    ///   - candidates: limits of connections that have not proved to be of use.
    public init(
        instance: UInt64, peers role: PeerRoles, allowed: AllowList, capacity: Int, candidates: CandidateLimits
    ) {
        self.instance = instance
        self.role = role
        self.allowed = allowed
        self.capacity = capacity
        self.candidates = CandidatePool(candidates)
    }

    /// In order of arrival, so that a run can be replayed.
    @inlinable public var ids: [ConnectionID] { entries.keys }

    /// In the order of ``ids``.
    @inlinable public var links: [Link] { entries.values }

    /// Nil for an unknown connection, for which nothing can be set either.
    @inlinable public subscript(id: ConnectionID) -> Link? {
        get { entries[id] }
        set { if let newValue { change(id) { $0 = newValue } } }
    }

    /// Changes a connection in place, without copying its contents. Does nothing for an unknown one.
    @inlinable public mutating func change(_ id: ConnectionID, _ change: (inout Link) -> Void) {
        entries.change(id, change)
    }

    // MARK: Contacts

    /// Takes a contact from mDNS or the user, or a change of it. It is dialled if it has the wanted role, is allowed,
    /// and is not yet connected.
    /// - Returns: connections with it that must be refused, because its name turned out not to be allowed.
    public mutating func updateContact(_ contact: PeerContact, now: HostTime) -> [ConnectionID] {
        allowed.note(contact)
        if let process = contact.key.instance {
            guard process != instance, contact.roles.contains(role) else { return [] }
            guard allowed.includes(contact) else {
                dialer.remove(contact.key)
                return misnamed(as: contact)
            }
        }
        dialer.update(contact, now: now)
        let connected = connections(of: contact)
        if !connected.isEmpty || contactCounts[contact.key] != nil { dialer.contactDidConnect(contact.key) }
        for id in connected where self[id]?.contact == nil && contact.isAt(self[id]?.connection.address ?? "") {
            setContact(contact.key, of: id)
        }
        return []
    }

    /// Takes note that mDNS no longer knows the contact. A connection with it goes on. A connected or lost contact is
    /// remembered, since mDNS forgets everyone when a cable is pulled.
    /// - Returns: connections with its process that must be refused, because the only names left are not allowed.
    public mutating func forgetContact(_ key: PeerContact.Key) -> [ConnectionID] {
        let process = key.instance
        if dialer.isConnectedOrLost(key) {
            dialer.markForgotten(key)
            allowed.markForgotten(key)
        } else {
            allowed.remove(key)
            dialer.remove(key)
        }
        return process.map { allowed.present(of: $0).flatMap { misnamed(as: $0) } } ?? []
    }

    /// Returns the connections with the process that mDNS means.
    private func connections(of contact: PeerContact) -> [ConnectionID] {
        guard let instance = contact.key.instance else { return [] }
        if let peer = contact.peer { return processes[PeerProcess(peer: peer, instance: instance)] ?? [] }
        return processes.filter { contact.isOf($0.key) }.flatMap(\.value)
    }

    /// Returns connections at the contact's addresses, with its process, that are not allowed.
    private func misnamed(as contact: PeerContact) -> [ConnectionID] {
        connections(of: contact).filter { id in
            guard let link = self[id], let greeting = link.connection.greeting else { return false }
            return contact.isAt(link.connection.address) && !isAllowed(link, greeting)
        }
    }

    // MARK: From opening to end

    /// Adds an open connection. If two addresses of one contact connect at the same moment, the first stays.
    /// - Returns: whether it was taken; close it otherwise.
    public mutating func add(_ id: ConnectionID, _ link: Link, dial: Dialer.Dial?, now: HostTime) -> Admission {
        let admission = admission(link, dial: dial, now: now)
        let isTaken =
            switch admission {
            case .taken, .takenInstead: true
            case .doubled, .full, .crowded, .addressFull: false
            }
        if let dial {
            dialer.dialDidEnd(dial.id, failure: isTaken || admission == .doubled ? nil : .unanswered, now: now)
        }
        guard isTaken else { return admission }
        let address = link.connection.address
        addressCounts[address, default: 0] += 1
        candidates.add(id, address: address, now: now)
        entries[id] = link
        change(id) { $0.contact = nil }
        if let dial { setContact(dial.key, of: id) }
        return admission
    }

    private func admission(_ link: Link, dial: Dialer.Dial?, now: HostTime) -> Admission {
        let address = link.connection.address
        if let dial, contactCounts[dial.key] != nil { return .doubled }
        if addressCounts[address, default: 0] >= PeeringLimits.connectionsPerAddress { return .addressFull }
        let isFull = entries.count >= capacity
        guard isFull || candidates.isFull else { return .taken }
        guard candidates.count > 0, case .candidate(let other) = candidates.overflow(newcomer: address, now: now)
        else { return isFull ? .full : .crowded }
        return .takenInstead(of: other)
    }

    /// Takes note of the key that the other side of a connection has proved to have.
    public mutating func authenticate(_ id: ConnectionID, _ key: PeerKey, _ standing: PeerStanding) {
        change(id) { $0.connection.authenticate(key, standing) }
    }

    /// Takes note of what the other side of a connection is to this machine from now on.
    public mutating func note(_ standing: PeerStanding, of id: ConnectionID) {
        change(id) { $0.connection.note(standing) }
    }

    /// Takes bytes and returns what they say; nothing for an unknown connection.
    @inlinable public mutating func receive(
        _ id: ConnectionID, _ bytes: ByteBuffer, now: HostTime
    ) throws(WireError) -> [PeerEvent] {
        var hadGreeted = true
        defer { if !hadGreeted { noteGreeting(id) } }
        let events = try entries.change(id) { (link: inout Link) throws(WireError) -> [PeerEvent] in
            hadGreeted = link.connection.greeting != nil
            return try link.connection.receive(bytes, now: now)
        }
        return events ?? []
    }

    @usableFromInline mutating func noteGreeting(_ id: ConnectionID) {
        guard let process = self[id]?.connection.greeting?.process else { return }
        processes[process, default: []].append(id)
    }

    /// Accepts a peer that greeted and is wanted: nobody dials it, and its next backoff starts small.
    public mutating func accept(_ id: ConnectionID) {
        guard let link = self[id] else { return }
        let (own, rest) = contacts(of: link)
        if link.contact == nil, let contact = own.first(where: { isAt(link.connection.address, $0) }) {
            setContact(contact, of: id)
        }
        for key in own + rest { dialer.contactDidConnect(key) }
        for key in own { dialer.resetBackOff(key) }
    }

    /// Ends a connection's time as a candidate: it has proved to be of use.
    public mutating func admit(_ id: ConnectionID) { candidates.remove(id) }

    /// Removes a connection that ended or must be closed; its peer is not dialled again before `pause` is over.
    /// - Parameter isLost: whether it was of use and was lost without notice: the peer is dialled again and again.
    /// - Returns: what was kept for it; nil for an unknown one.
    @discardableResult
    public mutating func remove(
        _ id: ConnectionID, pause: TimeSpan, isLost: Bool = false, now: HostTime
    ) -> Link? {
        guard let link = forget(id) else { return nil }
        if let other = others(of: link).first {
            // The process stays connected, and so do its contacts: only one connection ends.
            if let contact = link.contact, case .address = contact { setContact(contact, of: other) }
            // What mDNS takes for another process was not reached.
            if let contact = link.contact.flatMap({ dialer.contact($0) }), contact.key.instance != nil,
                let process = link.connection.greeting?.process, !contact.isOf(process)
            {
                dialer.contactDidDisconnect(contact.key, after: pause, now: now)
            }
            return link
        }
        let (own, rest) = contacts(of: link)
        for key in own {
            if isLost {
                dialer.contactWasLost(key, now: now)
            } else {
                dialer.contactDidDisconnect(key, after: pause, now: now)
            }
        }
        for key in rest {
            // If mDNS did not know where the peer was, any of them may be the right one.
            if isLost, own.isEmpty {
                dialer.contactWasLost(key, now: now)
            } else {
                dialer.processDidDisconnect(key, now: now)
            }
        }
        return link
    }

    /// Lets the contacts that mDNS gives for a process be dialled as soon as they are wanted.
    public mutating func endPause(of process: PeerProcess, now: HostTime) {
        for contact in dialer.contacts(of: process) { dialer.endPause(contact.key, now: now) }
    }

    private func isAt(_ address: String, _ contact: PeerContact.Key) -> Bool {
        dialer.contact(contact)?.isAt(address) ?? false
    }

    /// Returns the contacts of a connection's peer, and the other contacts that mDNS gives for its process. A single
    /// one is taken to be the peer's even at another address: a peer may have addresses that mDNS does not know.
    private func contacts(of link: Link) -> (own: [PeerContact.Key], rest: [PeerContact.Key]) {
        var own = link.contact.map { [$0] } ?? []
        var rest: [PeerContact.Key] = []
        guard let greeting = link.connection.greeting, greeting.roles != .observer else { return (own, rest) }
        let known = dialer.contacts(of: greeting.process)
        for contact in known where contact.key != link.contact {
            let isOwn = known.count == 1 || contact.isAt(link.connection.address)
            if isOwn { own.append(contact.key) } else { rest.append(contact.key) }
        }
        return (own, rest)
    }

    /// Returns the other connections with a connection's process, observers excluded.
    func others(of link: Link, besides id: ConnectionID? = nil) -> [ConnectionID] {
        guard let greeting = link.connection.greeting, greeting.roles != .observer else { return [] }
        return processes[greeting.process, default: []].filter { other in
            other != id && self[other]?.connection.greeting?.roles != .observer
        }
    }

    /// Returns whether a connection with this process is open.
    public func isConnected(to process: PeerProcess) -> Bool { processes[process] != nil }

    private mutating func setContact(_ contact: PeerContact.Key, of id: ConnectionID) {
        guard let link = self[id] else { return }
        if let before = link.contact { contactCounts.countDown(before) }
        contactCounts[contact, default: 0] += 1
        change(id) { $0.contact = contact }
    }

    private mutating func forget(_ id: ConnectionID) -> Link? {
        guard let link = entries.remove(id) else { return nil }
        candidates.remove(id)
        addressCounts.countDown(link.connection.address)
        if let contact = link.contact { contactCounts.countDown(contact) }
        guard let process = link.connection.greeting?.process else { return link }
        processes[process]?.removeAll { $0 == id }
        if processes[process]?.isEmpty == true { processes[process] = nil }
        if contests[process].map({ $0.newcomer == id || $0.holder == id }) ?? false { contests[process] = nil }
        return link
    }

    // MARK: Candidates

    /// Sets how much is kept of what a candidate sent before it is known to be of use.
    /// - Returns: a candidate that must be refused if all together make us keep too much: from the group of
    ///   addresses that has most of it.
    public mutating func hold(_ id: ConnectionID, byteCount: Int) -> ConnectionID? {
        guard let link = self[id] else { return nil }
        return candidates.hold(id, byteCount: byteCount + link.connection.heldByteCount)
    }

    /// Returns the candidates older than this.
    public func candidates(since span: TimeSpan, now: HostTime) -> [ConnectionID] {
        candidates.candidates(since: span, now: now)
    }

    // MARK: Liveness

    /// Call it before judging connections. A span without a call, because this process was stopped or its machine was
    /// busy, counts as nobody's silence, and what arrived meanwhile is read before anybody is judged.
    /// - Returns: that span; nil if there was none.
    public mutating func discountPause(_ now: HostTime) -> TimeSpan? {
        defer { lastTurn = now }
        guard let lastTurn, now - lastTurn > PeeringLimits.longestTurnGap else { return nil }
        let span = now - lastTurn
        for id in ids { change(id) { $0.connection.discount(span, now) } }
        return span
    }

    /// Notes that something was sent over a connection.
    @inlinable public mutating func noteSent(_ id: ConnectionID, now: HostTime) {
        change(id) { $0.connection.noteSent(now) }
    }

    /// Returns the connections whose other side must be taken for dead.
    @inlinable public func silent(_ now: HostTime) -> [ConnectionID] {
        zip(ids, links).filter { $1.connection.liveness.isSilent(now) }.map(\.0)
    }

    /// Returns the connections over which a keep-alive is due, and counts it as sent.
    @inlinable public mutating func keepAlivesDue(_ now: HostTime) -> [ConnectionID] {
        ids.filter { id in entries.change(id) { $0.connection.needsKeepAlive(now) } ?? false }
    }
}
