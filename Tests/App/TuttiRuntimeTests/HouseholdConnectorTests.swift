import Households
import NIOCore
import NIOPosix
import SecureChannel
import Testing

@testable import TuttiRuntime

/// What a session says of this machine's place in its household.
@Suite(.timeLimit(.minutes(5))) struct HouseholdConnectorTests {
    private struct FixedStore: HouseholdStore {
        let household: Household?

        func load() throws(MemoryFailure) -> Household? { household }

        func change(
            _ body: (inout Household?) throws(HouseholdError) -> Void
        ) throws(MemoryFailure) -> Result<Household?, HouseholdError> { .success(household) }

        func version() -> HouseholdVersion { HouseholdVersion() }
    }

    private let founder = PeerKeyPair.random()
    private let removed = PeerKeyPair.random()

    private func notice(_ keys: PeerKeyPair, in household: Household?) throws -> HouseholdNotice {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        defer { try? group.syncShutdownGracefully() }
        let loop: any EventLoop = group.next()
        return try loop.submit {
            var identity = Identity(keys: keys)
            identity.household = StoredHousehold(household, in: FixedStore(household: household))
            return HouseholdConnector(identity: identity, loop: loop) { _ in }.notice
        }.wait()
    }

    @Test func aKeyThatTheHouseholdNeverHadIsNotCalledRemoved() throws {
        var home = try Household(name: "Home", founder: founder, memberName: "Den")
        try home.admit(removed.signingKey, name: "Attic", by: founder)
        try home.remove(removed.signingKey, by: founder)
        #expect(try notice(founder, in: nil) == .open)
        #expect(try notice(founder, in: home) == .member("Home"))
        #expect(try notice(removed, in: home) == .removed("Home"))
        #expect(try notice(.random(), in: home) == .unknownKey("Home"))
    }
}
