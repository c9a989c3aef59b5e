import Households
import SecureChannel
import Testing
import TuttiRuntime

@testable import tutti

/// What `tutti household` understands and says.
@Suite(.timeLimit(.minutes(5))) struct HouseholdCommandTests {
    private let own = PeerKeyPair.random()
    private let kitchen = PeerKeyPair.random()

    private func home(_ names: [String] = ["Kitchen"]) throws -> Household {
        var home = try Household(name: "Home", founder: own, memberName: "Den")
        for (index, name) in names.enumerated() {
            let keys = index == 0 ? kitchen : .random()
            try home.admit(keys.signingKey, name: name, by: own)
        }
        return home
    }

    @Test func whatTheWordsAskFor() throws {
        let requests: [([String], HouseholdCommand.Request)] = [
            ([], .list), (["create"], .create(name: "Home")), (["create", "Cabin"], .create(name: "Cabin")),
            (["remove", "Living Room"], .remove("Living Room")), (["leave"], .leave), (["invite"], .invite),
        ]
        for (words, request) in requests { #expect(try HouseholdCommand.request(words) == request) }
        let long = String(repeating: "x", count: HouseholdLimits.nameByteCount + 1)
        for words in [
            ["create", "Living", "Room"], ["create", ""], ["create", long], ["create", "a\u{1B}b"], ["remove"],
            ["remove", "Living", "Room"], ["leave", "Home"], ["invite", "Attic"], ["Attic"],
        ] {
            #expect(throws: UsageError.self, "\(words)") { try HouseholdCommand.request(words) }
        }
    }

    @Test func hoursGoWithAnInvitation() throws {
        func hours(_ words: String...) throws -> Int64 {
            try HouseholdCommand(CommandArguments(words, syntax: HouseholdCommand.syntax)).hours
        }
        #expect(try hours("invite") == 24)
        #expect(try hours("invite", "--for", "2") == 2)
        for words in [["invite", "--for", "0"], ["invite", "--for", "9000"], ["leave", "--for", "2"]] {
            #expect(throws: UsageError.self, "\(words)") {
                try HouseholdCommand(CommandArguments(words, syntax: HouseholdCommand.syntax))
            }
        }
    }

    @Test func membersAreListedWithThisOneMarked() throws {
        let home = try home()
        #expect(HouseholdCommand.heading(home, own.key) == "household Home, 2 members")
        let lines = HouseholdCommand.table(home, own.key).lines(width: .max).map(\.text)
        #expect(lines.count == 3, "\(lines)")
        #expect(lines[1].hasPrefix("Den") && lines[1].contains("\(own.key)".prefix(8)))
        #expect(lines[1].hasSuffix("this machine"))
        #expect(lines[2].hasPrefix("Kitchen") && lines[2].contains("\(kitchen.key)".prefix(8)))
        #expect(!lines[2].contains("this machine"))
        #expect(
            HouseholdCommand.json(home, own.key).text == """
                {"household":"Home","id":"\(home.id)","standing":"member","members":[\
                {"name":"Den","key":"\(own.key)","isThisMachine":true},\
                {"name":"Kitchen","key":"\(kitchen.key)","isThisMachine":false}]}
                """)
    }

    @Test func withoutOneAndOutOfOne() throws {
        #expect(HouseholdCommand.heading(nil, own.key).hasPrefix("this machine is open: "))
        #expect(
            HouseholdCommand.json(nil, own.key).text
                == #"{"household":null,"id":null,"standing":"open","members":[]}"#)
        var home = try home()
        try home.remove(kitchen.signingKey, by: own)
        #expect(HouseholdCommand.heading(home, kitchen.key).hasPrefix("this machine was removed from the household"))
        #expect(HouseholdCommand.json(home, kitchen.key).text.contains(#""standing":"removed""#))
    }

    /// Nobody removed a machine whose key was lost: it says so, and what to do.
    @Test func aMachineWhoseKeyWasLost() throws {
        let new = PeerKeyPair.random().key
        let sentence =
            "this machine takes part with nobody: its key, which was lost or replaced, is not known to the household "
            + "Home; 'tutti household remove NAME' on a member removes the former key, then 'tutti household leave' and "
            + "'tutti pair' here let this machine in anew"
        let home = try home()
        #expect(HouseholdCommand.heading(home, new) == sentence)
        #expect(HouseholdCommand.json(home, new).text.contains(#""standing":"unknown""#))
        let notice = RuntimeNotice.household(.unknownKey("Home"))
        #expect(notice.sentence == sentence && notice.level == .warning)
        #expect(HouseholdChangeError.exists("Home", home.standing(of: new)).sentence == sentence)
    }

    // MARK: Who is meant

    private func failure(_ home: Household, _ text: String) -> RuntimeFailure? {
        do throws(RuntimeFailure) {
            _ = try home.member(meantBy: text)
            return nil
        } catch {
            return error
        }
    }

    @Test func aMemberIsMeantByNameOrByTheFirstDigitsOfItsKey() throws {
        let home = try home(["Kitchen", "Attic"])
        #expect(try home.member(meantBy: "Kitchen").peerKey == kitchen.key)
        #expect(try home.member(meantBy: String("\(kitchen.key)".prefix(8))).name == "Kitchen")
        #expect(try home.member(meantBy: "\(kitchen.key)".uppercased()).name == "Kitchen")
        #expect(failure(home, String("\(kitchen.key)".prefix(5)))?.kind == .unknownPeer)
    }

    @Test func aTypingErrorIsAnsweredWithTheNearestName() throws {
        let home = try home()
        let failure = try #require(self.failure(home, "Kitchn"))
        #expect(failure.kind == .unknownPeer)
        #expect(failure.sentence == "no member of Home is called 'Kitchn'; did you mean 'Kitchen'?")
    }

    @Test func ofSeveralOfOneNameTheKeyDecides() throws {
        let home = try home(["Kitchen", "Kitchen"])
        let failure = try #require(self.failure(home, "Kitchen"))
        #expect(failure.kind == .usage)
        let digits = home.members.filter { $0.name == "Kitchen" }.map(\.keyDigits).sorted()
        #expect(failure.sentence.hasSuffix("one of " + digits.joined(separator: ", ")))
        for text in digits { #expect(try home.member(meantBy: text).keyDigits == text) }
    }

    // MARK: Who was told

    @Test(
        arguments: [
            ([], [], "there is no other member"), (["Kitchen"], [], "told Kitchen"),
            (["Kitchen", "Attic"], ["Den"], "told Attic and Kitchen; Den hears of it when it meets a member"),
            (["Attic"], ["Den", "Bath"], "told Attic; Bath and Den hear of it when they meet a member"),
            ([], ["Den"], "no other member was found; Den hears of it when it meets one that knows"),
            (["g", "f", "e", "d", "c", "b", "a"], [], "told a, b, c, d, e and 2 others"),
        ] as [([String], [String], String)])
    func whoKnows(told: [String], others: [String], text: String) {
        #expect(MemberNewsSentence(told: told, others: others).text == text)
    }

    @Test(
        arguments: [
            ([], [], ["Den"], "nobody was told; Den does not take it: removed"),
            ([], ["Loft"], ["Den"], "nobody was told; Den does not take it: removed"),
            (
                ["Attic"], ["Loft"], ["Den", "Bath"],
                "told Attic; Loft hears of it when it meets a member; Bath and Den do not take it: removed"
            ),
        ] as [([String], [String], [String], String)])
    func whoDoesNotTakeIt(told: [String], others: [String], refusing: [String], text: String) {
        let refusal = (by: refusing, reason: "removed")
        #expect(MemberNewsSentence(told: told, others: others, refusal: refusal).text == text)
    }

    @Test func whoWasRemovedItselfIsToldSo() {
        let text = MemberNewsSentence(told: ["Den"], others: ["Loft"], expulsion: "this machine was removed").text
        #expect(text == "told Den; Loft hears of it when it meets a member; but this machine was removed")
    }
}
