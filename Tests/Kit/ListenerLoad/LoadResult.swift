import AudioCore
import ClockSync

/// Clock exchanges of one listener, or of several.
public struct ClockExchanges: Hashable, Sendable {
    public var sent = 0
    public var answered = 0
    public var lost = 0
    public var ignored = 0

    init() {}

    init(_ statistics: ClockClient.Statistics) {
        sent = statistics.sent
        answered = statistics.completed
        lost = statistics.lost
        ignored = statistics.ignored
    }

    static func += (sum: inout ClockExchanges, other: ClockExchanges) {
        sum.sent += other.sent
        sum.answered += other.answered
        sum.lost += other.lost
        sum.ignored += other.ignored
    }
}

/// What became of a load.
public struct LoadResult: Sendable {
    /// Listeners of one kind, summed up.
    public struct Group: Sendable {
        public var listeners = 0
        public var joined = 0
        public var figures = ReceptionFigures()
        public var margins = DeliveryMargins()
        public var clockErrors = ClockErrors()
        /// Of the connections: what TCP carried.
        public var byteCount = 0
        /// Least and most of one listener.
        public var byteCountRange: ClosedRange<Int>?
        public var exchanges = ClockExchanges()
    }

    public var steady = Group()
    public var disturbed = Group()
    /// From the first dial to the last welcome.
    public var joiningSpan = TimeSpan.zero
    /// From one listener's dial to its welcome, at the most.
    public var longestJoin = TimeSpan.zero
    /// From the beginning to the end.
    public var span = TimeSpan.zero
    /// What this program took of a processor, and how late it was at most: what it says of margins is true to that.
    public var processorTime = TimeSpan.zero
    public var longestLag = TimeSpan.zero
    /// How often the machine stood still, and how long altogether.
    public var stallCount = 0
    public var stalledNanoseconds: Int64 = 0
    public var complaints: [String] = []

    /// Whether every listener that reads as it should joined, and got everything in time.
    public var isFlawless: Bool { steady.joined == steady.listeners && steady.figures.isFlawless }

    public var json: String {
        var members = [("listeners", "\(steady.listeners + disturbed.listeners)"), ("steady", Self.json(steady))]
        if disturbed.listeners > 0 { members.append(("disturbed", Self.json(disturbed))) }
        members += [
            ("joiningMilliseconds", Self.milliseconds(joiningSpan)),
            ("longestJoinMilliseconds", Self.milliseconds(longestJoin)), ("milliseconds", Self.milliseconds(span)),
            ("loadProcessorMilliseconds", Self.milliseconds(processorTime)),
            ("loadLongestLagMilliseconds", Self.milliseconds(longestLag)),
            ("stalls", "\(stallCount)"),
            ("stalledMilliseconds", Self.milliseconds(.nanoseconds(stalledNanoseconds))),
            ("complaints", "[" + complaints.map(Self.quoted).joined(separator: ",") + "]"),
        ]
        return Self.object(members)
    }

    private static func json(_ group: Group) -> String {
        let figures = ReceptionFigures.paths.map { ($0.name, "\(group.figures[keyPath: $0.value])") }
        let count = max(1, group.listeners)
        let margins = object([
            ("messages", "\(group.margins.count)"), ("least", milliseconds(group.margins.least)),
            ("p1", milliseconds(group.margins.percentile(0.01))),
            ("p50", milliseconds(group.margins.percentile(0.5))),
        ])
        let exchanges = object([
            ("sent", "\(group.exchanges.sent)"), ("answered", "\(group.exchanges.answered)"),
            ("lost", "\(group.exchanges.lost)"), ("ignored", "\(group.exchanges.ignored)"),
        ])
        let errors = object([
            ("readings", "\(group.clockErrors.count)"), ("p50", microseconds(group.clockErrors.percentile(0.5))),
            ("p99", microseconds(group.clockErrors.percentile(0.99))), ("most", microseconds(group.clockErrors.most)),
            ("beyondBound", "\(group.clockErrors.beyondBoundCount)"),
        ])
        let range = group.byteCountRange ?? 0...0
        return object(
            [("listeners", "\(group.listeners)"), ("joined", "\(group.joined)")] + figures + [
                ("marginsMilliseconds", margins), ("bytesPerListener", "\(group.byteCount / count)"),
                ("leastBytes", "\(range.lowerBound)"), ("mostBytes", "\(range.upperBound)"),
                ("clockExchanges", exchanges), ("clockErrorsMicroseconds", errors),
            ])
    }

    /// Whole ones, rounded down, so that what is late is never 0.
    private static func milliseconds(_ span: TimeSpan?) -> String {
        span.map { "\(Int64(saturating: $0.milliseconds.rounded(.down)))" } ?? "null"
    }

    /// To a tenth, rounded up.
    private static func microseconds(_ span: TimeSpan?) -> String {
        span.map { "\(Double(($0.nanoseconds + 99) / 100) / 10)" } ?? "null"
    }

    private static func object(_ members: [(String, String)]) -> String {
        "{" + members.map { quoted($0.0) + ":" + $0.1 }.joined(separator: ",") + "}"
    }

    /// As RFC 8259 has it; control characters become spaces.
    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted += "\\" + String(scalar)
            case _ where scalar.value < 0x20: quoted += " "
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
