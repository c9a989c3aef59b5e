import TOML

/// Configuration files: any bytes as TOML. What is read is TOML when it is written again, whatever was wrong beside it.
struct TOMLRun {
    private let input: [UInt8]

    init(_ input: [UInt8]) { self.input = input }

    func violation() -> String? {
        let document = TOMLDocument(parsing: input)
        let lineCount = input.count { $0 == UInt8(ascii: "\n") } + 1
        if document.problems.count > TOMLDocument.problemCountLimit + 1 { return "too many problems" }
        for problem in document.problems {
            guard isInside(problem.position, lineCount) else { return "a problem at \(problem.position)" }
            guard Self.isLine("\(problem.cause)") else { return "no line: \(problem.cause)" }
        }
        for (earlier, later) in zip(document.problems, document.problems.dropFirst()) {
            if earlier.position.line > later.position.line { return "problems out of order" }
        }
        return violation(in: document.root, lineCount, depth: 1) ?? Self.roundTripViolation(of: document.root)
    }

    private func isInside(_ position: TOMLPosition, _ lineCount: Int) -> Bool {
        (1...lineCount).contains(position.line) && (1...(input.count + 1)).contains(position.column)
    }

    private func violation(in table: TOMLTable, _ lineCount: Int, depth: Int) -> String? {
        if depth > TOMLDocument.depthLimit { return "\(depth) levels" }
        if Set(table.entries.map { Array($0.key.utf8) }).count != table.entries.count { return "a key twice" }
        for entry in table.entries {
            guard isInside(entry.position, lineCount) else { return "a key at \(entry.position)" }
            if let violation = violation(in: entry.value, lineCount, depth: depth + 1) { return violation }
        }
        return nil
    }

    private func violation(in value: TOMLValue, _ lineCount: Int, depth: Int) -> String? {
        switch value {
        case .table(let table): return violation(in: table, lineCount, depth: depth)
        case .array(let elements):
            if depth > TOMLDocument.depthLimit { return "\(depth) levels" }
            for element in elements {
                guard isInside(element.position, lineCount) else { return "an element at \(element.position)" }
                if let violation = violation(in: element.value, lineCount, depth: depth + 1) { return violation }
            }
            return nil
        case .string, .integer, .float, .boolean, .dateTime: return nil
        }
    }

    private static func roundTripViolation(of root: TOMLTable) -> String? {
        let text = text(root, separator: "\n")
        // Quotes make keys longer.
        guard text.utf8.count <= TOMLDocument.byteCountLimit else { return nil }
        let again = TOMLDocument(parsing: Array(text.utf8))
        if let problem = again.problems.first { return "'\(text)' is not read again: \(problem)" }
        return self.text(again.root, separator: "\n") == text ? nil : "'\(text)' is another one when it is read again"
    }

    private static func text(_ table: TOMLTable, separator: String) -> String {
        table.entries.map { quoted($0.key) + "=" + text($0.value) }.joined(separator: separator)
    }

    private static func text(_ value: TOMLValue) -> String {
        switch value {
        case .string(let text): quoted(text)
        case .integer(let integer): "\(integer)"
        case .float(let float): float.isFinite ? float.description : float.isNaN ? "nan" : float < 0 ? "-inf" : "inf"
        case .boolean(let boolean): "\(boolean)"
        case .dateTime(let text): text
        case .array(let elements): "[" + elements.map { text($0.value) }.joined(separator: ",") + "]"
        case .table(let table): "{" + text(table, separator: ",") + "}"
        }
    }

    private static func quoted(_ text: String) -> String {
        let scalars = text.unicodeScalars.map { scalar in
            if scalar.value >= 0x20, scalar != "\"", scalar != "\\", scalar.value != 0x7F { return String(scalar) }
            let digits = String(scalar.value, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }
        return "\"" + scalars.joined() + "\""
    }

    private static func isLine(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count < 512
            && !text.unicodeScalars.contains { $0.properties.generalCategory == .control }
    }
}

extension TOMLRun {
    static var seeds: [[UInt8]] {
        [
            """
            # Kitchen
            name = "K\\u00FCche"\nvolume = 60\n
            [join]\nquiet-hours = [ "22:00-07:00=20", # night\n  '13:00-14:00', ]\nno-mdns = true\n"a b".c = {}\n
            [[x.y]]\nz = 1979-05-27 07:32:00.5+01:00\n[[x.y]]\nz = [ 0xFF, -1_000, 5e+22, nan, { q.r = 'C:\\' } ]\n
            """,
            "a = \"\"\"\n\"\"x\\\n   y\\t\"\"\"\"\nb = '''\r\n''x''''\n[c]\n[c]\nd\n[e\nf = 1\n[c.g]\nh = 'x\ni = 07:32:00\n",
            "[a.b.c]\nd = 1\n[a]\nb.e = 2\n[a.b]\n[[a]]\n\u{FEFF}\u{1}",
        ].map { Array($0.utf8) }
    }
}
