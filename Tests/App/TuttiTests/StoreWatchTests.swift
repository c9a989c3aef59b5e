import Households
import Synchronization
import Testing
import TuttiRuntime

@testable import WebRemote

/// Guests and a household that the test changes, or breaks.
private final class ScriptedStore: GuestStore, HouseholdStore {
    private struct Contents {
        var guests: [Guest]? = []
        var household: Household??
        var version = 0
    }

    private let held = Mutex(Contents())

    /// Nil: they cannot be read.
    func set(guests: [Guest]?) {
        held.withLock { contents in
            contents.guests = guests
            contents.version += 1
        }
    }

    /// Nil: it cannot be read.
    func set(household: Household??) {
        held.withLock { contents in
            contents.household = household
            contents.version += 1
        }
    }

    func guests() throws(MemoryFailure) -> [Guest] {
        guard let guests = held.withLock({ $0.guests }) else { throw MemoryFailure("broken guests") }
        return guests
    }

    func load() throws(MemoryFailure) -> Household? {
        guard let household = held.withLock({ $0.household }) else { throw MemoryFailure("broken household") }
        return household
    }

    func change(
        _ body: (inout Household?) throws(HouseholdError) -> Void
    ) throws(MemoryFailure) -> Result<Household?, HouseholdError> { .success(try load()) }

    var stamp: GuestStamp { GuestStamp([held.withLock { $0.version }]) }

    func version() -> HouseholdVersion { HouseholdVersion([held.withLock { $0.version }]) }
}

/// What the page is told of this machine's files.
@Suite(.timeLimit(.minutes(5))) struct StoreWatchTests {
    @Test func whatIsBrokenHidesNothingOfTheOther() async throws {
        let store = ScriptedStore()
        let anna = Guest(name: "Anna", role: .listen, ends: .max)
        let home = try Household(name: "Home", founder: .random(), memberName: "Den")
        store.set(household: .some(nil))
        let (stream, continuation) = AsyncStream<StoreWatch.Reading>.makeStream()
        var readings = stream.makeAsyncIterator()
        let failures = Mutex<[String]>([])
        let watch = try StoreWatch(store, StoredHousehold(nil, in: store)) { reading in
            continuation.yield(reading)
        } fail: { message in
            failures.withLock { $0.append(message) }
        }
        try watch.start()
        defer { watch.stop() }
        var reading = await readings.next()
        #expect(reading?.guests.isEmpty == true && reading?.isInHousehold == false)
        #expect(failures.withLock { $0.isEmpty })
        // The guests stay as they were, and the household's news come.
        store.set(guests: nil)
        _ = await readings.next()
        store.set(household: .some(home))
        reading = await readings.next()
        #expect(reading?.isInHousehold == true && Set(failures.withLock { $0 }) == ["broken guests"])
        // And the reverse.
        store.set(household: nil)
        _ = await readings.next()
        store.set(guests: [anna])
        reading = await readings.next()
        #expect(reading?.guests.map(\.name) == ["Anna"] && reading?.isInHousehold == true)
        #expect(failures.withLock { $0.contains("broken household") })
    }
}
