import Households
import Testing
import TuttiRuntime

@testable import tutti

/// What users allow to others, and what the options say then.
@Suite(.timeLimit(.minutes(5))) struct AccessFlagsTests {
    /// The options of the command that has the flag.
    private func network(_ flag: String, _ audience: String) throws(UsageError) -> NetworkOptions {
        if flag == "--allow-broadcast" {
            return try JoinCommand(CommandArguments([flag, audience], syntax: JoinCommand.syntax)).options.network
        }
        let words = [flag, audience, "song.mp3"]
        return try BroadcastCommand(CommandArguments(words, syntax: BroadcastCommand.syntax)).options.network
    }

    @Test(
        arguments: [("--allow-listen", .listen), ("--allow-command", .command), ("--allow-broadcast", .broadcast)]
            as [(String, AccessRight)], Audience.allCases)
    func eachFlagGivesItsOwnRight(flag: (name: String, right: AccessRight), audience: Audience) throws {
        var policy = try network(flag.name, audience.rawValue).access
        #expect(policy.household == nil && policy.audience(of: flag.right) == audience)
        policy.household = "Home"
        #expect(policy.audience(of: flag.right) == audience)
        for other in AccessRight.allCases where other != flag.right {
            #expect(policy.audience(of: other) == .members, "\(other)")
        }
    }

    @Test func withoutFlagsTheMachinesOwnRulesHold() throws {
        let command = try BroadcastCommand(CommandArguments(["song.mp3"], syntax: BroadcastCommand.syntax))
        #expect(command.options.network.access == AccessPolicy())
    }

    @Test(
        arguments: ["--allow-listen", "--allow-command", "--allow-broadcast"],
        ["", "member", "Anyone", "everybody"])
    func whatIsNoChoiceIsRefusedAndTheChoicesAreNamed(flag: String, text: String) {
        let error = #expect(throws: UsageError.self) { try network(flag, text) }
        #expect(error?.message == "\(flag) takes anyone, members or nobody, not '\(text)'")
    }

    /// Who joins feeds nobody, and who broadcasts is fed by nobody.
    @Test func aFlagThatWouldChangeNothingIsUnknown() {
        #expect(throws: UsageError.self) {
            _ = try JoinCommand(CommandArguments(["--allow-listen", "anyone"], syntax: JoinCommand.syntax))
        }
        #expect(throws: UsageError.self) {
            let words = ["--allow-broadcast", "anyone", "song.mp3"]
            _ = try BroadcastCommand(CommandArguments(words, syntax: BroadcastCommand.syntax))
        }
    }
}
