import HouseholdSessions
import Pairing
import Peering
import Testing
import TuttiRuntime
import WireProtocol

@testable import tutti

/// What is typed after `tutti pair`, and what it says.
@Suite(.timeLimit(.minutes(5))) struct PairCommandTests {
    private func command(_ words: String...) throws(UsageError) -> PairCommand {
        try PairCommand(CommandArguments(words, syntax: PairCommand.syntax))
    }

    private func request(_ words: [String]) throws -> (code: String, target: SponsorTarget)? {
        let command = try PairCommand(CommandArguments(words, syntax: PairCommand.syntax))
        guard case .admit(.code(let code), let target) = command.request else { return nil }
        return (code.displayText, target)
    }

    @Test(arguments: [
        (["12345678"], SponsorTarget.any), (["1234", "5678"], .any), (["1234-5678"], .any), (["1234 5678"], .any),
        (["1234", "5678", "Living Room"], .named("Living Room")), (["12345678", "Kitchen"], .named("Kitchen")),
        (["12345678", "10.0.0.7"], .address(NetworkAddress(host: "10.0.0.7"))),
        (["1234", "5678", "[fe80::1]:7"], .address(NetworkAddress(host: "fe80::1", port: 7))),
    ])
    func aCodeIsOneWordOrTwo(words: [String], target: SponsorTarget) throws {
        let request = try #require(try request(words))
        #expect(request.code == "1234 5678" && request.target == target)
    }

    @Test func withoutACodeItWaits() throws {
        guard case .wait(let network) = try command("--port", "7").request else { Issue.record("no wait"); return }
        #expect(network.port == 7 && network.usesDiscovery)
    }

    @Test func theCodeMayComeFromStandardInput() throws {
        guard case .admit(.standardInput, .named("Kitchen")) = try command("-", "Kitchen").request else {
            Issue.record("not from standard input")
            return
        }
    }

    /// What was typed may be nearly a code, and is not repeated.
    @Test(arguments: [["2345678"], ["9876", "543"], ["Kitchen"], ["234567890"]])
    func whatIsNoCodeIsNotRepeated(words: [String]) {
        let error = #expect(throws: UsageError.self) { try request(words) }
        #expect(words.allSatisfy { error?.message.contains($0) == false }, "\(error?.message ?? "")")
    }

    @Test func whatDoesNotGoTogetherIsRefused() {
        #expect(throws: UsageError.self) { try command("12345678", "--no-mdns") }
        #expect(throws: UsageError.self) { try command("12345678", "Kitchen", "Den") }
        #expect(throws: UsageError.self) { try command("12345678", "http://kitchen.local/") }
    }

    // MARK: What the new machine shows

    private let code = PairingCode("12345678")!
    private let party = PairingParty(connection: ConnectionID(1), name: "Den", address: "10.0.0.2")

    @Test func aCodeIsShownWithTheWordsToType() {
        let address = NetworkAddress(host: "10.0.0.7")
        let other = NetworkAddress(host: "192.168.1.7", port: 4_711)
        #expect(
            PairingDisplay.lines(.code(code, isFirst: true), [address]) == [
                "on a machine of the household, type:  tutti pair 1234 5678",
                "  if it does not find this one:  tutti pair 1234 5678 10.0.0.7",
            ])
        #expect(
            PairingDisplay.lines(.code(code, isFirst: true), [other, address]).last
                == "  if it does not find this one:  tutti pair 1234 5678 192.168.1.7:4711  (or 10.0.0.7)")
        #expect(PairingDisplay.lines(.code(code, isFirst: true), []).count == 1)
        #expect(
            PairingDisplay.lines(.code(code, isFirst: false), [address]) == [
                "another code holds now:  tutti pair 1234 5678"
            ])
    }

    private static let failures: [(failure: PairingTryFailure, sentence: String)] = [
        (.wrongCode, "typed another code"), (.lost, "was lost in the middle"), (.timedOut, "took too long"),
        (.refused("full"), "gave up: full"),
        (.malformed, "said what makes no sense here: install the same release on both"),
        (
            .unusableHousehold(.malformed), "sent no household with both machines in it: its document is damaged"
        ),
    ]

    @Test(arguments: failures.indices) func aFailureNamesWhoFailed(index: Int) {
        let (failure, sentence) = Self.failures[index]
        #expect(
            PairingDisplay.lines(.failed(party, failure, left: 1), [])
                == ["Den at 10.0.0.2 \(sentence); one try is left"])
    }

    // MARK: What the member is told

    private static let endings: [(failure: SponsorFailure, target: SponsorTarget, sentence: String)] = [
        (
            .ambiguous(["Attic", "Living Room"]), .any,
            "several machines wait to be paired: Attic, Living Room; write the name behind the code, as in "
                + "tutti pair CODE 'Attic'"
        ),
        (
            .notFound(others: ["Kitchen"]), .named("Kitschen"),
            "no machine named 'Kitschen' waits to be paired; did you mean 'Kitchen'?"
        ),
        (
            .notFound(others: []), .any,
            "no machine was found in 3 s that waits to be paired: run 'tutti pair' on the new one, and if it runs there, "
                + "write the address that it shows behind the code"
        ),
        (
            .noAnswer, .address(NetworkAddress(host: "10.0.0.7")),
            "nobody answered at 10.0.0.7:28884 in 3 s; is 'tutti pair' running there, and does a firewall let it "
                + "through?"
        ),
        (.wrongCode("Kitchen"), .any, "Kitchen shows another code than that; type the one that it shows now"),
        (.turnedAway(by: "Kitchen", .busy, "later"), .any, "Kitchen refuses: later"),
        (
            .notAdmitted("Kitchen", .household(.removedKey)), .any,
            "Kitchen was not let in: its key was removed from the household, and never comes back; 'tutti household "
                + "leave' there makes a new one"
        ),
        (
            .unconfirmed("Kitchen", reason: "no room"), .any,
            "Kitchen was let in, but did not say that it has the household (no room); unless it says so on its screen, "
                + "run 'tutti pair' there again"
        ),
    ]

    @Test(arguments: endings.indices) func aFailureSaysWhatToDo(index: Int) {
        let (failure, target, sentence) = Self.endings[index]
        #expect(failure.sentence(target) == sentence)
    }
}
