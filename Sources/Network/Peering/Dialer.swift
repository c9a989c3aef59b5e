import AudioCore
import WireProtocol

/// Decides which contacts to dial, and when. Owns no socket: it returns the dials to make, and is told their outcome.
///
/// Contacts are dialled in parallel, so a dead one does not delay the others. The addresses of one contact are tried
/// ``PeeringLimits/addressStagger`` apart until one connects. When all have failed, or a connection ended, the contact
/// backs off: 0.5, 1, 2 ... 15 s, from the start again once a connection proved to be of use. A lost contact, one
/// whose connection was lost without notice, is dialled at once and then every ``PeeringLimits/lostPeerInterval``, but
/// only for a short time if all signs say that it ended.
public struct Dialer {
    /// A dial to make; report its outcome with ``dialDidEnd(_:failure:now:)``.
    public struct Dial: Hashable, Sendable {
        public var id: Int
        public var key: PeerContact.Key
        public var address: NetworkAddress

        /// - Parameter id: the caller's own.
        public init(id: Int, key: PeerContact.Key, address: NetworkAddress) {
            self.id = id
            self.key = key
            self.address = address
        }
    }

    fileprivate struct Entry {
        var contact: PeerContact
        /// When the contact became known.
        let since: HostTime
        /// Dials in progress.
        var pending: Set<Int> = []
        /// Index of the next address to dial.
        var nextAddress = 0
        var nextDial: HostTime
        var failures = 0
        var isConnected = false
        var isWanted = true
        /// When the last dial was made.
        var lastDial: HostTime?
        /// Until when it counts as lost; nil if it is not lost.
        var lostUntil: HostTime?
        /// Whether mDNS no longer knows it.
        var isForgotten = false
    }

    private var entries = OrderedDictionary<PeerContact.Key, Entry>() { didSet { isQuiet = false } }
    /// The contacts that mDNS gives for each instance, longest known first.
    private var services: [UInt64: [PeerContact.Key]] = [:]
    private var keys: [Int: PeerContact.Key] = [:]
    private var nextID = 0
    /// Whether nothing changed since ``nextDial`` was computed. Most contacts are connected; without this, each would
    /// be checked many times a second.
    private var isQuiet = false
    /// When the next dial is due; nil for never.
    private var nextDial: HostTime?

    public init() {}

    /// All known contacts, longest known first.
    public var contacts: [PeerContact] { entries.values.map(\.contact) }

    public func contact(_ key: PeerContact.Key) -> PeerContact? { entries[key]?.contact }

    /// Returns the contacts that mDNS gives for a process, longest known first; several if announcements differ.
    func contacts(of process: PeerProcess) -> [PeerContact] {
        services[process.instance, default: []].compactMap { entries[$0]?.contact }.filter { $0.isOf(process) }
    }

    /// Returns when a contact became known; nil for an unknown one.
    func knownSince(_ key: PeerContact.Key) -> HostTime? { entries[key]?.since }

    /// Adds a contact, or updates its addresses. A new contact over the limit is ignored.
    public mutating func update(_ contact: PeerContact, now: HostTime) {
        dropPredecessors(of: contact)
        var contact = contact
        contact.addresses = Array(contact.addresses.prefix(PeeringLimits.addressesPerContact))
        if var entry = entries[contact.key] {
            let isNews = entry.contact.addresses != contact.addresses
            entry.contact = contact
            entry.isForgotten = false
            if isNews, entry.pending.isEmpty { entry.restart(now) }
            entries[contact.key] = entry
        } else if entries.count < PeeringLimits.contactCount {
            entries[contact.key] = Entry(contact: contact, since: now, nextDial: now)
            if let process = contact.key.instance { services[process, default: []].append(contact.key) }
        }
    }

    /// Removes forgotten contacts of the same peer's process that share an address: it now uses another name.
    private mutating func dropPredecessors(of contact: PeerContact) {
        guard let process = contact.key.instance, entries[contact.key] == nil else { return }
        for key in services[process, default: []] where entries[key]?.isForgotten == true {
            guard let former = entries[key]?.contact, former.peer == contact.peer else { continue }
            if former.sharesAddress(with: contact) { remove(key) }
        }
    }

    public mutating func remove(_ key: PeerContact.Key) {
        guard entries.remove(key) != nil, let process = key.instance else { return }
        services[process]?.removeAll { $0 == key }
        if services[process]?.isEmpty == true { services[process] = nil }
    }

    /// Returns whether the contact is connected or lost.
    func isConnectedOrLost(_ key: PeerContact.Key) -> Bool {
        entries[key].map { $0.isConnected || $0.lostUntil != nil } ?? false
    }

    /// Removes the contact once it is neither connected nor lost.
    mutating func markForgotten(_ key: PeerContact.Key) { entries[key]?.isForgotten = true }

    /// Sets whether the contact is to be dialled at all; an unwanted one is not forgotten, and its pause continues.
    public mutating func setWanted(_ key: PeerContact.Key, _ isWanted: Bool) { entries[key]?.isWanted = isWanted }

    /// Notes that a connection with the contact is open, whoever dialled.
    public mutating func contactDidConnect(_ key: PeerContact.Key) { entries[key]?.isConnected = true }

    /// Notes that the connection is gone. `after`: the minimum wait, for a peer that refused.
    public mutating func contactDidDisconnect(_ key: PeerContact.Key, after pause: TimeSpan = .zero, now: HostTime) {
        guard var entry = entries[key] else { return }
        entry.isConnected = false
        if pause > .zero { entry.lostUntil = nil }
        guard !entry.isForgotten || entry.lostUntil != nil else { return remove(key) }
        entry.backOff(now, atLeast: pause)
        entries[key] = entry
    }

    /// Notes that a connection with the contact's process ended that was not a connection with this contact.
    mutating func processDidDisconnect(_ key: PeerContact.Key, now: HostTime) {
        guard var entry = entries[key] else { return }
        entry.isConnected = false
        guard !entry.isForgotten || entry.lostUntil != nil else { return remove(key) }
        entry.nextAddress = 0
        entry.nextDial = max(entry.nextDial, now)
        entries[key] = entry
    }

    /// Notes that a useful connection was lost without notice: the contact is dialled at once, and often.
    mutating func contactWasLost(_ key: PeerContact.Key, now: HostTime) {
        guard var entry = entries[key] else { return }
        entry.isConnected = false
        entry.lostUntil = now + PeeringLimits.lostPeerTime
        entry.nextAddress = 0
        entry.nextDial = max(now, entry.lastDial.map { $0 + PeeringLimits.lostPeerInterval } ?? now)
        entries[key] = entry
    }

    /// Ends the contact's pause: nothing speaks against it, once it is wanted.
    public mutating func endPause(_ key: PeerContact.Key, now: HostTime) {
        guard var entry = entries[key], entry.pending.isEmpty else { return }
        entry.restart(now)
        entries[key] = entry
    }

    /// Notes that the connection proved to be of use: the next backoff starts small.
    public mutating func resetBackOff(_ key: PeerContact.Key) { entries[key]?.failures = 0 }

    /// Takes the outcome of a dial; `failure` is nil if it connected.
    public mutating func dialDidEnd(_ id: Int, failure: DialFailure?, now: HostTime) {
        guard let key = keys.removeValue(forKey: id), var entry = entries[key] else { return }
        entry.pending.remove(id)
        if let failure { entry.dialFailed(failure, now) } else { entry.isConnected = true }
        entries[key] = entry
    }

    /// Returns the dials that are due.
    public mutating func dueDials(_ now: HostTime) -> [Dial] {
        if isQuiet, nextDial.map({ $0 > now }) ?? true { return [] }
        var dials: [Dial] = []
        var nextDial: HostTime?
        for key in entries.keys {
            if let end = entries[key]?.lostUntil, now >= end { endSearch(key, now) }
            guard var entry = entries[key], entry.isWaiting else { continue }
            if entry.nextDial <= now {
                let dial = Dial(id: nextID, key: key, address: entry.contact.addresses[entry.nextAddress])
                nextID += 1
                entry.nextAddress += 1
                entry.nextDial = now + PeeringLimits.addressStagger
                if entry.lostUntil != nil { entry.scheduleNextAddress(now) }
                entry.lastDial = now
                entry.pending.insert(dial.id)
                keys[dial.id] = key
                entries[key] = entry
                dials.append(dial)
            }
            if entry.isWaiting { nextDial = min(nextDial ?? entry.nextDial, entry.nextDial) }
        }
        self.nextDial = nextDial
        isQuiet = true
        return dials
    }

    /// Ends the time in which the contact counts as lost.
    private mutating func endSearch(_ key: PeerContact.Key, _ now: HostTime) {
        entries[key]?.lostUntil = nil
        guard entries[key]?.isConnected == false else { return }
        if entries[key]?.isForgotten == true { remove(key) } else { entries[key]?.backOff(now, atLeast: .zero) }
    }
}

extension Dialer.Entry {
    /// Whether an address is left to dial.
    fileprivate var isWaiting: Bool { isWanted && !isConnected && nextAddress < contact.addresses.count }

    /// Whether all addresses were tried, and none connects.
    fileprivate var hasFailed: Bool {
        !isConnected && lostUntil == nil && pending.isEmpty && nextAddress >= contact.addresses.count
    }

    fileprivate mutating func dialFailed(_ failure: DialFailure, _ now: HostTime) {
        if hasFailed { return backOff(now, atLeast: .zero) }
        guard let end = lostUntil, !isConnected else { return }
        switch failure {
        case .unreachable: nextDial = min(nextDial, max(now, (lastDial ?? now) + PeeringLimits.redialInterval))
        case .refused where isForgotten: lostUntil = min(end, now + PeeringLimits.refusedTime)
        case .refused, .unanswered: break
        }
    }

    fileprivate mutating func restart(_ now: HostTime) {
        nextAddress = 0
        nextDial = now
        failures = 0
    }

    /// Moves on so that all addresses are dialled once per interval.
    fileprivate mutating func scheduleNextAddress(_ now: HostTime) {
        nextAddress %= contact.addresses.count
        nextDial = now + PeeringLimits.lostPeerInterval * (1 / Double(contact.addresses.count))
    }

    fileprivate mutating func backOff(_ now: HostTime, atLeast pause: TimeSpan) {
        guard lostUntil == nil else {
            nextDial = now + PeeringLimits.lostPeerInterval
            return
        }
        let doubled = PeeringLimits.firstBackOff * Double(1 << min(failures, 8))
        failures += 1
        nextAddress = 0
        nextDial = now + max(pause, min(doubled, PeeringLimits.longestBackOff))
    }
}
