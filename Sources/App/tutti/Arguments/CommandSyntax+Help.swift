extension CommandSyntax {
    /// Returns the text of `tutti COMMAND --help`.
    func help(width: Int = 80) -> String {
        var lines = ["Usage: tutti \(name)\(operandUsage)\(options.isEmpty ? "" : " [OPTION]...")", "", summary]
        if !operands.isEmpty {
            lines += ["", operands.count == 1 ? "Argument:" : "Arguments:"]
            for operand in operands { lines += Self.entry(operand.name, operand.help, width: width) }
        }
        lines += ["", "Options:"]
        for option in options { lines += Self.entry(option.title, option.help, width: width) }
        for note in notes { lines += [""] + note.wrapped(width: width) }
        lines += ["", "Examples:"]
        for example in examples {
            lines += ["  \(example.command)"] + example.meaning.wrapped(width: width - 6).map { "      " + $0 }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private var operandUsage: String {
        operands.map { " " + ($0.isRequired ? $0.usage : "[\($0.usage)]") }.joined()
    }

    /// Returns a two-column entry; a title that is too long has a line of its own.
    static func entry(_ title: String, _ text: String, width: Int, column: Int = 26) -> [String] {
        let indent = String(repeating: " ", count: column)
        let body = text.wrapped(width: width - column)
        guard title.count + 4 <= column, let first = body.first else {
            return ["  \(title)"] + body.map { indent + $0 }
        }
        let head = "  \(title)" + String(repeating: " ", count: column - 2 - title.count) + first
        return [head] + body.dropFirst().map { indent + $0 }
    }
}

extension CommandSyntax.Operand {
    fileprivate var usage: String { repeats ? "\(name)..." : name }
}

extension CommandSyntax.Option {
    fileprivate var title: String {
        (short.map { "-\($0), " } ?? "") + name + (value.map { " \($0)" } ?? "")
    }
}

extension String {
    /// Returns lines of at most `width` characters, broken at spaces; a longer word stays whole.
    func wrapped(width: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in split(separator: " ") {
            if !line.isEmpty, line.count + 1 + word.count > width {
                lines.append(line)
                line = ""
            }
            line += line.isEmpty ? String(word) : " \(word)"
        }
        return line.isEmpty ? lines : lines + [line]
    }
}
