// benchmark-command: how long commands take until all listeners sound as they were told, whether they are in step then,
// and what is heard between songs. Scripts/benchmark-command builds it, and says what it does.
import TestbedKit

BenchmarkProgram.run("benchmark-command") { arguments in
    let options = try Options(arguments)
    try BenchmarkProgram.prepare(options.common)
    var report = Report(revision: options.common.revision, date: options.common.date)
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
    try report.write(to: options.common.output)
    tell(report.markdown)
    tell("Report: \(options.common.output)/report.md")
    return (report.excesses, nil)
}
