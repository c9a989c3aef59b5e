/// What ThreadWatch wrote of a process.
struct WatchReport: CustomStringConvertible {
    /// The whole of it, for people.
    let description: String
    private let facts: [String: Double]

    init(_ text: String) {
        description = text
        var facts: [String: Double] = [:]
        for line in text.split(separator: "\n") where !line.hasPrefix(" ") && !line.hasPrefix("call") {
            let words = line.split(separator: " ")
            facts[words.dropLast().joined(separator: " ")] = words.last.flatMap { Double($0) }
        }
        self.facts = facts
    }

    /// The value of a line that begins so; zero if there is none.
    subscript(_ name: String) -> Double { facts[name] ?? 0 }

    static let kinds = ["allocate", "free", "lock", "object", "retain", "release"]

    /// The kinds of calls that must not be, with their numbers.
    var offences: [String: Double] {
        var offences: [String: Double] = [:]
        for kind in Self.kinds { offences[kind] = facts["offence " + kind] }
        return offences
    }

    /// Kinds that no other thread called either: a hook that does not work looks like that.
    var unseenKinds: [String] { Self.kinds.filter { self["elsewhere " + $0] == 0 } }
}
