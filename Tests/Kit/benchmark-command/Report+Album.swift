import HeardAnalysis

extension AlbumResult {
    /// A row of the table of what was heard between songs.
    struct Row {
        var title: String
        var limit: String
        /// Median, most, and how many times.
        var figures: [String]
        /// Why it is not as it should be.
        var excess: String?
    }

    /// Joints that the machine disturbed are left out, unless it disturbed all.
    private var calm: [Joint] {
        let calm = joints.filter { !$0.isNearStall }
        return calm.isEmpty ? joints : calm
    }

    private func row(
        _ title: String, limit: String, _ values: [Double?], by part: Double, atMost most: Double?,
        _ text: (Double) -> String
    ) -> Row {
        let known = values.compactMap(\.self)
        let figures = [0.5, 1].map { heardPercentile($0, of: known).map(text) ?? "" } + ["\(values.count)"]
        var row = Row(title: title, limit: limit, figures: figures, excess: nil)
        if known.count < values.count || values.isEmpty {
            row.excess = "\(values.count - known.count) of \(values.count) not heard"
        } else if most == nil {
            row.excess = "played too badly elsewhere to compare"
        } else if let most, let figure = heardPercentile(part, of: known), figure > most {
            row.excess = text(figure)
        }
        return row
    }

    /// The 99th percentile of the skew in mid-song, in seconds; nil where nothing sounded.
    var midSongSkew: Double? { heardPercentile(0.99, of: midSongSkews) }

    func rows(_ link: LinkKind) -> [Row] {
        let skewLimit = midSongSkew ?? link.skewLimit * 1e-6
        let isPlayedWell = midSongResidual.map { $0 < Self.residualLimit } ?? false
        let midSong = midSongResidual.map { "\(fixed($0, 1)) dBFS" } ?? "nothing"
        return [
            row(
                "skew in mid-song, in each half second: its 99th percentile is the limit of skews",
                limit: "\(fixed(link.skewLimit, 0)) us", midSongSkews, by: 0.99, atMost: link.skewLimit * 1e-6,
                Self.skew
            ),
            row(
                "skew around the joint of two songs", limit: Self.skew(skewLimit), calm.map(\.skew),
                by: 0.5, atMost: skewLimit, Self.skew),
            row(
                "joined in the last seconds of a song: missing of the next one", limit: "0 ms", calm.map(\.missing),
                by: 1, atMost: 0
            ) { "\(fixed($0 * 1e3, 0)) ms" },
            row(
                "997 Hz, split off a zero crossing: residual in the worst 10 ms around the joint",
                limit: "\(midSong), the worst in mid-song", calm.map(\.residual), by: 1,
                atMost: isPlayedWell ? midSongResidual : nil
            ) { "\(fixed($0, 1)) dBFS" },
            Row(
                title: "split album of FLAC, by `tutti record`", limit: "bit-exact",
                figures: [differingFrame.map { "differs from frame \($0) on" } ?? "bit-exact", "", "1"],
                excess: differingFrame.map { "differs from frame \($0) on" }),
        ]
    }

    private static func skew(_ seconds: Double) -> String { "\(fixed(seconds * 1e6, 1)) us" }

    func excesses(_ link: LinkKind) -> [String] {
        rows(link).compactMap { row in row.excess.map { "\(row.title), \(link.title): \($0)" } }
    }

    func markdown(_ link: LinkKind) -> String {
        let rows = rows(link).map { row in
            "| \(([row.title, row.limit] + row.figures).joined(separator: " | ")) |\n"
        }
        return """

            | between songs | limit | median | most | times |
            |---|---:|---:|---:|---:|
            \(rows.joined())
            Near a stall, and left out: \(joints.count - calm.count) of \(joints.count) joints.

            """
    }
}
