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
    private struct News: Sendable {
        var guests: [String] = []
        var isInHousehold = false
        var count = 0
        var failures: [String] = []
    }

    /// Waits for one more reading than there were.
    private func next(_ news: borrowing Mutex<News>, after count: Int) async throws -> News {
        for _ in 0..<1_000 where news.withLock({ $0.count }) == count { try await Task.sleep(for: .milliseconds(10)) }
        return news.withLock { $0 }
    }

    @Test func whatIsBrokenHidesNothingOfTheOther() async throws {
        let store = ScriptedStore()
        let anna = Guest(name: "Anna", role: .listen, ends: .max)
        let home = try Household(name: "Home", founder: .random(), memberName: "Den")
        store.set(household: .some(nil))
        let news = Mutex(News())
        let watch = try StoreWatch(store, StoredHousehold(nil, in: store)) { reading in
            news.withLock {
                ($0.guests, $0.isInHousehold) = (reading.guests.map(\.name), reading.isInHousehold)
                $0.count += 1
            }
        } fail: { message in
            news.withLock { $0.failures.append(message) }
        }
        try watch.start()
        defer { watch.stop() }
        var seen = try await next(news, after: 0)
        #expect(seen.guests.isEmpty && !seen.isInHousehold && seen.failures.isEmpty)
        // The guests stay as they were, and the household's news come.
        store.set(guests: nil)
        seen = try await next(news, after: seen.count)
        store.set(household: .some(home))
        seen = try await next(news, after: seen.count)
        #expect(seen.isInHousehold && Set(seen.failures) == ["broken guests"])
        // And the reverse.
        store.set(household: nil)
        seen = try await next(news, after: seen.count)
        store.set(guests: [anna])
        seen = try await next(news, after: seen.count)
        #expect(seen.guests == ["Anna"] && seen.isInHousehold && seen.failures.contains("broken household"))
    }
}
