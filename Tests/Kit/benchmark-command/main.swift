// benchmark-command: how long commands take until all listeners sound as they were told, whether they are in step then,
// and what is heard between songs. Scripts/benchmark-command builds it, and says what it does.
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
        var results: [CommandResult] = []
        if options.parts.contains(.commands) {
            tell("== \(link.title): each command")
            results += try CommandedBroadcast(link, options).run()
        }
        if options.parts.contains(.filling) {
            tell("== \(link.title): pauses while a late listener's buffer fills")
            results += try FillingBroadcast(link, options).run()
        }
        report.add(link, results)
        guard options.parts.contains(.album) else { continue }
        tell("== \(link.title): a split album")
        report.add(link, try AlbumBroadcast(link, options).run())
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
