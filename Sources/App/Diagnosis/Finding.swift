import AudioCore

/// One thing that a doctor says.
public struct Finding: Hashable, Sendable {
    public enum Severity: String, Comparable, Sendable, CaseIterable {
        /// As it should be.
        case ok
        /// Worth knowing; also what could not be looked at.
        case note
        /// It works, and not as well as it could.
        case warning
        /// It keeps Tutti from working, or will.
        case problem

        public static func < (a: Severity, b: Severity) -> Bool { a.rank < b.rank }

        private var rank: Int {
            switch self {
            case .ok: 0
            case .note: 1
            case .warning: 2
            case .problem: 3
            }
        }
    }

    /// What kind of finding it is, for programs: it never changes. `area.what`.
    public var id: String
    public var severity: Severity
    /// One line. It may hold what peers and other programs said: whoever shows it makes it safe to show.
    public var what: String
    /// Why it matters; nil where that is plain.
    public var why: String?
    /// The command that mends it, or what to do.
    public var remedy: String?
    /// The peer on whose machine it was found, which says so itself; nil for this one.
    public var machine: String?

    public init(
        _ id: String, _ severity: Severity, _ what: String, why: String? = nil, remedy: String? = nil
    ) {
        self.id = id
        self.severity = severity
        self.what = what
        self.why = why
        self.remedy = remedy
    }
}

/// Facts of one area, of which a doctor makes findings. Pure: what was seen is given.
protocol Judged: Sendable {
    /// In the order in which they are shown; at least one.
    var findings: [Finding] { get }
}

extension String {
    /// A text from another program, as one line of at most 80 bytes.
    init(heard text: String) { self.init(displaying: text, maximumByteCount: 80) }
}

extension [String] {
    /// The first few of them, in one line.
    var listed: String {
        prefix(6).joined(separator: ", ") + (count > 6 ? " and \(count - 6) more" : "")
    }
}
