// benchmark-browser: how well a browser keeps step with a native listener, and how many browsers a broadcaster feeds.
// Scripts/benchmark-browser builds it, and says what it does.
import BrowserKit
import HeardAnalysis
import TestbedKit

/// Loads of ten seconds, after a calibration by the first.
func measureLoads(_ options: Options, into report: inout Report) throws {
    let listening = try ListeningBrowser(options, seconds: 60 + 16 * Double(options.loadCount))
    let first = try listening.calibrate()
    let loads = try (1...options.loadCount).map { number in
        tell("  load \(number) of \(options.loadCount)")
        return try listening.heard(listening.listen(seconds: 8))
    }
    try listening.end()
    let constants = loads.compactMap(\.constant)
    let firsts = loads.compactMap { $0.beginning.percentile(1) }
    let sounds = ([first.firstSound] + loads.compactMap(\.firstSound)).sorted()
    let isWhole = constants.count == loads.count
    report.add(
        "\(options.loadCount) \(Part.loads.title)",
        [
            Row(title: "constant before calibration", value: abs(first.constant) * 1e3, limit: 10, unit: "ms"),
            Row(
                title: "constants, the least to the most",
                value: isWhole ? ((constants.max() ?? 0) - (constants.min() ?? 0)) * 1e3 : nil, limit: 2, unit: "ms"),
            Row(
                title: "skew in the first second, the worst load", value: isWhole ? firsts.max().map { $0 * 1e3 } : nil,
                limit: 3, unit: "ms"),
            Row(title: "from the tap to the first sound, median", value: sounds[sounds.count / 2], limit: 1, unit: "s"),
            Row(title: "from the tap to the first sound, the most", value: sounds.last, limit: nil, unit: "s"),
        ])
}

/// One long listening.
func measure(_ part: Part, _ options: Options, into report: inout Report) throws {
    let listening = try ListeningBrowser(options, seconds: options.seconds + 60)
    _ = try listening.calibrate()
    // A busy loop for a fifth of all time.
    let blocking =
        "setInterval(() => { const end = performance.now() + 200; while (performance.now() < end); }, 1000)"
    let load = try listening.listen(
        seconds: options.seconds, disturbance: part == .blocked ? "void " + blocking : nil)
    let heard = try listening.heard(load)
    try listening.end()
    let clicks = heard.clicks
    for click in clicks.prefix(10) {
        let cause = click.isStalled ? ", near a stall of the machine" : ""
        tell("  997 Hz: \(fixed(click.level, 1)) dBFS at \(fixed(click.seconds, 2)) s\(cause)")
    }
    let settled = heard.settled
    let microseconds = [0.5, 0.99, 1].map { settled.percentile($0).map { $0 * 1e6 } }
    report.add(
        "\(fixed(options.seconds, 0)) s, \(part.title)",
        [
            Row(title: "skew from 10 s on, p50", value: microseconds[0], limit: 200, unit: "us"),
            Row(title: "skew from 10 s on, p99", value: microseconds[1], limit: 1_000, unit: "us"),
            Row(title: "skew from 10 s on, max", value: microseconds[2], limit: nil, unit: "us"),
            Row(
                title: "skew in the first second, max", value: heard.beginning.percentile(1).map { $0 * 1e6 },
                limit: 3_000, unit: "us"),
            Row(
                title: "windows without the same sound", value: Double(heard.unlikeWindowCount), limit: 0, unit: ""),
            Row(
                title: "997 Hz: residual in the worst 10 ms", value: heard.worstResidual,
                limit: SineResidual.clickLimit, unit: "dBFS"),
            Row(
                title: "997 Hz: clicks, in windows of 10 ms", value: Double(clicks.count { !$0.isStalled }), limit: 0,
                unit: ""),
            Row(
                title: "997 Hz: clicks near a stall of the machine", value: Double(clicks.count { $0.isStalled }),
                limit: nil, unit: ""),
            Row(title: "from the tap to the first sound", value: heard.firstSound, limit: 1, unit: "s"),
        ])
    report.draw(part.title, heard.points)
}

BenchmarkProgram.run("benchmark-browser") { arguments in
    let options = try Options(arguments)
    guard options.browser.isInstalled || options.parts == [.many] else {
        throw BrowserError.notInstalled(options.browser)
    }
    try BenchmarkProgram.prepare(options.common)
    var report = Report(of: options.browser, revision: options.common.revision, date: options.common.date)
    for part in options.parts {
        tell("== \(part.title)")
        switch part {
        case .steady, .blocked: try measure(part, options, into: &report)
        case .loads: try measureLoads(options, into: &report)
        case .many: try measureMany(options, into: &report)
        }
    }
    try report.write(to: options.common.output)
    tell(report.markdown)
    tell("Report: \(options.common.output)/report.md")
    return (report.excesses, nil)
}
