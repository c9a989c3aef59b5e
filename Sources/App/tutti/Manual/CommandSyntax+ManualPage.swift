extension CommandSyntax {
    /// The text of tutti-COMMAND(1).
    var manualPage: String {
        var page = ManualText(name: "tutti-\(name)", section: 1, heading: "Tutti Manual")
        page.section("NAME")
        page.words("tutti-\(name) - \(summary.asPhrase)")
        page.section("SYNOPSIS")
        page.line(([ManualText.bold("tutti \(name)")] + usage).joined(separator: " "))
        page.section("DESCRIPTION")
        page.words(summary)
        for note in notes where note.exitCodes == nil { page.paragraph(note) }
        if !operands.isEmpty {
            page.section("ARGUMENTS")
            for operand in operands { page.entry(ManualText.italic(operand.name), operand.help) }
        }
        page.section("OPTIONS")
        for option in options { page.entry(option.manualTitle, option.help) }
        for codes in notes.compactMap(\.exitCodes) {
            page.section("EXIT STATUS")
            page.words(codes)
        }
        page.section("EXAMPLES")
        for example in examples { page.entry(ManualText.bold(example.command), example.meaning) }
        page.section("SEE ALSO")
        page.line("\(ManualText.bold("tutti"))(1), \(ManualText.bold(ConfigurationPage.name))(5)")
        return page.text
    }

    private var usage: [String] {
        operands.map { operand in
            let name = ManualText.italic(operand.name) + (operand.repeats ? "..." : "")
            return operand.isRequired ? name : "[\(name)]"
        } + (options.isEmpty ? [] : ["[\(ManualText.italic("OPTION"))]..."])
    }
}

extension CommandSyntax.Option {
    fileprivate var manualTitle: String {
        let names = (short.map { [ManualText.bold("-\($0)")] } ?? []) + [ManualText.bold(name)]
        return names.joined(separator: ", ") + (value.map { " " + ManualText.italic($0) } ?? "")
    }
}

extension String {
    /// What stands in a note on exit codes; nil for another note.
    fileprivate var exitCodes: String? {
        let beginning = "Exit code: "
        return hasPrefix(beginning) ? String(dropFirst(beginning.count)) : nil
    }

    /// A sentence as a part of another: a small letter first, no full stop.
    var asPhrase: String {
        let words = hasSuffix(".") ? dropLast() : self[...]
        return words.prefix(1).lowercased() + words.dropFirst()
    }

    /// The first sentence, without its full stop: what a line beside a word has room for.
    var firstSentence: String {
        var sentence = ""
        for character in self {
            if character == " ", sentence.hasSuffix(".") { break }
            sentence.append(character)
        }
        return sentence.hasSuffix(".") ? String(sentence.dropLast()) : sentence
    }
}
