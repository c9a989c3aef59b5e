import LANKit

/// What was asked for on the command line.
struct Options {
    var output = ""
    var runCount = 5
    var songSeconds = 90.0
    var trialCount = 10
    var simulatedSeconds: Int64 = 3_600
    /// Names of cases; empty for all.
    var cases: [String] = []
    var program = buildDirectory + "/tutti"
    var revision = "unknown"
    var date = "unknown"
    var hasSnapcast = true

    static let firstSoundCase = "first-sound"

    /// Why the command line is refused.
    struct Refusal: Error {
        var reason: String
    }

    init(_ arguments: [String]) throws(Refusal) {
        var rest = arguments[...]
        while let name = rest.popFirst() {
            switch name {
            case "--quick": (runCount, songSeconds, trialCount, simulatedSeconds) = (1, 30, 4, 240)
            case "--no-snapcast": hasSnapcast = false
            case "--output": output = try Self.value(of: name, &rest)
            case "--program": program = try Self.value(of: name, &rest)
            case "--revision": revision = try Self.value(of: name, &rest)
            case "--date": date = try Self.value(of: name, &rest)
            case "--case": cases.append(try Self.caseName(&rest))
            case "--runs": runCount = Int(try Self.number(name, in: 1...100, &rest))
            case "--seconds": songSeconds = try Self.number(name, in: 20...600, &rest)
            default: throw Refusal(reason: "unknown option '\(name)'")
            }
        }
        guard !output.isEmpty else { throw Refusal(reason: "--output DIRECTORY is missing") }
    }

    func wants(_ name: String) -> Bool { cases.isEmpty || cases.contains(name) }

    private static func value(of name: String, _ rest: inout ArraySlice<String>) throws(Refusal) -> String {
        guard let value = rest.popFirst() else { throw Refusal(reason: "\(name) needs a value") }
        return value
    }

    private static func number(
        _ name: String, in range: ClosedRange<Double>, _ rest: inout ArraySlice<String>
    ) throws(Refusal) -> Double {
        let text = try value(of: name, &rest)
        guard let number = Double(text), range.contains(number) else {
            throw Refusal(reason: "\(name) is from \(Int(range.lowerBound)) to \(Int(range.upperBound))")
        }
        return number
    }

    private static func caseName(_ rest: inout ArraySlice<String>) throws(Refusal) -> String {
        let name = try value(of: "--case", &rest)
        let known = BenchmarkCase.all.map(\.name) + [firstSoundCase, LongSimulation.name]
        guard known.contains(name) else {
            throw Refusal(reason: "no case '\(name)'; there are \(known.joined(separator: ", "))")
        }
        return name
    }
}
