// benchmark-sync: how far apart listeners are, in all cases that are promised. Scripts/benchmark-sync builds it, and
// says what it does.
import TestbedKit

BenchmarkProgram.run("benchmark-sync") { arguments in
    let options = try Options(arguments)
    try BenchmarkProgram.prepare(options.common)
    var benchmark = try Benchmark(options)
    benchmark.run()
    try benchmark.report.write(to: options.common.output)
    tell("Report: \(options.common.output)/report.md")
    return (benchmark.report.excesses, benchmark.report.isComplete ? nil : "Not all runs could be made")
}
