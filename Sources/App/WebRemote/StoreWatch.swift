import AudioCore
import HostSystem
import Synchronization
import TuttiRuntime

/// Looks twice a second whether this machine's guests or its household changed. On a thread of its own, since both may
/// have to be read from a disk.
final class StoreWatch: Sendable {
    /// What is stored.
    struct Reading: Sendable {
        var guests: [Guest]
        var isInHousehold: Bool
    }

    private static let interval = TimeSpan.milliseconds(500)

    private let guests: any GuestStore
    private let household: StoredHousehold?
    private let take: @Sendable (Reading) -> Void
    private let fail: @Sendable (String) -> Void
    private let wake: WakeSignal
    private let isStopped = Mutex(false)
    private let thread = Mutex<HostThread?>(nil)

    /// - Parameters:
    ///   - household: where it is kept; nil where nothing is.
    ///   - take: called once at first, and after each change; `fail` after a change that cannot be read.
    init(
        _ guests: any GuestStore, _ household: StoredHousehold?, take: @escaping @Sendable (Reading) -> Void,
        fail: @escaping @Sendable (String) -> Void
    ) throws(WakeSignalError) {
        self.guests = guests
        self.household = household
        self.take = take
        self.fail = fail
        wake = try WakeSignal()
    }

    func start() throws(HostThreadError) {
        let thread = try HostThread(name: "tutti guests") { self.run() }
        self.thread.withLock { $0 = thread }
    }

    /// Ends it, and waits until it has ended.
    func stop() {
        isStopped.withLock { $0 = true }
        wake.signal()
        thread.withLock { $0 }?.join()
    }

    private func run() {
        var seen: (GuestStamp, HouseholdVersion?)?
        var reading = Reading(guests: [], isInHousehold: household?.household != nil)
        while !isStopped.withLock({ $0 }) {
            // First, so that what changes while it is read is seen.
            let found = (guests.stamp, household?.store.version())
            if seen?.0 != found.0 || seen?.1 != found.1 {
                seen = found
                read(&reading)
                take(reading)
            }
            wake.wait(atMost: Self.interval)
        }
    }

    /// What cannot be read stays as it was, and hides nothing of the other.
    private func read(_ reading: inout Reading) {
        do throws(MemoryFailure) {
            if let household { reading.isInHousehold = try household.store.load() != nil }
        } catch {
            fail(error.message)
        }
        do throws(MemoryFailure) {
            reading.guests = try guests.guests()
        } catch {
            fail(error.message)
        }
    }
}
