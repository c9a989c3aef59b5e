import Households
import NIOCore
import NIOPosix
import SecureChannel
import Testing

@testable import TuttiRuntime

/// What the user allows to others, as the sessions of a machine are told of it.
@Suite(.timeLimit(.minutes(5))) struct ChosenAccessTests {
    /// A store that nobody has put anything into.
    private struct EmptyStore: HouseholdStore {
        func load() throws(MemoryFailure) -> Household? { nil }

        func change(
            _ body: (inout Household?) throws(HouseholdError) -> Void
        ) throws(MemoryFailure) -> Result<Household?, HouseholdError> { .success(nil) }

        func version() -> HouseholdVersion { HouseholdVersion() }
    }

    /// Returns the policy of a machine with a household, or without one, whose user chose this.
    private func policy(
        isInHousehold: Bool, _ right: AccessRight, for audience: Audience
    ) throws -> AccessPolicy {
        let keys = PeerKeyPair.random()
        var household: Household?
        if isInHousehold { household = try Household(name: "Home", founder: keys, memberName: "Den") }
        var identity = Identity(keys: keys, name: "Den")
        identity.household = StoredHousehold(household, in: EmptyStore())
        var network = NetworkOptions()
        network.access.allow(right, for: audience)
        // That of the options does not matter.
        network.access.household = "Elsewhere"
        let loop = MultiThreadedEventLoopGroup.singleton.any()
        let connector = HouseholdConnector(identity: identity, loop: loop) { _ in }
        return connector.policy(network.access)
    }

    @Test(arguments: [.listen, .command, .broadcast] as [AccessRight], Audience.allCases)
    func aChoiceHoldsInAHouseholdAndWithoutOne(right: AccessRight, audience: Audience) throws {
        let home = try policy(isInHousehold: true, right, for: audience)
        #expect(home.household == "Home" && home.audience(of: right) == audience)
        for other in AccessRight.allCases where other != right { #expect(home.audience(of: other) == .members) }
        let open = try policy(isInHousehold: false, right, for: audience)
        #expect(open.household == nil && open.audience(of: right) == audience)
        for other in AccessRight.allCases where other != right && other != .store {
            #expect(open.audience(of: other) == .anyone)
        }
    }
}
