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
    private(set) var figures: SkewFigures
    /// The same, without leaving out what is near a stall.
    private let sternFigures: SkewFigures

    /// The processes end by themselves, well.
    init(_ testbed: Testbed, _ song: SongFile, _ processes: [LANProcess], within seconds: Double) throws {
        (self.testbed, self.song, self.processes) = (testbed, song, processes)
        for process in processes {
            #expect(try process.wait(within: seconds) == .exited(0), "\(testbed.account(of: processes))")
        }
        let heard = try testbed.listeningHosts.map(testbed.recording)
        self.heard = heard
        figures = try Self.worst(of: heard, stalls: testbed.stalls.stalls)
        sternFigures = try Self.worst(of: heard, stalls: [])
    }

    private static func worst(of heard: [HeardRecording], stalls: [StallLogger.Stall]) throws -> SkewFigures {
        let pairs = heard.indices.flatMap { first in
            heard.indices.filter { $0 > first }.map { PairSkew(heard[first], heard[$0], stalls: stalls).figures }
        }
        return try #require(SkewFigures.worst(of: pairs))
    }

    /// A run of which stalls of the machine leave enough; one that they spoil is repeated, twice at most. So is one in
    /// which there were any and which is not within its limits: of these some judge the beginning too, whatever the
    /// machine did, and songs that are over before they settle have nothing else. A run that is within its limits
    /// although nothing is left out says all there is to say.
    static func ofSteadyMachine(within limits: SkewLimits, _ perform: () throws -> Hearing) throws -> Hearing {
        var hearing = try perform()
        for _ in 1...2 {
            if limits.excesses(of: hearing.sternFigures).isEmpty {
                hearing.figures = hearing.sternFigures
                return hearing
            }
            let isSpoilt = !hearing.testbed.stalls.stalls.isEmpty && !limits.excesses(of: hearing.figures).isEmpty
            if hearing.figures.isMeaningful, !isSpoilt { return hearing }
            print("The machine stood still, once more: \(hearing.figures.summary)")
            hearing = try perform()
        }
        #expect(hearing.figures.isMeaningful, "the machine stands still too often: \(hearing.figures.summary)")
        return hearing
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
