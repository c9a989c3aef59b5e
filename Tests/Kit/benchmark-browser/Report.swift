import BrowserKit
import HeardAnalysis
import TestbedKit

/// A figure beside what it should be at most, in units of its own.
struct Row {
    var title: String
    /// Nil: there was nothing to measure.
    var value: Double?
    var limit: Double?
    var unit: String

    var isExceeded: Bool {
        guard let limit else { return false }
        guard let value else { return true }
        return value > limit
    }
    fileprivate var cells: [String] {
        let text = value.map { "\(fixed($0, 1)) \(unit)" } ?? "-"
        return [title, isExceeded ? "**\(text)**" : text, limit.map { "\(fixed($0, 1)) \(unit)" } ?? ""]
    }
}

/// The table of everything, and a plot of the long listenings.
struct Report {
    let browser: BrowserKind
    let revision: String
    let date: String
    private(set) var sections: [(title: String, rows: [Row])] = []
    private(set) var lines: [(title: String, points: [(time: Double, skew: Double)])] = []

    init(of browser: BrowserKind, revision: String, date: String) {
        self.browser = browser
        self.revision = revision
        self.date = date
    }

    mutating func add(_ title: String, _ rows: [Row]) { sections.append((title, rows)) }

    mutating func draw(_ title: String, _ points: [(time: Double, skew: Double)]) { lines.append((title, points)) }

    var excesses: [String] {
        sections.flatMap { title, rows in
            rows.filter(\.isExceeded).map { "\(title): \($0.cells.prefix(2).joined(separator: " "))" }
        }
    }

    var markdown: String {
        let head = """
            # How well a browser keeps step

            Revision \(revision), \(date). \(browser.title) on a host of its own, whose card runs 40 ppm and whose clock \
            50 ppm off, beside a native listener, by what both cards emitted. After one calibration by \
            `tutti offset`; what is near a stall of the machine is left out, or stands in a row of its own.

            """
        return head
            + sections.map { title, rows in
                "\n" + BenchmarkProgram.table(head: [title, "measured", "limit"], rows.map(\.cells))
            }.joined()
    }

    func write(to directory: String) throws {
        try BenchmarkProgram.write(markdown, to: "\(directory)/report.md")
        if !lines.isEmpty { try BenchmarkProgram.write(svg, to: "\(directory)/skew.svg") }
    }

    /// Skew over time of the long listenings: within 2 ms either way, the limits dashed. SVG 1.1.
    private var svg: String {
        let (left, width, middle, scale) = (70.0, 900.0, 190.0, 0.075)
        let duration = max(10, lines.compactMap { $0.points.last?.time }.max() ?? 10)
        func x(_ seconds: Double) -> String { fixed(left + seconds / duration * (width - left - 20), 1) }
        func y(_ microseconds: Double) -> String {
            fixed(middle - max(-2_000, min(2_000, microseconds)) * scale, 1)
        }
        var parts: [String] = []
        for level in stride(from: -2_000.0, through: 2_000, by: 500) {
            let style = abs(level) == 1_000 ? "stroke=\"#444\" stroke-dasharray=\"5 4\"" : "stroke=\"#ddd\""
            parts.append(
                "<line x1=\"\(left)\" y1=\"\(y(level))\" x2=\"\(width - 20)\" y2=\"\(y(level))\" \(style)/>"
                    + "<text x=\"\(left - 8)\" y=\"\(y(level))\" text-anchor=\"end\">\(Int(level)) us</text>")
        }
        for seconds in stride(from: 0, through: duration, by: duration > 90 ? 60 : 10) {
            parts.append("<text x=\"\(x(seconds))\" y=\"364\" text-anchor=\"middle\">\(Int(seconds)) s</text>")
        }
        for (index, line) in lines.enumerated() {
            let colour = ["#0a6ebd", "#d1711b"][index % 2]
            let points = line.points.map { "\(x($0.time)),\(y($0.skew * 1e6))" }.joined(separator: " ")
            parts.append("<polyline fill=\"none\" stroke=\"\(colour)\" opacity=\"0.75\" points=\"\(points)\"/>")
            parts.append("<text x=\"\(left + 330 * Double(index))\" y=\"24\" fill=\"\(colour)\">\(line.title)</text>")
        }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(Int(width))" height="380" font-family="sans-serif" \
            font-size="12">
            <rect width="\(Int(width))" height="380" fill="white"/>
            \(parts.joined(separator: "\n"))
            </svg>

            """
    }
}
