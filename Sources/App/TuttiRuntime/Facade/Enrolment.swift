import Cryptography
import Households
import NIOCore
import NIOPosix
import Peering
import SecureChannel
import WireProtocol

/// Brings this machine into a household by an invitation, without anybody at it.
public final class Enrolment: Sendable {
    private let invitation: Invitation
    private let identity: Identity
    private let store: any HouseholdStore
    private let addresses: [NetworkAddress]
    private let usesDiscovery: Bool
    private let control = RunControl()

    /// - Parameters:
    ///   - addresses: of Tuttis to ask, beside those that mDNS finds.
    ///   - usesDiscovery: whether mDNS is used.
    public init(
        _ invitation: Invitation, as identity: Identity, in store: any HouseholdStore, addresses: [NetworkAddress],
        usesDiscovery: Bool
    ) {
        self.invitation = invitation
        self.identity = identity
        self.store = store
        self.addresses = addresses
        self.usesDiscovery = usesDiscovery
    }

    /// Returns whether there is anything to do: nothing if this machine is a member of that household already, whatever
    /// has become of the invitation.
    /// - Throws: if the invitation is of no use here.
    public func isNeeded(at unixTime: Int64) throws(RuntimeFailure) -> Bool {
        let voucher = invitation.voucher
        if let household = identity.household?.household {
            guard household.id == voucher.household else {
                throw RuntimeFailure(.notAllowed, .household(.otherHousehold(household.name)))
            }
            switch household.standing(of: identity.keys.key) {
            case .member: return false
            case .removed: throw RuntimeFailure(.notAllowed, .household(.removed(household.name)))
            case .unknown: throw RuntimeFailure(.notAllowed, .household(.unknownKey(household.name)))
            }
        }
        if voucher.isOver(at: unixTime) { throw expired }
        guard usesDiscovery || !addresses.isEmpty else { throw RuntimeFailure(.usage, .household(.nobodyToAsk)) }
        return true
    }

    /// Asks every Tutti that is found, again and again, until a member lets this machine in, and stores the household.
    /// Blocks the calling thread.
    /// - Throws: when the invitation ends before that.
    public func run(_ handler: @escaping @Sendable (RuntimeEvent) -> Void) throws(RuntimeFailure) -> RuntimeOutcome {
        guard try isNeeded(at: WallClock.seconds()) else { return .completed }
        handler(.notice(.household(.waiting(invitation.voucher.householdName))))
        return try control.run { loop in
            let runner = EnrolmentRunner(
                self.invitation, identity: self.identity, store: self.store, addresses: self.addresses,
                usesDiscovery: self.usesDiscovery, loop: loop, emit: handler)
            self.control.onStop(loop) { runner.stop() }
            return runner.run()
        }
    }

    /// Gives up. Any thread may call it, also before ``run(_:)``.
    public func stop() { control.stop() }

    /// See ``Listener/askForSignOfLife(_:)``.
    public func askForSignOfLife(_ answer: @escaping @Sendable () -> Void) { control.execute(answer) }

    private var expired: RuntimeFailure {
        RuntimeFailure(.unavailable, .household(.invitationIsOver(invitation.voucher.householdName)))
    }
}
