import Households
import Testing

@Suite(.timeLimit(.minutes(5)))
struct AccessPolicyTests {
    private let uses: [AccessRight] = [.listen, .broadcast, .command]

    @Test func inOpenModeAnyoneMayUseButNotStore() {
        let policy = AccessPolicy()
        for right in uses { #expect(policy.denial(of: right, to: .stranger) == nil) }
        #expect(policy.denial(of: .store, to: .stranger) == .thisMachineOnly)
    }

    @Test func inAHouseholdMembersMayAndNobodyElse() {
        let policy = AccessPolicy(household: "Home")
        for right in AccessRight.allCases {
            #expect(policy.denial(of: right, to: .member) == nil)
            #expect(policy.denial(of: right, to: .stranger) == .membersOnly(household: "Home"))
            #expect(policy.denial(of: right, to: .removed) == .removed(household: "Home", lately: false))
        }
    }

    @Test func whatTheUserChoseCounts() {
        var policy = AccessPolicy(household: "Home")
        policy.allow(.listen, for: .anyone)
        policy.allow(.command, for: .nobody)
        #expect(policy.denial(of: .listen, to: .stranger) == nil)
        #expect(policy.denial(of: .command, to: .member) == .nobody)
        #expect(policy.denial(of: .broadcast, to: .stranger) == .membersOnly(household: "Home"))
        var open = AccessPolicy()
        open.allow(.listen, for: .members)
        #expect(open.denial(of: .listen, to: .stranger) == .noHousehold)
    }

    /// A stranger is told neither a household's name nor who belongs to it.
    @Test(
        arguments: [
            (
                .membersOnly(household: "Home"),
                "it takes part only with members of its household: run 'tutti pair' here, and type the code there"
            ),
            (
                .removed(household: "Home", lately: false),
                "this machine was removed from the household Home: 'tutti household leave' here begins anew, then "
                    + "'tutti pair' here and the code there let it in"
            ),
            (
                .noHousehold,
                "it is for members of a household, and there is none: run 'tutti household create' there, 'tutti pair' "
                    + "here, and type the code there"
            ),
            (
                .thisMachineOnly,
                "without a household only the machine itself may change what stays behind; 'tutti household create' "
                    + "there"
            ),
            (
                .nobody,
                "it is allowed to nobody: start it there without --allow-listen, --allow-command or --allow-broadcast "
                    + "nobody"
            ),
        ] as [(AccessDenial, String)])
    func whoMayNotIsToldWhatToDo(denial: AccessDenial, text: String) {
        #expect(denial.text == text)
    }

    @Test func thisMachineMayDoEverything() {
        var policy = AccessPolicy(household: "Home")
        for right in uses { policy.allow(right, for: .nobody) }
        for policy in [AccessPolicy(), policy] {
            for right in AccessRight.allCases { #expect(policy.denial(of: right, to: .thisMachine) == nil) }
        }
    }
}
