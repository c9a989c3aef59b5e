import Glibc

/// One file, parsed by all in turn, several times.
struct Comparison {
    private var name: String
    private var megabytes: Double
    private var parser: [Trial] = []
    private var ffprobe: [Trial] = []
    private var mpg123: [Trial] = []

    static let header = """
        | file | MB | Tutti MB/s | ffprobe MB/s | mpg123 MB/s | Tutti beside the quicker | packets | ffprobe's | \
        allocations a packet | Tutti RSS MB | ffprobe RSS MB |
        |---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|
        """

    /// - Parameter program: this one.
    init(path: String, runs: Int, program: String) {
        var status = stat()
        stat(path, &status)
        megabytes = Double(status.st_size) / 1e6
        name = String(path.split(separator: "/").last ?? "")
        let probe = ["ffprobe", "-v", "error", "-count_packets", "-select_streams", "a:0", "-show_entries"]
        for _ in 0..<runs {
            if let trial = Trial([program, "--parse", path]) { parser.append(trial) }
            if let trial = Trial(probe + ["stream=nb_read_packets", "-of", "csv=p=0", path]) { ffprobe.append(trial) }
            guard name.hasSuffix(".mp3") else { continue }
            // Scans all of it, then decodes one frame.
            if let trial = Trial(["mpg123", "-q", "--index", "-n", "1", "-t", path]) { mpg123.append(trial) }
        }
    }

    /// Whether ours could parse the file.
    var isComplete: Bool { !parser.isEmpty && !ffprobe.isEmpty }

    var row: String {
        let ours = speed(of: parser)
        let quickest = max(speed(of: ffprobe), mpg123.isEmpty ? 0 : speed(of: mpg123))
        let figures = parser.first?.output.split(whereSeparator: \.isWhitespace) ?? []
        let allocations =
            figures.count == 3 ? (Double(figures[2]) ?? .nan) / max(1, Double(figures[1]) ?? .nan) : .nan
        let cells = [
            name, text(megabytes), text(ours), text(speed(of: ffprobe)), mpg123.isEmpty ? "" : text(speed(of: mpg123)),
            text(ours / quickest, digits: 1), figures.first.map(String.init) ?? "failed",
            ffprobe.first.map { String($0.output.prefix { $0.isNumber }) } ?? "failed",
            text(allocations, digits: 4), text(median(parser.map(\.residentMegabytes)), digits: 1),
            text(median(ffprobe.map(\.residentMegabytes)), digits: 1),
        ]
        return "| " + cells.joined(separator: " | ") + " |"
    }

    private func speed(of trials: [Trial]) -> Double { megabytes / median(trials.map(\.cpuSeconds)) }

    private func text(_ value: Double, digits: Int = 0) -> String {
        guard value.isFinite else { return "-" }
        let scale = pow(10, Double(digits))
        let rounded = (value * scale).rounded() / scale
        return digits == 0 ? "\(Int(rounded))" : "\(rounded)"
    }
}
