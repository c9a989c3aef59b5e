import HostSystem
import Households
import Synchronization

/// Looks once a second whether another process of this machine changed what is stored of its household. On a thread of
/// its own: a disk may not answer, and a listener's event loop should not be woken to learn that nothing changed.
final class HouseholdWatch: Sendable {
    /// What is stored now; a failure if it cannot be read any more.
    typealias Reading = Result<Household?, MemoryFailure>

    private let store: any HouseholdStore
    private let take: @Sendable (Reading) -> Void
    /// What was found by the last look.
    private let known: Mutex<HouseholdVersion?>
    private let thread: PeriodicThread

    /// Begins to look.
    /// - Parameters:
    ///   - version: of what is known already; nil where that is not known.
    ///   - take: called on the thread with each change.
    /// - Throws: if the process has no descriptor or thread left.
    init(
        _ store: any HouseholdStore, since version: HouseholdVersion?, take: @escaping @Sendable (Reading) -> Void
    ) throws(RuntimeFailure) {
        self.store = store
        self.take = take
        known = Mutex(version)
        do throws(DescriptorError) { thread = try PeriodicThread(name: "tutti household", pause: .seconds(1)) } catch {
            throw .outOfResources(code: error.code)
        }
        do throws(HostThreadError) { try thread.start { self.look() } } catch {
            throw .outOfResources(code: error.code)
        }
    }

    /// Ends it, and waits until a look that is under way is over, however long the disk takes.
    func stop() { thread.stop() }

    private func look() {
        // First, so that what changes while it is read is seen.
        let found = store.version()
        let isKnown = known.withLock { known in
            defer { known = found }
            return known == found
        }
        if !isKnown { take(Result { () throws(MemoryFailure) in try store.load() }) }
    }
}
