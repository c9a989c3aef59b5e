import HeardAnalysis
import TestbedKit

/// The table of all commands on all links.
struct Report {
    let revision: String
    let date: String
    private var results: [(link: LinkKind, results: [CommandResult])] = []
    private var albums: [(link: LinkKind, result: AlbumResult)] = []

    init(revision: String, date: String) {
        self.revision = revision
        self.date = date
    }

    mutating func add(_ link: LinkKind, _ results: [CommandResult]) { self.results.append((link, results)) }

    mutating func add(_ link: LinkKind, _ result: AlbumResult) { albums.append((link, result)) }

    /// Those of a row; without those that the machine disturbed, unless it disturbed all.
    private func results(_ row: CommandRow, _ all: [CommandResult]) -> [CommandResult] {
        let own = all.filter { $0.row == row }
        let calm = own.filter { !$0.isNearStall }
        return calm.isEmpty ? own : calm
    }

    /// What is above its limit.
    var excesses: [String] { commandExcesses + albums.flatMap { $0.result.excesses($0.link) } }

    /// Medians that are above their limits, and commands that were not followed.
    private var commandExcesses: [String] {
        results.flatMap { link, all in
            let skewLimit = albums.first { $0.link == link }?.result.midSongSkew ?? link.skewLimit * 1e-6
            return CommandRow.allCases.flatMap { row -> [String] in
                let own = results(row, all)
                var names: [String] = []
                let missed = own.count { $0.delay == nil }
                if missed > 0 { names.append("\(row.title), \(link.title): \(missed) of \(own.count) not followed") }
                if let median = heardPercentile(0.5, of: own.compactMap(\.delay)),
                    median * 1e3 > row.limit * link.allowance
                {
                    names.append("\(row.title), \(link.title): \(fixed(median * 1e3, 0)) ms")
                }
                if let skew = heardPercentile(0.5, of: own.compactMap(\.skew)), skew > skewLimit {
                    names.append("skew after \(row.title), \(link.title): \(fixed(skew * 1e6, 1)) us")
                }
                return names
            }
        }
    }

    var markdown: String {
        var text = ""
        for (link, all) in results {
            text += """

                ## \(link.title)

                | command | limit | median | least | most | skew, median | skew, most | times | near a stall |
                |---|---:|---:|---:|---:|---:|---:|---:|---:|

                """
            for row in CommandRow.allCases {
                let own = results(row, all)
                guard !own.isEmpty else { continue }
                let delays = own.compactMap(\.delay).sorted()
                let skews = own.compactMap(\.skew).sorted()
                let figures = [0.5, 0, 1].map { part in
                    heardPercentile(part, of: delays).map { "\(fixed($0 * 1e3, 0)) ms" } ?? ""
                }
                let apart = [0.5, 1].map { part in
                    heardPercentile(part, of: skews).map { "\(fixed($0 * 1e6, 1)) us" } ?? ""
                }
                let limit = "\(fixed(row.limit * link.allowance, 0)) ms"
                let cells =
                    [row.title, limit] + figures + apart + [
                        "\(own.count)", "\(all.count { $0.row == row && $0.isNearStall })",
                    ]
                text += "| " + cells.joined(separator: " | ") + " |\n"
            }
            text += albums.first { $0.link == link }?.result.markdown(link) ?? ""
        }
        return text
    }

    func write(to directory: String) throws {
        let head = """
            # How long commands take

            Revision \(revision), \(date). From a command until all listeners sounded as they were told, and the largest
            skew of any two in the half second after that, by what their cards emitted. Commands near a stall of the
            machine are left out. Then what was heard between songs.

            """
        try BenchmarkProgram.write(head + markdown, to: "\(directory)/report.md")
        for (link, all) in results {
            try BenchmarkProgram.write(plot(link, all), to: "\(directory)/\(link.rawValue).svg")
        }
    }

    /// A line for each command, a dot for each time it was given, a stroke at its limit; SVG 1.1.
    private func plot(_ link: LinkKind, _ all: [CommandResult]) -> String {
        let (left, step, width, scale) = (470.0, 26.0, 900.0, 0.35 / link.allowance)
        var parts: [String] = []
        for (index, row) in CommandRow.allCases.enumerated() {
            let y = 50 + Double(index) * step
            let limit = left + row.limit * link.allowance * scale
            parts.append(
                "<text x=\"\(left - 10)\" y=\"\(y + 4)\" text-anchor=\"end\">\(row.title.replacing("`", with: ""))</text>"
            )
            parts.append(
                "<line x1=\"\(left)\" y1=\"\(y)\" x2=\"\(width)\" y2=\"\(y)\" stroke=\"#eee\"/>"
                    + "<line x1=\"\(limit)\" y1=\"\(y - 8)\" x2=\"\(limit)\" y2=\"\(y + 8)\" stroke=\"#d1711b\"/>")
            for result in all where result.row == row {
                guard let delay = result.delay else { continue }
                let opacity = result.isNearStall ? 0.2 : 0.7
                parts.append(
                    "<circle cx=\"\(fixed(left + delay * 1e3 * scale, 1))\" cy=\"\(y)\" r=\"3\" fill=\"#0a6ebd\" opacity=\"\(opacity)\"/>"
                )
            }
        }
        let height = 70 + Double(CommandRow.allCases.count) * step
        for milliseconds in stride(from: 0.0, through: 1_200 * link.allowance, by: 200 * link.allowance) {
            let x = left + milliseconds * scale
            parts.append("<text x=\"\(x)\" y=\"\(height - 8)\" text-anchor=\"middle\">\(Int(milliseconds)) ms</text>")
        }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" width="\(width)" height="\(height)" font-family="sans-serif" font-size="12">
            <rect width="\(width)" height="\(height)" fill="white"/>
            <text x="10" y="22" font-size="15">From a command to its sound on all listeners, \(link.title)</text>
            \(parts.joined(separator: "\n"))
            </svg>

            """
    }
}
