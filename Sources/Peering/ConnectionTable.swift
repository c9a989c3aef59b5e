import AudioCore
import NIOCore
import WireProtocol

/// What a session keeps for one connection.
public protocol PeerLink {
    var connection: PeerConnection { get set }
    /// What the dialer knows the peer by; nil for one that called us and was not yet accepted.
    var contact: PeerContact.Key? { get set }
}

/// Who is connected and who is to be dialled: what a broadcaster and a listener have in common.
///
/// A contact has one connection, however many of its addresses answer, and a process has one, whoever dialled. The
/// ``dialer`` is told of all that comes and goes. What is said over a connection, and about it, is the session's own
/// affair: the table sends nothing.
public struct ConnectionTable<Link: PeerLink> {
    /// What becomes of a connection that stands.
    public enum Admission: Hashable, Sendable {
        case taken
        /// Another address of the same contact connected before.
        case doubled
        /// As many as there may be are there, or of that address.
        case full, addressFull
    }

    /// In the order in which they came, so that a run can be replayed.
    public private(set) var ids: [ConnectionID] = []
    /// In the order of ``ids``.
    public private(set) var links: [Link] = []
    public var dialer = Dialer()
    public private(set) var allowed: AllowList
    /// Where in ``ids`` a connection stands.
    private var places: [ConnectionID: Int] = [:]
    /// Connections with each address.
    private var addressCounts: [String: Int] = [:]
    /// Processes that seem to be connected twice.
    var contests: [IdentityContest] = []
    /// When connections were judged last.
    private var lastLook: HostTime?
    private let instance: UInt64
    let role: PeerRoles
    private let capacity: Int

    /// - Parameters:
    ///   - instance: the own process.
    ///   - role: of the peers that are dialled.
    ///   - allowed: the only ones of them to be dialled.
    ///   - capacity: connections at once; what comes beyond is turned away.
    public init(instance: UInt64, peers role: PeerRoles, allowed: AllowList, capacity: Int) {
        self.instance = instance
        self.role = role
        self.allowed = allowed
        self.capacity = capacity
    }

    /// Nil for a connection that is not there; of such a one nothing can be set.
    public subscript(id: ConnectionID) -> Link? {
        get { places[id].map { links[$0] } }
        set { if let newValue, let place = places[id] { links[place] = newValue } }
    }

    /// Changes a connection in place: what it holds is not copied. Nothing happens where it is not there.
    public mutating func change(_ id: ConnectionID, _ change: (inout Link) -> Void) {
        guard let place = places[id] else { return }
        change(&links[place])
    }

    // MARK: Contacts

    /// A contact that mDNS or the user knows, or something new of it: to be dialled if it is of the role that is
    /// wanted, allowed, and not connected already.
    /// - Returns: connections with it that must be refused, as it turned out to bear a name that is not allowed.
    public mutating func learn(_ contact: PeerContact, now: HostTime) -> [ConnectionID] {
        allowed.note(contact)
        if case .instance(let process) = contact.key {
            guard process != instance, contact.roles.contains(role) else { return [] }
            guard allowed.includes(contact) else {
                dialer.remove(contact.key)
                return ids.filter { self[$0]?.connection.greeting?.instance == process }
            }
        }
        dialer.update(contact, now: now)
        let isReached = links.contains { link in
            link.contact == contact.key
                || link.connection.greeting.map { .instance($0.instance) == contact.key } ?? false
        }
        if isReached { dialer.connected(contact.key) }
        return []
    }

    /// mDNS knows the contact no longer. A connection with it goes on; one that is connected, or missed, is remembered,
    /// as mDNS forgets everyone where a cable is pulled.
    public mutating func unlearn(_ key: PeerContact.Key) {
        if dialer.isOfUse(key) { return dialer.forgetLater(key) }
        allowed.forget(key)
        dialer.remove(key)
    }

    // MARK: From opening to end

    /// A connection stands. Of two addresses of one contact that connect in the same moment, the first goes on.
    /// - Returns: whether it was taken; it must be closed otherwise.
    public mutating func add(_ id: ConnectionID, _ link: Link, dial: Dialer.Dial?, now: HostTime) -> Admission {
        let address = link.connection.address
        let isDoubled = dial.map { dial in links.contains { $0.contact == dial.key } } ?? false
        let admission: Admission =
            if isDoubled {
                .doubled
            } else if ids.count >= capacity {
                .full
            } else {
                addressCounts[address, default: 0] < PeeringLimits.connectionsPerAddress ? .taken : .addressFull
            }
        if let dial {
            dialer.dialEnded(dial.id, failure: admission == .taken || isDoubled ? nil : .unanswered, now: now)
        }
        guard admission == .taken else { return admission }
        places[id] = ids.count
        addressCounts[address, default: 0] += 1
        ids.append(id)
        links.append(link)
        links[links.count - 1].contact = dial?.key
        return .taken
    }

    /// Takes bytes, gives what they say; nothing for a connection that is not there.
    public mutating func receive(
        _ id: ConnectionID, _ bytes: ByteBuffer, now: HostTime
    ) throws(WireError) -> [PeerEvent] {
        guard let place = places[id] else { return [] }
        return try links[place].connection.receive(bytes, now: now)
    }

    /// The peer greeted and is the one that is wanted: nobody dials it, and its next back-off begins small.
    public mutating func accept(_ id: ConnectionID) {
        guard let link = self[id], let greeting = link.connection.greeting else { return }
        let found = PeerContact.Key.instance(greeting.instance)
        let contact = link.contact ?? found
        self[id]?.contact = contact
        for key in [contact, found] {
            dialer.connected(key)
            dialer.proved(key)
        }
    }

    /// A connection ended, or must be closed; its peer is not dialled again before `pause` is over.
    /// - Parameter isMissed: it was of use, and nobody said that it was over: the peer is dialled again and again.
    /// - Returns: what was kept for it; nil for one that is not there.
    @discardableResult
    public mutating func remove(
        _ id: ConnectionID, pause: TimeSpan, isMissed: Bool = false, now: HostTime
    ) -> Link? {
        guard let link = forget(id) else { return nil }
        let process = link.connection.greeting.map { PeerContact.Key.instance($0.instance) }
        if let other = others(of: link).first {
            // The process stays connected, and the contact with it: only a connection ends.
            if let contact = link.contact, case .address = contact { change(other) { $0.contact = contact } }
            return link
        }
        for key in Set([link.contact, process].compactMap { $0 }) {
            if isMissed { dialer.missed(key, now: now) } else { dialer.disconnected(key, after: pause, now: now) }
        }
        return link
    }

    /// Other connections with a connection's process, but for those that only look on.
    func others(of link: Link, besides id: ConnectionID? = nil) -> [ConnectionID] {
        guard let greeting = link.connection.greeting, greeting.roles != .observer else { return [] }
        return links.indices.filter { place in
            guard ids[place] != id, let other = links[place].connection.greeting else { return false }
            return other.instance == greeting.instance && other.roles != .observer
        }.map { ids[$0] }
    }

    @discardableResult
    private mutating func forget(_ id: ConnectionID) -> Link? {
        guard let place = places.removeValue(forKey: id) else { return nil }
        contests.removeAll { $0.newcomer == id || $0.holder == id }
        ids.remove(at: place)
        for later in place..<ids.count { places[ids[later]] = later }
        let link = links.remove(at: place)
        let address = link.connection.address
        addressCounts[address] = addressCounts[address].flatMap { $0 > 1 ? $0 - 1 : nil }
        return link
    }

    // MARK: Liveness

    /// To be told before connections are judged. A span in which they were not looked at, as this process was stopped or
    /// its machine was busy, is nobody's silence, and what came meanwhile is read before anybody is judged.
    /// - Returns: that span; nil where there was none.
    public mutating func look(_ now: HostTime) -> TimeSpan? {
        defer { lastLook = now }
        guard let lastLook, now - lastLook > PeeringLimits.longestLook else { return nil }
        let span = now - lastLook
        for index in links.indices { links[index].connection.excuse(span, now) }
        return span
    }

    /// Something was sent over a connection.
    public mutating func said(_ id: ConnectionID, now: HostTime) { change(id) { $0.connection.said(now) } }

    /// Connections whose other side must be taken for dead.
    public func silent(_ now: HostTime) -> [ConnectionID] {
        links.indices.filter { links[$0].connection.liveness.isSilent(now) }.map { ids[$0] }
    }

    /// Connections over which a keep-alive is due; it is then taken as sent.
    public mutating func keepAlivesDue(_ now: HostTime) -> [ConnectionID] {
        links.indices.filter { links[$0].connection.needsKeepAlive(now) }.map { ids[$0] }
    }
}
