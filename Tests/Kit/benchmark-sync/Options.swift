import TestbedKit

/// What was asked for on the command line.
struct Options {
    private(set) var common = BenchmarkOptions()
    var runCount = 5
    var songSeconds = 90.0
    var trialCount = 10
    var simulatedSeconds: Int64 = 3_600
    /// Names of cases; empty for all.
    var cases: [String] = []
    var hasSnapcast = true

    static let firstSoundCase = "first-sound"

    init(_ arguments: [String]) throws(BenchmarkRefusal) {
        var rest = BenchmarkArguments(arguments)
        while let name = rest.next() {
            switch name {
            case "--quick": (runCount, songSeconds, trialCount, simulatedSeconds) = (1, 30, 4, 240)
            case "--no-snapcast": hasSnapcast = false
            case "--case": cases.append(try Self.caseName(&rest))
            case "--runs": runCount = try rest.number(of: name, in: 1...100)
            case "--seconds": songSeconds = Double(try rest.number(of: name, in: 20...600))
            default: try common.take(name, &rest)
            }
        }
        try common.check()
    }

    func wants(_ name: String) -> Bool { cases.isEmpty || cases.contains(name) }

    private static func caseName(_ rest: inout BenchmarkArguments) throws(BenchmarkRefusal) -> String {
        let name = try rest.value(of: "--case")
        let known = BenchmarkCase.all.map(\.name) + [firstSoundCase, LongSimulation.name]
        guard known.contains(name) else {
            throw BenchmarkRefusal(reason: "no case '\(name)'; there are \(known.joined(separator: ", "))")
        }
        return name
    }
}
