import LANKit

/// What was asked for on the command line.
struct Options {
    var output = ""
    /// Of each long listening.
    var seconds = 300.0
    var loadCount = 10
    var browserCount = 200
    var parts = Part.allCases
    var program = buildDirectory + "/tutti"
    var revision = "unknown"
    var date = "unknown"

    /// Why the command line is refused.
    struct Refusal: Error {
        var reason: String
    }

    init(_ arguments: [String]) throws(Refusal) {
        var rest = arguments[...]
        var named: [Part] = []
        while let name = rest.popFirst() {
            guard let value = rest.popFirst() else { throw Refusal(reason: "\(name) is unknown, or needs a value") }
            switch name {
            case "--output": output = value
            case "--program": program = value
            case "--revision": revision = value
            case "--date": date = value
            case "--seconds": seconds = Double(try Self.number(value, of: name, in: 20...3_600))
            case "--loads": loadCount = try Self.number(value, of: name, in: 1...100)
            case "--browsers": browserCount = try Self.number(value, of: name, in: 1...300)
            case "--part":
                guard let part = Part(rawValue: value) else {
                    throw Refusal(
                        reason: "--part is one of \(Part.allCases.map(\.rawValue).joined(separator: ", "))")
                }
                named.append(part)
            default: throw Refusal(reason: "unknown option '\(name)'")
            }
        }
        if !named.isEmpty { parts = named }
        guard !output.isEmpty else { throw Refusal(reason: "--output DIRECTORY is missing") }
    }

    private static func number(_ text: String, of name: String, in range: ClosedRange<Int>) throws(Refusal) -> Int {
        guard let number = Int(text), range.contains(number) else {
            throw Refusal(reason: "\(name) is from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }
}

/// What is measured.
enum Part: String, CaseIterable {
    /// A long listening.
    case steady
    /// The same while the page's main thread stands still for 200 ms each second.
    case blocked
    /// Page loads, one after the other.
    case loads
    /// Many browsers at once.
    case many

    var title: String {
        switch self {
        case .steady: "a page that is left alone"
        case .blocked: "main thread blocked for 200 ms each second"
        case .loads: "page loads"
        case .many: "many browsers"
        }
    }
}
