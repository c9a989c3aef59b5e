/// A manual page as it is written: lines of man(7), ASCII alone.
struct ManualText {
    private(set) var text = ""

    /// - Parameters:
    ///   - name: in lower case, as the page is asked for.
    ///   - section: 1 for programs, 5 for files (man(1)).
    init(name: String, section: Int, heading: String) {
        line(".\\\" Made by 'tutti help --man' from the program's own table of commands.")
        // Without a date: the page is the same whenever it is made.
        line(".TH \(Self.escaped(name.uppercased())) \(section) \"\" \"Tutti \(Tutti.version)\" \"\(heading)\"")
        // Words that are typed are not broken, nor lines stretched.
        line(".nh\n.ad l")
    }

    mutating func section(_ title: String) { line(".SH \(title)") }

    mutating func subsection(_ title: String) { line(".SS \(title)") }

    /// Text that is set as it is, in a paragraph of its own.
    mutating func paragraph(_ words: String) { line(".PP\n\(Self.textLine(words))") }

    /// Text that goes on with the paragraph.
    mutating func words(_ words: String) { line(Self.textLine(words)) }

    /// - Parameter title: made by ``bold(_:)`` and ``italic(_:)``.
    mutating func entry(_ title: String, _ words: String) { line(".TP\n\(title)\n\(Self.textLine(words))") }

    /// Lines that are shown as they are.
    mutating func example(_ lines: [String]) {
        line(".PP\n.RS 4\n.nf\n\(lines.map(Self.textLine).joined(separator: "\n"))\n.fi\n.RE")
    }

    /// A line of what ``bold(_:)`` and ``italic(_:)`` return.
    mutating func line(_ line: String) { text += line + "\n" }

    static func bold(_ words: String) -> String { "\\fB\(escaped(words))\\fR" }

    static func italic(_ words: String) -> String { "\\fI\(escaped(words))\\fR" }

    /// A dot or an apostrophe at its beginning would make a line a request.
    private static func textLine(_ words: String) -> String {
        let text = escaped(words)
        return text.hasPrefix(".") ? "\\&" + text : text
    }

    /// Characters by their names in groff_char(7), where they would be something else or be set as something else: what
    /// is copied from the page must work.
    static func escaped(_ words: String) -> String {
        var text = ""
        for scalar in words.unicodeScalars {
            switch scalar {
            case "\\": text += "\\(rs"
            case "-": text += "\\-"
            case "'": text += "\\(aq"
            case "`": text += "\\(ga"
            case "^": text += "\\(ha"
            case "~": text += "\\(ti"
            case "\"": text += "\\(dq"
            case _ where scalar.isASCII: text.unicodeScalars.append(scalar)
            default: text += "\\[u\(scalar.codePoint)]"
            }
        }
        return text
    }
}

extension Unicode.Scalar {
    /// At least four digits, as groff(7) wants them.
    fileprivate var codePoint: String {
        let digits = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
