// benchmark-sync: how far apart listeners are, in all cases that are promised. Scripts/benchmark-sync builds it, and
// says what it does.
import Glibc
import HeardAnalysis
import LANKit
import TestbedKit

func complain(_ text: String) {
    _ = text.withCString { write(STDERR_FILENO, $0, strlen($0)) }
}

/// Says it at once, into a pipe as well.
func tell(_ text: String) {
    print(text)
    fflush(nil)
}

do {
    let options = try Options(Array(CommandLine.arguments.dropFirst()))
    guard geteuid() == 0 else { throw LANError.needsRoot }
    guard mkdir(options.output, 0o755) == 0 || errno == EEXIST else {
        throw LANError.system("create \(options.output)", errno)
    }
    var benchmark = try Benchmark(options)
    benchmark.run()
    try benchmark.report.write(to: options.output)
    tell("Report: \(options.output)/report.md")
    for excess in benchmark.report.excesses { tell("Above its limit: \(excess)") }
    if !benchmark.report.isComplete { tell("Not all runs could be made") }
    exit(benchmark.report.isComplete && benchmark.report.excesses.isEmpty ? 0 : 1)
} catch let refusal as Options.Refusal {
    complain("benchmark-sync: \(refusal.reason)\n")
    exit(64)
} catch {
    complain("benchmark-sync: \(error)\n")
    exit(1)
}
