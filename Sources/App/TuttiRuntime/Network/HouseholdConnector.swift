import AudioCore
import Cryptography
import HostSystem
import Households
import NIOCore
import Peering
import SecureChannel
import WireProtocol

/// This machine's household on the connections of one process: says who is at the other end, and sends the document to
/// members that lack it.
///
/// What other members bring is stored. What another process of this machine changes is seen within a second once
/// ``watchStore()`` was called. Confined to its event loop.
final class HouseholdConnector {
    /// This machine's.
    private let key: PeerKey
    private let stored: StoredHousehold?
    private let loop: any EventLoop
    private let emit: @Sendable (RuntimeEvent) -> Void
    private var meetings: HouseholdMeetings<ConnectionID>
    private let work: WorkQueue
    private var watch: HouseholdWatch?
    private var hasComplained = false
    private var hasToldFull = false

    /// What this machine shows over a channel if it was invited.
    var invitation: (ChannelBinding) -> [UInt8] = { _ in [] }
    /// Sends over a connection.
    var send: (ConnectionID, ByteBuffer) -> Void = { _, _ in }
    /// Takes what the peer at the other end of a connection is, whenever that changes.
    var onStanding: (ConnectionID, PeerStanding) -> Void = { _, _ in }
    /// The household, or this machine's place in it, is another one than before.
    var onChange: () -> Void = {}

    init(identity: Identity, loop: any EventLoop, emit: @escaping @Sendable (RuntimeEvent) -> Void) {
        key = identity.keys.key
        stored = identity.household
        self.loop = loop
        self.emit = emit
        meetings = HouseholdMeetings(keys: identity.keys, household: stored?.household)
        work = WorkQueue(loop: loop)
    }

    /// Nil in open mode.
    var household: Household? { meetings.household }

    /// What the holder of a key is to this machine by its household alone; nil if that says nothing of it.
    func standing(of key: PeerKey) -> PeerStanding? { meetings.standing(of: key) }

    var notice: HouseholdNotice {
        guard let household else { return .open }
        return switch household.standing(of: key) {
        case .member: .member(household.name)
        case .removed: .removed(household.name)
        case .unknown: .unknownKey(household.name)
        }
    }

    /// Returns who may do what now.
    /// - Parameter chosen: what the user allows to whom.
    func policy(_ chosen: AccessPolicy) -> AccessPolicy {
        var policy = chosen
        policy.household = household?.name
        return policy
    }

    // MARK: Connections

    /// Begins with a connection whose other end has proved its key.
    /// - Returns: the own introduction.
    func open(_ id: ConnectionID, key: PeerKey, binding: ChannelBinding) -> [UInt8] {
        meetings.open(id, remoteKey: key, binding: binding, invitation: invitation(binding))
    }

    func close(_ id: ConnectionID) { meetings.close(id) }

    /// Takes the other end's introduction.
    /// - Returns: what it is.
    func receive(introduction: ByteBuffer, from id: ConnectionID) -> PeerStanding {
        var standing = PeerStanding.stranger
        for action in meetings.receive(introduction: introduction, from: id, at: WallClock.seconds(), now: .now()) {
            if case .standing(id, let found) = action { standing = found } else { perform(action) }
        }
        return standing
    }

    /// Takes a document that the other end sent.
    func receive(document: ByteBuffer, from id: ConnectionID) {
        merge { () throws(HouseholdError) in
            try meetings.receive(document: Array(document.readableBytesView), from: id, now: .now())
        }
    }

    /// Somebody who is no member, or whose document makes no sense, changes nothing.
    private func merge(_ body: () throws(HouseholdError) -> [HouseholdMeetings<ConnectionID>.Action]) {
        do throws(HouseholdError) {
            for action in try body() { perform(action) }
        } catch {
            if error == .full { tellFull() }
        }
    }

    private func tellFull() {
        guard !hasToldFull, let household else { return }
        hasToldFull = true
        emit(.notice(.household(.full(household.name))))
    }

    // MARK: The store

    /// Looks from now on whether another process changes what is stored.
    /// - Throws: if the process has no descriptor or thread left.
    func watchStore() throws(RuntimeFailure) {
        guard let stored, watch == nil else { return }
        watch = try HouseholdWatch(stored.store, since: stored.version) { [weak self, loop] reading in
            loop.execute { [weak self] in self?.take(reading) }
        }
    }

    /// Completes when all is stored, and nobody looks any more.
    func shutDown() -> EventLoopFuture<Void> {
        if let watch { work.perform { watch.stop() } }
        watch = nil
        return work.finish()
    }

    /// A household that cannot be read any more stays as it was.
    private func take(_ reading: HouseholdWatch.Reading) {
        switch reading {
        case .success(let household): adopt(household)
        case .failure(let failure): complain(failure)
        }
    }

    private func adopt(_ household: Household?) {
        // What is stored is this machine's own, or a merge of it.
        merge { () throws(HouseholdError) in try meetings.adopt(household, now: .now()) }
    }

    private func store(_ household: Household) {
        guard let store = stored?.store else { return }
        work.perform { () throws(MemoryFailure) in
            _ = try store.change { (stored) throws(HouseholdError) in
                // Another one may have been founded or left meanwhile: that is the user's word.
                guard stored?.id == household.id else { return }
                try stored?.merge(household)
            }
        } then: { result in
            if case .failure(let failure) = result { self.complain(failure) }
        }
    }

    private func complain(_ failure: MemoryFailure) {
        guard !hasComplained else { return }
        hasComplained = true
        emit(.notice(.memory(.household(failure))))
    }

    private func perform(_ action: HouseholdMeetings<ConnectionID>.Action) {
        switch action {
        case .standing(let id, let standing): onStanding(id, standing)
        case .send(let id, let document): send(id, WireEncoder.household(document.withBytes { Array($0) }))
        case .store(let household): store(household)
        case .admitted(let name): emit(.notice(.household(.admitted(name))))
        case .full: tellFull()
        case .changed: onChange()
        }
    }
}

// Confined to its event loop.
extension HouseholdConnector: @unchecked Sendable {}
