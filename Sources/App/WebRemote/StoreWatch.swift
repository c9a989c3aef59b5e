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

    /// What was found by the last look.
    private struct Found: Sendable {
        var stamps: (GuestStamp, HouseholdVersion?)?
        var reading: Reading
    }

    private let guests: any GuestStore
    private let household: StoredHousehold?
    private let take: @Sendable (Reading) -> Void
    private let fail: @Sendable (String) -> Void
    private let found: Mutex<Found>
    private let thread: PeriodicThread

    /// - Parameters:
    ///   - household: where it is kept; nil where nothing is.
    ///   - take: called once at first, and after each change; `fail` after a change that cannot be read.
    init(
        _ guests: any GuestStore, _ household: StoredHousehold?, take: @escaping @Sendable (Reading) -> Void,
        fail: @escaping @Sendable (String) -> Void
    ) throws(DescriptorError) {
        self.guests = guests
        self.household = household
        self.take = take
        self.fail = fail
        found = Mutex(Found(reading: Reading(guests: [], isInHousehold: household?.household != nil)))
        thread = try PeriodicThread(name: "tutti guests", pause: .milliseconds(500))
    }

    func start() throws(HostThreadError) { try thread.start { self.look() } }

    /// Ends it, and waits until it has ended.
    func stop() { thread.stop() }

    private func look() {
        // First, so that what changes while it is read is seen.
        let stamps = (guests.stamp, household?.store.version())
        let reading = found.withLock { found -> Reading? in
            guard found.stamps?.0 != stamps.0 || found.stamps?.1 != stamps.1 else { return nil }
            found.stamps = stamps
            read(&found.reading)
            return found.reading
        }
        if let reading { take(reading) }
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
