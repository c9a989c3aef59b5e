import AudioCore
import TerminalIO
import Testing
import TuttiRuntime
import WireProtocol

@testable import tutti

/// Numbers as people read them.
@Suite(.timeLimit(.minutes(5))) struct DisplayTextTests {
    @Test(arguments: [
        (12.34, 1, true, "+12.3"), (-0.04, 1, true, "0.0"), (-34.06, 1, false, "-34.1"), (0, 0, true, "0"),
        (1.5, 0, false, "2"), (0.05, 3, false, "0.050"), (.nan, 1, false, "?"), (.infinity, 1, false, "?"),
        (1e300, 1, false, "922337203685477580.7"),
    ])
    func fixedDecimals(value: Double, decimals: Int, signed: Bool, expected: String) {
        #expect(value.fixed(decimals, signed: signed) == expected)
    }

    @Test(arguments: [(0, "0:00"), (59, "0:59"), (83, "1:23"), (3_599, "59:59"), (3_600, "1:00:00"), (-5, "0:00")])
    func clockReading(seconds: Int64, expected: String) {
        #expect(TimeSpan.seconds(seconds).clockReading == expected)
    }

    @Test func errorsAreShownInTheUnitOfTheirSize() {
        #expect(Sample.timing(error: 3, bound: 12).errorReading(.unicode) == "+3 ± 12 µs")
        #expect(Sample.timing(error: -12_340, bound: 400).errorReading(.ascii) == "-12.3 +/- 0.4 ms")
    }

    @Test func onlyCountersThatCountedAreShown() {
        #expect(ListenerCounters().reading == "")
        #expect(Sample.troubled.reading == "2 xruns, 1 re-placement")
    }
}
