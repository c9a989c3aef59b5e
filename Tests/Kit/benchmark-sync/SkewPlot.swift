import Glibc
import HeardAnalysis
import TestbedKit

/// Skew over time of all runs of one case, as SVG 1.1: its magnitude on a logarithmic scale from 0.1 us to 10 ms, since
/// players differ by orders of magnitude; a line for each run, a colour for each player, the row's limits dashed. What
/// lies near a stall of the machine is paler.
struct SkewPlot {
    let rows: [RowResult]

    private static let (width, height) = (840.0, 420.0)
    private static let (left, right, top, bottom) = (70.0, 20.0, 40.0, 50.0)
    private static let decades = -1.0...4.0
    private static let colours = ["#0a6ebd", "#d1711b", "#4b8b3b", "#8b4b8b"]

    private var duration: Double {
        max(10, rows.flatMap { $0.runs.compactMap(\.worstPair.windows.last?.time) }.max() ?? 0)
    }

    var svg: String {
        let size = "width=\"\(Int(Self.width))\" height=\"\(Int(Self.height))\""
        let parts = ["<rect \(size) fill=\"white\"/>", title, grid, limits] + rows.indices.map(lines) + [legend]
        return """
            <svg xmlns="http://www.w3.org/2000/svg" \(size) viewBox="0 0 \(Int(Self.width)) \(Int(Self.height))" \
            font-family="sans-serif" font-size="12">
            \(parts.joined(separator: "\n"))
            </svg>

            """
    }

    private func x(_ seconds: Double) -> String {
        fixed(Self.left + seconds / duration * (Self.width - Self.left - Self.right), 1)
    }

    private func y(microseconds: Double) -> String {
        let range = Self.decades
        let level = min(range.upperBound, max(range.lowerBound, log10(max(1e-9, abs(microseconds)))))
        let part = (level - range.lowerBound) / (range.upperBound - range.lowerBound)
        return fixed(Self.height - Self.bottom - part * (Self.height - Self.top - Self.bottom), 1)
    }

    private var title: String { text(rows[0].item.title, x: fixed(Self.left, 0), y: "24", extra: "font-size=\"15\"") }

    private var grid: String {
        var parts: [String] = []
        for decade in Int(Self.decades.lowerBound)...Int(Self.decades.upperBound) {
            let height = y(microseconds: pow(10, Double(decade)))
            parts.append(line(x(0), height, x(duration), height, "stroke=\"#ddd\""))
            let name =
                decade < 0
                ? "0.1 us" : decade < 3 ? "\(Int(pow(10, Double(decade)))) us" : decade == 3 ? "1 ms" : "10 ms"
            parts.append(text(name, x: fixed(Self.left - 8, 0), y: height, extra: "text-anchor=\"end\""))
        }
        let step = duration > 45 ? 10.0 : 5
        for seconds in stride(from: 0, through: duration, by: step) {
            let foot = fixed(Self.height - Self.bottom, 1)
            parts.append(line(x(seconds), fixed(Self.top, 1), x(seconds), foot, "stroke=\"#eee\""))
            parts.append(
                text(
                    "\(Int(seconds)) s", x: x(seconds), y: fixed(Self.height - Self.bottom + 18, 0),
                    extra: "text-anchor=\"middle\""))
        }
        return parts.joined(separator: "\n")
    }

    private var limits: String {
        let limits = rows[0].item.limits
        return [("p50", limits.p50), ("p99", limits.p99)].compactMap { name, limit -> String? in
            guard let limit else { return nil }
            let height = y(microseconds: limit)
            return line(x(0), height, x(duration), height, "stroke=\"#444\" stroke-dasharray=\"5 4\"")
                + text("\(name) limit", x: x(duration), y: height, extra: "text-anchor=\"end\" dy=\"-4\" fill=\"#444\"")
        }.joined(separator: "\n")
    }

    private func lines(of index: Int) -> String {
        let colour = Self.colours[index % Self.colours.count]
        return rows[index].runs.map { run in
            [false, true].map { isNearStall in
                let opacity = isNearStall ? 0.25 : 0.75
                return stretches(of: run.worstPair.windows, nearStall: isNearStall).map { points in
                    "<polyline fill=\"none\" stroke=\"\(colour)\" opacity=\"\(opacity)\" points=\"\(points)\"/>"
                }.joined(separator: "\n")
            }.joined(separator: "\n")
        }.joined(separator: "\n")
    }

    /// The points of each unbroken stretch of windows of this kind.
    private func stretches(
        of windows: [(time: Double, skew: Double, isNearStall: Bool)], nearStall: Bool
    ) -> [String] {
        windows.split { $0.isNearStall != nearStall }.map { stretch in
            stretch.map { "\(x($0.time)),\(y(microseconds: $0.skew * 1e6))" }.joined(separator: " ")
        }
    }

    private var legend: String {
        rows.indices.map { index in
            let colour = Self.colours[index % Self.colours.count]
            return text(
                rows[index].player, x: fixed(Self.width - Self.right - 90 * Double(rows.count - index), 0), y: "24",
                extra: "fill=\"\(colour)\" font-weight=\"bold\"")
        }.joined(separator: "\n")
    }

    private func line(_ x1: String, _ y1: String, _ x2: String, _ y2: String, _ style: String) -> String {
        "<line x1=\"\(x1)\" y1=\"\(y1)\" x2=\"\(x2)\" y2=\"\(y2)\" \(style)/>"
    }

    private func text(_ words: String, x: String, y: String, extra: String) -> String {
        "<text x=\"\(x)\" y=\"\(y)\" \(extra)>\(words)</text>"
    }
}
