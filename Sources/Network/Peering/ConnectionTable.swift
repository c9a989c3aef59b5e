import AudioCore
import NIOCore
import WireProtocol

/// What a session keeps for one connection.
public protocol PeerLink {
    var connection: PeerConnection { get set }
    /// What the dialer knows the peer by; nil for one that called us and is not known to it. The table sets it.
    var contact: PeerContact.Key? { get set }
}

/// Who is connected and who is to be dialled: what a broadcaster and a listener have in common.
///
/// A contact has one connection, however many of its addresses answer, and a process has one, whoever dialled. The
/// ``dialer`` is told of all that comes and goes. What is said over a connection, and about it, is the session's own
/// affair: the table sends nothing. A connection that has not proved to be of use is a candidate: of those there may be
/// few (``CandidateLimits``).
public struct ConnectionTable<Link: PeerLink> {
    /// What becomes of a connection that stands.
    public enum Admission: Hashable, Sendable {
        case taken
        /// Taken, and another candidate has to make room: it must be closed.
        case takenInstead(of: ConnectionID)
        /// Another address of the same contact connected before.
        case doubled
        /// As many as there may be are there, as many candidates, or as many of that address.
        case full, crowded, addressFull
    }

    private var entries = ArrivalList<ConnectionID, Link>()
    private var candidates: CandidatePool
    public var dialer = Dialer()
    public private(set) var allowed: AllowList
    /// Connections with each address.
    private var addressCounts: [String: Int] = [:]
    /// Connections with each contact, and with each process that greeted.
    private var contactCounts: [PeerContact.Key: Int] = [:]
    private var processes: [UInt64: [ConnectionID]] = [:]
    /// Processes that seem to be connected twice.
    var contests: [UInt64: IdentityContest] = [:]
    /// When connections were judged last.
    private var lastLook: HostTime?
    private let instance: UInt64
    let role: PeerRoles
    private let capacity: Int

    /// - Parameters:
    ///   - instance: the own process.
    ///   - role: of the peers that are dialled.
    ///   - allowed: the only ones of them to be dialled.
    ///   - capacity: connections at once, candidates among them.
    ///   - candidates: what those may take that have not proved to be of use.
    public init(
        instance: UInt64, peers role: PeerRoles, allowed: AllowList, capacity: Int, candidates: CandidateLimits
    ) {
        self.instance = instance
        self.role = role
        self.allowed = allowed
        self.capacity = capacity
        self.candidates = CandidatePool(candidates)
    }

    /// In the order in which they came, so that a run can be replayed.
    public var ids: [ConnectionID] { entries.keys }

    /// In the order of ``ids``.
    public var links: [Link] { entries.values }

    /// Nil for a connection that is not there; of such a one nothing can be set.
    public subscript(id: ConnectionID) -> Link? {
        get { entries[id] }
        set { if let newValue { change(id) { $0 = newValue } } }
    }

    /// Changes a connection in place: what it holds is not copied. Nothing happens where it is not there.
    public mutating func change(_ id: ConnectionID, _ change: (inout Link) -> Void) {
        entries.change(id, change)
    }

    // MARK: Contacts

    /// A contact that mDNS or the user knows, or something new of it: to be dialled if it is of the role that is
    /// wanted, allowed, and not connected already.
    /// - Returns: connections with it that must be refused, as it turned out to bear a name that is not allowed.
    public mutating func learn(_ contact: PeerContact, now: HostTime) -> [ConnectionID] {
        allowed.note(contact)
        if let process = contact.key.instance {
            guard process != instance, contact.roles.contains(role) else { return [] }
            guard allowed.includes(contact) else {
                dialer.remove(contact.key)
                return misnamed(as: contact)
            }
        }
        dialer.update(contact, now: now)
        let connected = contact.key.instance.flatMap { processes[$0] } ?? []
        if !connected.isEmpty || contactCounts[contact.key] != nil { dialer.connected(contact.key) }
        for id in connected where self[id]?.contact == nil && contact.isAt(self[id]?.connection.address ?? "") {
            setContact(contact.key, of: id)
        }
        return []
    }

    /// mDNS knows the contact no longer. A connection with it goes on; one that is connected, or missed, is remembered,
    /// as mDNS forgets everyone where a cable is pulled.
    /// - Returns: connections with its process that must be refused, as that goes only by a name that is not allowed.
    public mutating func unlearn(_ key: PeerContact.Key) -> [ConnectionID] {
        let process = key.instance
        if dialer.isOfUse(key) {
            dialer.forgetLater(key)
            allowed.lose(key)
        } else {
            allowed.forget(key)
            dialer.remove(key)
        }
        return process.map { allowed.present(of: $0).flatMap { misnamed(as: $0) } } ?? []
    }

    /// Connections with the peer that the contact tells of, by their address, where that is not allowed.
    private func misnamed(as contact: PeerContact) -> [ConnectionID] {
        guard let process = contact.key.instance else { return [] }
        return processes[process, default: []].filter { id in
            guard let link = self[id], let greeting = link.connection.greeting else { return false }
            return contact.isAt(link.connection.address) && !isAllowed(link, greeting)
        }
    }

    private func isAllowed(_ link: Link, _ greeting: Greeting) -> Bool {
        allowed.includes(greeting, at: link.connection.address)
    }

    /// Whether a peer that greeted is among those that the user named.
    public func isAllowed(_ id: ConnectionID) -> Bool {
        guard let link = self[id], let greeting = link.connection.greeting else { return false }
        return isAllowed(link, greeting)
    }

    // MARK: From opening to end

    /// A connection stands. Of two addresses of one contact that connect in the same moment, the first goes on.
    /// - Returns: whether it was taken; it must be closed otherwise.
    public mutating func add(_ id: ConnectionID, _ link: Link, dial: Dialer.Dial?, now: HostTime) -> Admission {
        let admission = admission(link, dial: dial, now: now)
        let isTaken =
            switch admission {
            case .taken, .takenInstead: true
            case .doubled, .full, .crowded, .addressFull: false
            }
        if let dial {
            dialer.dialEnded(dial.id, failure: isTaken || admission == .doubled ? nil : .unanswered, now: now)
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

    /// Takes bytes, gives what they say; nothing for a connection that is not there.
    public mutating func receive(
        _ id: ConnectionID, _ bytes: ByteBuffer, now: HostTime
    ) throws(WireError) -> [PeerEvent] {
        let hadGreeted = self[id]?.connection.greeting != nil
        defer { if !hadGreeted { noteGreeting(id) } }
        let events = try entries.change(id) { (link: inout Link) throws(WireError) -> [PeerEvent] in
            try link.connection.receive(bytes, now: now)
        }
        return events ?? []
    }

    private mutating func noteGreeting(_ id: ConnectionID) {
        guard let process = self[id]?.connection.greeting?.instance else { return }
        processes[process, default: []].append(id)
    }

    /// The peer greeted and is the one that is wanted: nobody dials it, and its next back-off begins small.
    public mutating func accept(_ id: ConnectionID) {
        guard let link = self[id] else { return }
        let (own, rest) = contacts(of: link)
        if link.contact == nil, let contact = own.first(where: { isAt(link.connection.address, $0) }) {
            setContact(contact, of: id)
        }
        for key in own + rest { dialer.connected(key) }
        for key in own { dialer.proved(key) }
    }

    /// The connection has proved to be of use: it is no candidate any more.
    public mutating func admit(_ id: ConnectionID) { candidates.remove(id) }

    /// A connection ended, or must be closed; its peer is not dialled again before `pause` is over.
    /// - Parameter isMissed: it was of use, and nobody said that it was over: the peer is dialled again and again.
    /// - Returns: what was kept for it; nil for one that is not there.
    @discardableResult
    public mutating func remove(
        _ id: ConnectionID, pause: TimeSpan, isMissed: Bool = false, now: HostTime
    ) -> Link? {
        guard let link = forget(id) else { return nil }
        if let other = others(of: link).first {
            // The process stays connected, and the contact with it: only a connection ends.
            if let contact = link.contact, case .address = contact { setContact(contact, of: other) }
            return link
        }
        let (own, rest) = contacts(of: link)
        for key in own {
            if isMissed { dialer.missed(key, now: now) } else { dialer.disconnected(key, after: pause, now: now) }
        }
        for key in rest {
            // Of a peer that mDNS does not know where it was, each may be the right one.
            if isMissed, own.isEmpty { dialer.missed(key, now: now) } else { dialer.released(key, now: now) }
        }
        return link
    }

    private func isAt(_ address: String, _ contact: PeerContact.Key) -> Bool {
        dialer.contact(contact)?.isAt(address) ?? false
    }

    /// What the dialer knows a connection's peer by, and what else mDNS says of its process. Where mDNS says one thing
    /// only, that is taken to be meant also of a peer that is elsewhere: it may have addresses of which mDNS knows not.
    private func contacts(of link: Link) -> (own: [PeerContact.Key], rest: [PeerContact.Key]) {
        var own = link.contact.map { [$0] } ?? []
        var rest: [PeerContact.Key] = []
        guard let greeting = link.connection.greeting, greeting.roles != .observer else { return (own, rest) }
        let known = dialer.contacts(of: greeting.instance)
        for contact in known where contact.key != link.contact {
            let isOwn = known.count == 1 || contact.isAt(link.connection.address)
            if isOwn { own.append(contact.key) } else { rest.append(contact.key) }
        }
        return (own, rest)
    }

    /// Other connections with a connection's process, but for those that only look on.
    func others(of link: Link, besides id: ConnectionID? = nil) -> [ConnectionID] {
        guard let greeting = link.connection.greeting, greeting.roles != .observer else { return [] }
        return processes[greeting.instance, default: []].filter { other in
            other != id && self[other]?.connection.greeting?.roles != .observer
        }
    }

    /// Whether a connection with this process stands.
    public func holds(_ instance: UInt64) -> Bool { processes[instance] != nil }

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
        guard let process = link.connection.greeting?.instance else { return link }
        processes[process]?.removeAll { $0 == id }
        if processes[process]?.isEmpty == true { processes[process] = nil }
        if contests[process].map({ $0.newcomer == id || $0.holder == id }) ?? false { contests[process] = nil }
        return link
    }

    // MARK: Candidates

    /// What is kept of what a candidate said before it is known to be of use grew or shrank.
    /// - Returns: a candidate that must be refused, as all together make us keep too much: of the addresses that have
    ///   most of it.
    public mutating func hold(_ id: ConnectionID, byteCount: Int) -> ConnectionID? {
        guard let link = self[id] else { return nil }
        return candidates.hold(id, byteCount: byteCount + link.connection.heldByteCount)
    }

    /// Those who have been candidates for longer than this.
    public func candidates(since span: TimeSpan, now: HostTime) -> [ConnectionID] {
        candidates.candidates(since: span, now: now)
    }

    // MARK: Liveness

    /// To be told before connections are judged. A span in which they were not looked at, as this process was stopped or
    /// its machine was busy, is nobody's silence, and what came meanwhile is read before anybody is judged.
    /// - Returns: that span; nil where there was none.
    public mutating func look(_ now: HostTime) -> TimeSpan? {
        defer { lastLook = now }
        guard let lastLook, now - lastLook > PeeringLimits.longestLook else { return nil }
        let span = now - lastLook
        for id in ids { change(id) { $0.connection.discount(span, now) } }
        return span
    }

    /// Something was sent over a connection.
    public mutating func noteSent(_ id: ConnectionID, now: HostTime) { change(id) { $0.connection.noteSent(now) } }

    /// Connections whose other side must be taken for dead.
    public func silent(_ now: HostTime) -> [ConnectionID] {
        links.indices.filter { links[$0].connection.liveness.isSilent(now) }.map { ids[$0] }
    }

    /// Connections over which a keep-alive is due; it is then taken as sent.
    public mutating func keepAlivesDue(_ now: HostTime) -> [ConnectionID] {
        ids.filter { id in entries.change(id) { $0.connection.needsKeepAlive(now) } ?? false }
    }
}
