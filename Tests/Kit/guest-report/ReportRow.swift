import HeardAnalysis

/// A figure beside what it may be at most.
struct ReportRow {
    var title: String
    /// Nil: there was nothing to measure.
    var value: Double?
    var limit: Double
    var unit: String

    var isExceeded: Bool { value.map { $0 > limit } ?? true }

    private var cells: [String] {
        let text = value.map { "\(fixed($0, unit.isEmpty ? 0 : 2)) \(unit)" } ?? "not measured"
        return [title, isExceeded ? "**\(text)**" : text, "\(fixed(limit, unit.isEmpty ? 0 : 1)) \(unit)"]
    }

    /// In Markdown; what exceeds its limit is bold.
    static func table(_ rows: [ReportRow]) -> String {
        let lines = [["guest", "measured", "at most"], ["---", "---:", "---:"]] + rows.map(\.cells)
        return lines.map { "| " + $0.joined(separator: " | ") + " |\n" }.joined()
    }
}
