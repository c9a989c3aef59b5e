import AudioCore
import Observing
import Peering
import Testing
import TuttiRuntime

@testable import tutti

/// `tutti check`: what is asked, and what is said.
@Suite(.timeLimit(.minutes(5))) struct CheckCommandTests {
    private func check(_ words: String...) throws(UsageError) -> CheckOptions {
        try CheckCommand(CommandArguments(words, syntax: CheckCommand.syntax)).options
    }

    @Test func arguments() throws {
        #expect(try check().duration == .seconds(30))
        #expect(try check().limit == .microseconds(100))
        let options = try check("den:77", "--for", "5min", "--within=0.5ms")
        #expect(options.address == NetworkAddress(host: "den", port: 77))
        #expect(options.duration == .seconds(300))
        #expect(options.limit == .microseconds(500))
        #expect(options.browserLimit == .milliseconds(10))
        #expect(try check("--browsers-within", "2ms").browserLimit == .milliseconds(2))
        #expect(try check("--from", "A,B", "--within", "40µs").from == ["A", "B"])
    }

    @Test(arguments: [
        (["--for", "30"], "--for takes a time with its unit (us, ms, s, min, h): 30s, not '30'"),
        (["--within", "soon"], "--within takes a time with its unit (us, ms, s, min, h): 100us, not 'soon'"),
        (["--within", "-5us"], "--within takes a time with its unit (us, ms, s, min, h): 100us, not '-5us'"),
        (["--within", "0us"], "--within takes 1 us to 10.0 s, not '0us'"),
        (["--for", "1e9h"], "--for takes a time with its unit (us, ms, s, min, h): 30s, not '1e9h'"),
        (["--for", "99999999999999999999h"], "--for takes 1000.0 ms to 86400.0 s, not '99999999999999999999h'"),
        (["den", "--from", "A"], "HOST and --from exclude each other"),
    ])
    func usageErrors(words: [String], message: String) {
        let error = #expect(throws: UsageError.self) {
            try CheckCommand(CommandArguments(words, syntax: CheckCommand.syntax))
        }
        #expect(error?.message == message)
    }

    private func finding(
        _ reason: SyncFinding.Reason = .correcting(PartsPerMillion(-9.8)), other: String? = "Kitchen",
        distance: Int64 = 240
    ) -> SyncFinding {
        SyncFinding(
            culprit: "Attic", other: other, distance: .microseconds(distance),
            timing: Sample.timing(error: 180, bound: 40), after: .seconds(12), reason: reason)
    }

    private func result(_ worst: SyncFinding?, objection: SyncFinding? = nil, hasEnded: Bool = false) -> CheckResult {
        CheckResult(
            broadcaster: "Den", limit: .microseconds(100), watched: .milliseconds(30_100), listenerCount: 3,
            objection: objection, worst: worst, hasEnded: hasEnded)
    }

    @Test func verdicts() {
        #expect(
            result(finding(distance: 24)).verdict
                == "Den: 3 listeners stayed within 24 us of each other for 30 s (limit 100 us; the farthest were Attic and "
                + "Kitchen)")
        #expect(
            result(finding(other: nil, distance: 24), hasEnded: true).verdict
                == "Den: its one listener, Attic, stayed within 24 us of the timeline for 30 s (limit 100 us); "
                + "the broadcast ended then")
        #expect(
            result(finding(), objection: finding()).verdict
                == "Den: Attic and Kitchen were up to 240 us apart (limit 100 us), 12 s into the check. "
                + "Attic: error +180 +/- 40 us: it is correcting that at -9.8 ppm")
        #expect(
            result(nil, objection: finding(.xruns(2), other: nil)).verdict
                == "Den: Attic was up to 240 us from the timeline (limit 100 us), 12 s into the check. "
                + "Attic: error +180 +/- 40 us: its sound card ran out of frames (2 xruns)")
        #expect(
            result(finding(), objection: finding(.starved, other: nil)).verdict
                == "Den: Attic fell silent, 12 s into the check. Attic: packets came too late (a slow network?)")
        #expect(
            result(finding(), objection: finding(.vanished, other: nil)).verdict
                == "Den: Attic vanished, 12 s into the check. Attic: its connection broke without a word (was it killed "
                + "or switched off, is its network down?)")
    }

    @Test func verdictsOnBrowsers() {
        var phone = finding(other: "Attic", distance: 4_000)
        phone.culprit = "Phone (browser)"
        var result = result(finding(distance: 24))
        result.worstOfBrowsers = phone
        #expect(result.verdict.hasSuffix("; Phone (browser) within 4000 us of the others (limit 10.0 ms)"))
        result.objection = phone
        #expect(result.verdict.hasPrefix("Den: Phone (browser) and Attic were up to 4000 us apart (limit 10.0 ms)"))
    }

    @Test func json() {
        #expect(
            result(finding(), objection: finding()).json.text
                == #"{"broadcaster":"Den","inStep":false,"limitMicroseconds":100.0,"browserLimitMicroseconds":10000.0,"#
                + #""watchedSeconds":30.1,"listeners":3,"#
                + #""worst":{"listener":"Attic","other":"Kitchen","distanceMicroseconds":240.0,"afterSeconds":12.0,"#
                + #""reason":"it is correcting that at -9.8 ppm"},"worstOfBrowsers":null,"#
                + #""objection":{"listener":"Attic","other":"Kitchen","#
                + #""distanceMicroseconds":240.0,"afterSeconds":12.0,"reason":"it is correcting that at -9.8 ppm"},"#
                + #""verdict":"Den: Attic and Kitchen were up to 240 us apart (limit 100 us), 12 s into the check. "#
                + #"Attic: error +180 +/- 40 us: it is correcting that at -9.8 ppm"}"#)
    }
}
