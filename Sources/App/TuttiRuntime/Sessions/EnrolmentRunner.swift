import Cryptography
import Households
import NIOCore
import Peering
import SecureChannel
import WireProtocol

/// One enrolment while it runs: the round, the documents that come, and the store. Confined to its event loop.
final class EnrolmentRunner {
    private let invitation: Invitation
    private let identity: Identity
    private let store: any HouseholdStore
    private let addresses: [NetworkAddress]
    private let usesDiscovery: Bool
    private let loop: any EventLoop
    private let emit: @Sendable (RuntimeEvent) -> Void
    private let work: WorkQueue
    private var round: RoundRunner?
    private var watch: RepeatedTask?
    private var isEnrolled = false
    /// Who was told of.
    private var refusers: Set<PeerKey> = []

    private static let interval = TimeAmount.seconds(1)
    private static let refuserLimit = 64

    init(
        _ invitation: Invitation, identity: Identity, store: any HouseholdStore, addresses: [NetworkAddress],
        usesDiscovery: Bool, loop: any EventLoop, emit: @escaping @Sendable (RuntimeEvent) -> Void
    ) {
        self.invitation = invitation
        self.identity = identity
        self.store = store
        self.addresses = addresses
        self.usesDiscovery = usesDiscovery
        self.loop = loop
        self.emit = emit
        work = WorkQueue(loop: loop)
    }

    func run() -> EventLoopFuture<RuntimeOutcome> {
        var options = RoundRunner.Options(purpose: .enrolling, addresses: addresses, usesDiscovery: usesDiscovery)
        options.invitation = { [invitation, identity] binding in
            // Without a name that a member can have it shows nothing, and is let in by nobody.
            (try? invitation.request(for: identity.keys, name: identity.name, over: binding))?.encoded() ?? []
        }
        options.onDocument = { [weak self] document, sender in self?.take(document, from: sender) }
        options.onRefusal = { [weak self] key, name, refusal in self?.tell(of: refusal, by: name, key) }
        let round = RoundRunner(options, identity: identity, loop: loop)
        self.round = round
        watch = loop.scheduleRepeatedTask(initialDelay: Self.interval, delay: Self.interval) { [weak self] _ in
            self?.review()
        }
        return round.run().map { _ in self.isEnrolled ? .completed : .interrupted }.afterTearDown {
            self.watch?.cancel()
            return self.work.finish()
        }
    }

    func stop() { round?.stop() }

    /// Anybody may send one.
    private func take(_ document: ByteBuffer, from sender: PeerKey) {
        guard !isEnrolled,
            let household = try? invitation.household(
                decoding: Array(document.readableBytesView), from: sender, for: identity.keys.key)
        else { return }
        perform { [store] () throws(MemoryFailure) in
            _ = try store.change { (stored) throws(HouseholdError) in
                // Another process may have been faster; another household is the user's word.
                guard stored == nil else { return }
                stored = household
            }
            return true
        }
    }

    /// A member that lets this machine in does not refuse it. Told once of each; the search goes on, since anybody may
    /// refuse.
    private func tell(of refusal: Refusal, by name: String, _ key: PeerKey) {
        guard refusal.reason == .notAllowed, refusers.count < Self.refuserLimit, refusers.insert(key).inserted else {
            return
        }
        emit(.notice(.household(.notLetIn(by: name, reason: refusal.text))))
    }

    /// The time may be over, or the user may have paired this machine meanwhile.
    private func review() {
        if invitation.voucher.isOver(at: WallClock.seconds()) {
            round?.fail(
                RuntimeFailure(
                    .unavailable, .household(.invitationIsOver(invitation.voucher.householdName))))
        }
        perform { [store] () throws(MemoryFailure) in try store.load() != nil }
    }

    private func perform(_ ask: @escaping @Sendable () throws(MemoryFailure) -> Bool) {
        work.perform(ask) { result in
            switch result {
            case .success(false): break
            case .success(true):
                self.isEnrolled = true
                self.round?.stop()
            case .failure(let failure):
                self.round?.fail(RuntimeFailure(.cannotCreate, .other(failure.message)))
            }
        }
    }
}

// Confined to its event loop.
extension EnrolmentRunner: @unchecked Sendable {}
