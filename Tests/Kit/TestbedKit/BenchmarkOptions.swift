import LANKit

/// What every benchmark is told on its command line, by its script in Scripts.
public struct BenchmarkOptions {
    /// The directory of the report.
    public private(set) var output = ""
    /// The binary that is measured.
    public private(set) var program = buildDirectory + "/tutti"
    /// Of the program, and the day, for the report.
    public private(set) var revision = "unknown"
    public private(set) var date = "unknown"

    public init() {}

    /// Takes the value of an option that all have.
    /// - Throws: ``BenchmarkRefusal`` if this is none.
    public mutating func take(_ name: String, _ arguments: inout BenchmarkArguments) throws(BenchmarkRefusal) {
        switch name {
        case "--output": output = try arguments.value(of: name)
        case "--program": program = try arguments.value(of: name)
        case "--revision": revision = try arguments.value(of: name)
        case "--date": date = try arguments.value(of: name)
        default: throw BenchmarkRefusal(reason: "unknown option '\(name)'")
        }
    }

    /// Looks whether nothing is missing.
    public func check() throws(BenchmarkRefusal) {
        guard !output.isEmpty else { throw BenchmarkRefusal(reason: "--output DIRECTORY is missing") }
    }
}
