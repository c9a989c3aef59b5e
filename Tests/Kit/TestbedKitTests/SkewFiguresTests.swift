import HeardAnalysis
import LANKit
import TestbedKit
import Testing

@Suite(.timeLimit(.minutes(5))) struct SkewFiguresTests {
    static let start = 1_000e9

    /// A window every half second, 1 us apart; what `odd` says instead, by seconds after the first.
    func report(seconds: Double, unlike: Int = 0, odd: [Double: Double] = [:]) -> SkewReport {
        let windows = stride(from: 0, to: seconds, by: 0.5).map { time in
            SkewReport.Window(time: Self.start + time * 1e9, skew: odd[time] ?? -1e-6)
        }
        return SkewReport(windows: windows, unlikeWindows: Array(windows.prefix(unlike)), onsets: (nil, nil))
    }

    func figures(_ report: SkewReport, beginning: Double = 2e-6, stalls: [(Double, Double)] = []) -> SkewFigures {
        let first = SkewReport(
            windows: [.init(time: Self.start, skew: beginning)], unlikeWindows: [], onsets: (nil, nil))
        let stalls = stalls.map {
            StallLogger.Stall(start: Int64(Self.start + $0.0 * 1e9), end: Int64(Self.start + $0.1 * 1e9))
        }
        return PairSkew(report: report, beginning: first, stalls: stalls).figures
    }

    @Test func theBeginningCountsForItselfAndForTheWholeRun() {
        let figures = figures(report(seconds: 60, odd: [9.5: 70e-6]), beginning: -80e-6)
        #expect(figures.maximum == 1e-6)
        #expect(figures.first == 80e-6)
        #expect(figures.whole == 80e-6)
        #expect(figures.settledCount == 100 && figures.leftOutCount == 0)
    }

    @Test func onlyTheLastSettledWindowMattersForTheMaximum() {
        let figures = figures(report(seconds: 60, odd: [10: 5e-6]))
        #expect(figures.maximum == 5e-6 && figures.p99 == 1e-6 && figures.p50 == 1e-6)
    }

    @Test func aStallIsLeftOutForTenSecondsAndCounted() {
        // From the window that still runs when it begins to the one that begins ten seconds after its end.
        let odd = [20.0: 30e-6, 25: 40e-6, 30: 50e-6]
        let figures = figures(report(seconds: 60, odd: odd), stalls: [(20.2, 20.25)])
        #expect(figures.leftOutCount == 21)
        #expect(figures.maximum == 1e-6)
        #expect(figures.whole == 50e-6)
        #expect(figures.isMeaningful)
        #expect(self.figures(report(seconds: 60, odd: [30.5: 60e-6]), stalls: [(20.2, 20.25)]).maximum == 60e-6)
    }

    @Test func stallsThatOverlapCountOnce() {
        #expect(figures(report(seconds: 60), stalls: [(20.2, 20.25), (20.3, 20.35)]).leftOutCount == 21)
    }

    @Test func aRunThatLosesMoreThanThreeTenthsSaysNothing() {
        #expect(!figures(report(seconds: 60), stalls: [(20.2, 20.25), (40.2, 40.25)]).isMeaningful)
        #expect(figures(report(seconds: 90), stalls: [(20.2, 20.25), (40.2, 40.25)]).isMeaningful)
    }

    @Test func theWorstPairIsTheWorstInEachFigure() throws {
        let calm = figures(report(seconds: 60), beginning: 9e-6)
        let wild = figures(report(seconds: 60, unlike: 2, odd: [30: 7e-6]), beginning: 2e-6, stalls: [(50, 50.1)])
        let worst = try #require(SkewFigures.worst(of: [calm, wild]))
        #expect(worst.first == 9e-6 && worst.maximum == 7e-6 && worst.unlikeCount == 2)
        #expect(worst.leftOutCount == wild.leftOutCount && wild.leftOutCount > 0)
        let nothing = figures(SkewReport(windows: [], unlikeWindows: [], onsets: (nil, nil)))
        #expect(try #require(SkewFigures.worst(of: [calm, nothing])).p50 == nil)
    }

    @Test func limitsNameWhatExceedsThem() {
        let limits = SkewLimits(p50: 1, p99: 1, maximum: 4, first: nil, whole: 5)
        let good = figures(report(seconds: 60))
        #expect(limits.excesses(of: good).isEmpty)
        let odd = figures(report(seconds: 60, unlike: 1, odd: [30: 5e-6]), beginning: 900e-6)
        #expect(limits.excesses(of: odd) == ["max", "whole run", "unlike windows"])
        #expect(limits.doubled.excesses(of: odd) == ["whole run", "unlike windows"])
        // Nothing measured is nothing proved.
        #expect(limits.excesses(of: figures(report(seconds: 5))) == ["p50", "p99", "max"])
    }
}
