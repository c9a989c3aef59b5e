import HouseholdSessions
import Households

/// A new machine that waits to be let into a household: `tutti pair`, without its terminal.
public final class Newcomer: Sendable {
    /// What to tell the person before the machine.
    public enum Event: Sendable {
        /// Others may reach this machine at these addresses, as far as it knows.
        case reachable([NetworkAddress])
        case pairing(NewcomerNotice)
        case network(NetworkNotice)
    }

    private let network: NetworkOptions
    private let identity: Identity
    private let store: any HouseholdStore
    private let control = RunControl()

    /// - Parameter store: has no household.
    public init(network: NetworkOptions, identity: Identity, store: any HouseholdStore) {
        self.network = network
        self.identity = identity
        self.store = store
    }

    /// Waits until a member has let this machine in, three tries have failed, or ``stop()``. Blocks the calling thread.
    /// - Parameter handler: called one call at a time, never on the calling thread. The code that it is given is for
    ///   the person before the machine alone.
    /// - Returns: the household, which is stored; nil after a stop.
    public func run(_ handler: @escaping @Sendable (Event) -> Void) throws(RuntimeFailure) -> Household? {
        try control.run { loop in
            let runner = NewcomerRunner(
                network: self.network, identity: self.identity, store: self.store, loop: loop, emit: handler)
            self.control.onStop(loop) { runner.stop() }
            return runner.run()
        }
    }

    /// Ends it. Any thread may call this, also before `run`.
    public func stop() { control.stop() }
}
