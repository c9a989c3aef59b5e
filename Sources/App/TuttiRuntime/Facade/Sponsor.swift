import HouseholdSessions
import Households
import Pairing

/// A member that lets a new machine into its household: `tutti pair CODE`, without its terminal.
public final class Sponsor: Sendable {
    private let target: SponsorTarget
    private let code: PairingCode
    private let identity: Identity
    private let store: any HouseholdStore
    private let control = RunControl()

    /// - Parameters:
    ///   - code: as somebody read it from the new machine.
    ///   - identity: of this machine, a member.
    ///   - store: has the household.
    public init(target: SponsorTarget, code: PairingCode, identity: Identity, store: any HouseholdStore) {
        self.target = target
        self.code = code
        self.identity = identity
        self.store = store
    }

    /// Finds the machine, and lets it in. Blocks the calling thread.
    /// - Returns: its name and the household, stored on both; nil after a stop.
    /// - Throws: why it was not let in, or why that may have been of no use.
    public func run() throws(RuntimeFailure) -> (name: String, household: Household)? {
        try control.run { loop in
            let runner = SponsorRunner(
                target: self.target, code: self.code, identity: self.identity, store: self.store, loop: loop)
            self.control.onStop(loop) { runner.stop() }
            return runner.run()
        }
    }

    /// Ends it. Any thread may call this, also before `run`.
    public func stop() { control.stop() }
}
