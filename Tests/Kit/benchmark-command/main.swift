// benchmark-command: how long commands take until all listeners sound as they were told, and whether they are in step
// then. Scripts/benchmark-command builds it, and says what it does.
import Glibc
import HeardAnalysis
import LANKit
import TestbedKit

func complain(_ text: String) { _ = text.withCString { write(STDERR_FILENO, $0, strlen($0)) } }

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
    var report = Report(revision: options.revision, date: options.date)
    for link in options.links {
        tell("== \(link.title): \(options.repetitionCount) times each command")
        let broadcast = try CommandedBroadcast(link, options)
        report.add(link, try broadcast.run())
    }
    try report.write(to: options.output)
    tell(report.markdown)
    tell("Report: \(options.output)/report.md")
    for excess in report.excesses { tell("Above its limit: \(excess)") }
    exit(report.excesses.isEmpty ? 0 : 1)
} catch let refusal as Options.Refusal {
    complain("benchmark-command: \(refusal.reason)\n")
    exit(64)
} catch {
    complain("benchmark-command: \(error)\n")
    exit(1)
}
