import HeardAnalysis
import LANKit
import TestbedKit
import Testing

/// A song on a testbed, from its first sound to the end of all processes, and what was heard of it.
struct Hearing {
    let testbed: Testbed
    let song: SongFile
    let processes: [LANProcess]
    /// By host, the first listener's first.
    let heard: [HeardRecording]
    /// Of the pair that is worst in each.
    let figures: SkewFigures

    /// The processes end by themselves, well.
    init(_ testbed: Testbed, _ song: SongFile, _ processes: [LANProcess], within seconds: Double) throws {
        (self.testbed, self.song, self.processes) = (testbed, song, processes)
        for process in processes {
            #expect(try process.wait(within: seconds) == .exited(0), "\(testbed.account(of: processes))")
        }
        let heard = try testbed.listeningHosts.map(testbed.recording)
        self.heard = heard
        let stalls = testbed.stalls.stalls
        let pairs = heard.indices.flatMap { first in
            heard.indices.filter { $0 > first }.map { PairSkew(heard[first], heard[$0], stalls: stalls).figures }
        }
        figures = try #require(SkewFigures.worst(of: pairs))
    }

    /// A run of which stalls of the machine leave enough; one that they spoil is repeated once. So is one in which
    /// there were any and which is not within its limits: of these some judge the beginning too, whatever the machine
    /// did, and songs that are over before they settle have nothing else.
    static func ofSteadyMachine(within limits: SkewLimits, _ perform: () throws -> Hearing) throws -> Hearing {
        let first = try perform()
        let isSpoilt = !first.testbed.stalls.stalls.isEmpty && !limits.excesses(of: first.figures).isEmpty
        if first.figures.isMeaningful, !isSpoilt { return first }
        print("The machine stood still, once more: \(first.figures.summary)")
        let second = try perform()
        #expect(second.figures.isMeaningful, "the machine stands still too often: \(second.figures.summary)")
        return second
    }

    func expect(within limits: SkewLimits, sourceLocation: SourceLocation = #_sourceLocation) {
        let excesses = limits.excesses(of: figures)
        #expect(
            excesses.isEmpty, "\(figures.summary) \(testbed.account(of: processes))", sourceLocation: sourceLocation)
    }

    /// What this listener's card emitted is the song, whole and without blemish.
    /// - Parameter punctual: nil, or the listener beside which this one joined late: then from its first sound to the
    ///   end.
    func expectClean(
        listener index: Int, joinedLateBeside punctual: Int? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let comparison = song.judge(heard[index], joinedLateBeside: punctual.map { heard[$0] })
        #expect(
            comparison.isClean, "\(comparison.summary) \(testbed.account(of: processes))",
            sourceLocation: sourceLocation)
        print("listener \(index + 1): \(comparison.summary)")
    }
}
