import AudioCore
import Households
import NIOCore
import Peering
import SecureChannel
import WireProtocol

/// Goes round all Tuttis that are found, for one of two purposes: so that certain members have the household's document
/// now, or until one of them sends it to a new machine that was invited. Events in, actions out.
///
///     dialled ──▶ opened ──▶ identified ──the document was sent, or is not needed──▶ settling ──▶ told
///                   └────────────┴── no member, refused, gone ──▶ over
///
/// A member to which this machine is none, as it was removed there, hears nothing from it but whom it removed itself at
/// the same time. It is told apart from those that were not found.
///
/// It greets as a controller, so broadcasters and listeners serve it like one that comes and goes. Who is at the other
/// end, and what document it needs, is for the shell to tell. Each address is dialled on its own: at an address that
/// several networks use, another machine may answer. Owns no socket, thread or clock.
public struct HouseholdRound {
    public enum Purpose: Sendable {
        /// Tell these members, as far as they are found. Ends when all are told, or after ``RoundLimits/tellingTime``.
        case telling(Set<PeerKey>)
        /// The same, of a removal by this machine: for that it need not be a member any more itself.
        case removing(Set<PeerKey>)
        /// The same, of this machine's own removal: who knows of it refuses.
        case leaving(Set<PeerKey>)
        /// Take any document. Goes on until the shell has one that it wants: each Tutti is dialled again after
        /// ``RoundLimits/pause``.
        case enrolling
    }

    private struct Link {
        var connection: PeerConnection
        let dial: Dialer.Dial
        let opened: HostTime
        /// Bytes that the kernel has not taken.
        var unwritten = 0
        /// Since when everything is said; nil while it is not.
        var settled: HostTime?
    }

    private let greeting: Greeting
    private let purpose: Purpose
    private let began: HostTime
    private var outcome = RoundOutcome()
    private var dialer = Dialer()
    private var links: [ConnectionID: Link] = [:]
    private var actions: [RoundAction] = []
    private var isOver = false

    /// - Parameter greeting: its role is ``PeerRoles/controller``.
    public init(greeting: Greeting, purpose: Purpose, now: HostTime) {
        self.greeting = greeting
        self.purpose = purpose
        began = now
    }

    /// Handles one event.
    /// - Returns: the actions to perform, in order.
    public mutating func handle(_ event: RoundEvent, now: HostTime) -> [RoundAction] {
        guard !isOver else { return [] }
        switch event {
        case .found(let contact): learn(contact, now)
        case .searchFailed: if members != nil { finish() }
        case .opened(let id, let address, let dial): opened(id, address, dial, now)
        case .dialFailed(let dial, let failure): dialer.dialDidEnd(dial.id, failure: failure, now: now)
        case .authenticated(let id, let key, let standing): identify(id, key, standing, now)
        case .document(let id, let message): send(message, to: id)
        case .written(let id, let byteCount): links[id]?.unwritten -= byteCount
        case .received(let id, let bytes): receive(id, bytes, now)
        case .broken(let id), .closed(let id): drop(id, now)
        case .tick: break
        }
        if !isOver { advance(now) }
        defer { actions = [] }
        return actions
    }

    /// Who is to be told; nil where everybody is asked.
    private var members: Set<PeerKey>? {
        switch purpose {
        case .telling(let members), .removing(let members), .leaving(let members): members
        case .enrolling: nil
        }
    }

    // MARK: Time

    private mutating func advance(_ now: HostTime) {
        for (id, link) in links { review(id, link, now) }
        for dial in dialer.dueDials(now) { actions.append(.dial(dial)) }
        guard let members else { return }
        if members.isSubset(of: outcome.told.union(outcome.refusals.keys)) || now - began >= RoundLimits.tellingTime {
            finish()
        }
    }

    private mutating func review(_ id: ConnectionID, _ link: Link, _ now: HostTime) {
        if now - link.opened >= RoundLimits.answerTime { return drop(id, now) }
        guard members != nil, isSaid(link) else { return }
        guard let settled = link.settled else {
            links[id]?.settled = now
            return
        }
        // It would have refused by now, or have sent what this machine lacks.
        if now - settled >= RoundLimits.settlingTime { conclude(link, now) }
    }

    private mutating func conclude(_ link: Link, _ now: HostTime) {
        guard let key = link.connection.remoteKey else { return }
        outcome.told.insert(key)
        for (other, link) in links where link.connection.remoteKey == key { end(other, link, now) }
    }

    /// Whether a member knows all that there is to tell.
    private func isSaid(_ link: Link) -> Bool {
        link.unwritten <= 0 && link.connection.greeting != nil && link.connection.standing == .member
    }

    private mutating func finish() {
        isOver = true
        for id in links.keys { actions.append(.close(id)) }
        links = [:]
        actions.append(.finished(outcome))
    }

    // MARK: Connections

    private mutating func learn(_ contact: PeerContact, _ now: HostTime) {
        for address in contact.addresses.prefix(PeeringLimits.addressesPerContact) {
            let single = PeerContact(
                key: .address(address), name: contact.name, roles: contact.roles, addresses: [address])
            let isNew = dialer.contact(single.key) == nil
            guard !isNew || dialer.contacts.count < RoundLimits.addressCount else { return }
            dialer.update(single, now: now)
        }
    }

    private mutating func opened(_ id: ConnectionID, _ address: String, _ dial: Dialer.Dial, _ now: HostTime) {
        dialer.dialDidEnd(dial.id, failure: nil, now: now)
        links[id] = Link(
            connection: PeerConnection(direction: .dialed, address: address, now: now), dial: dial, opened: now)
        send(WireEncoder.greeting(greeting), to: id)
    }

    private mutating func identify(
        _ id: ConnectionID, _ key: PeerKey, _ standing: PeerStanding, _ now: HostTime
    ) {
        links[id]?.connection.authenticate(key, standing)
        guard let members else { return }
        guard standing == .member, members.contains(key), !outcome.told.contains(key) else {
            return drop(id, now)
        }
    }

    private mutating func send(_ bytes: ByteBuffer, to id: ConnectionID) {
        guard links[id] != nil else { return }
        links[id]?.unwritten += bytes.readableBytes
        links[id]?.settled = nil
        actions.append(.send(id, bytes))
    }

    private mutating func receive(_ id: ConnectionID, _ bytes: ByteBuffer, _ now: HostTime) {
        do throws(WireError) {
            let events = try links[id]?.connection.receive(bytes, now: now) ?? []
            for case .message(let message) in events where links[id] != nil {
                switch message {
                case .household(let document):
                    links[id]?.settled = nil
                    actions.append(.household(id, document))
                case .refusal(let refusal):
                    note(refusal, by: id)
                    drop(id, now)
                default: break
                }
            }
        } catch {
            drop(id, now)
        }
    }

    private mutating func note(_ refusal: Refusal, by id: ConnectionID) {
        guard let connection = links[id]?.connection else { return }
        switch purpose {
        case .enrolling: actions.append(.refused(id, by: connection.name, refusal))
        case .telling, .removing:
            guard [.notAllowed, .removedLately].contains(refusal.reason), let key = connection.remoteKey else { return }
            outcome.refusals[key] = refusal
            if case .removing = purpose, refusal.reason == .removedLately { outcome.told.insert(key) }
        case .leaving: break
        }
    }

    /// Goes on without a connection that ended, or that leads to nobody who is wanted.
    private mutating func drop(_ id: ConnectionID, _ now: HostTime) {
        guard let link = links[id] else { return }
        if case .leaving = purpose, isSaid(link) { return conclude(link, now) }
        end(id, link, now)
    }

    private mutating func end(_ id: ConnectionID, _ link: Link, _ now: HostTime) {
        links[id] = nil
        actions.append(.close(id))
        dialer.contactDidDisconnect(link.dial.key, after: RoundLimits.pause, now: now)
    }
}
