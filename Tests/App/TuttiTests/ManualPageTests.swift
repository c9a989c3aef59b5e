import StreamTestKit
import Testing

@testable import tutti

/// Manual pages, as `tutti help --man` makes them for packages.
@Suite(.timeLimit(.minutes(5))) struct ManualPageTests {
    private static let names: [String?] = [nil, ConfigurationPage.name] + Tutti.commands.map { $0.syntax.name }

    /// The text of a page as man(1) shows it to somebody who copies from it.
    private func shown(_ page: String) throws -> String {
        let directory = StreamTestKit.TemporaryDirectory()
        try Tool.writeFile(directory.path + "/page", Array(page.utf8))
        try Tool.run(
            "man --warnings -E UTF-8 -l -Tutf8 page > shown 2> warnings; cat warnings; test ! -s warnings",
            in: directory)
        try Tool.run("col -b < shown > plain", in: directory)
        return String(decoding: try Tool.readFile(directory.path + "/plain"), as: UTF8.self)
    }

    @Test func thereIsOneForEachCommand() throws {
        for name in Self.names {
            let page = try #require(Manual.page(of: name))
            #expect(page.utf8.allSatisfy { $0 < 0x80 } && page.contains(".TH TUTTI"))
        }
        #expect(Manual.page(of: "jion") == nil)
    }

    @Test func manShowsThemWithoutWarnings() throws {
        for name in Self.names { _ = try shown(#require(Manual.page(of: name))) }
    }

    @Test func allOfTheHelpIsThere() throws {
        for command in Tutti.commands.map({ $0.syntax }) {
            let page = try shown(command.manualPage).split(whereSeparator: \.isWhitespace).joined(separator: " ")
            let options = command.options.flatMap { [$0.name, $0.value ?? "", $0.help] }
            let operands = command.operands.flatMap { [$0.name, $0.help] }
            let examples = command.examples.flatMap { [$0.command, $0.meaning] }
            let notes = command.notes.map { $0.hasPrefix("Exit code: ") ? String($0.dropFirst(11)) : $0 }
            for text in options + operands + examples + notes + [command.summary] {
                let words = text.split(separator: " ").joined(separator: " ")
                #expect(page.contains(words), "\(command.name): \(words)")
            }
        }
    }

    @Test func whatisFindsThem() throws {
        #expect(JoinCommand.syntax.manualPage.contains("\ntutti\\-join \\- plays what is broadcast"))
        #expect("Plays songs.".asPhrase == "plays songs" && "".asPhrase == "")
    }

    @Test func charactersStayWhatTheyAre() throws {
        var page = ManualText(name: "x", section: 1, heading: "X")
        page.section("NAME")
        page.words("x - a page")
        page.section("DESCRIPTION")
        page.paragraph(".dot 'quote' `tick` ^ ~ \" \\n \\fB --option -5 µ")
        page.paragraph("'tutti join'")
        page.example([".a", "'b", "  c"])
        let text = try shown(page.text)
        #expect(text.contains(".dot 'quote' `tick` ^ ~ \" \\n \\fB --option -5 µ"))
        #expect(text.contains("'tutti join'"))
        #expect(text.contains(".a\n") && text.contains("'b\n") && text.contains("  c\n"))
    }

    @Test func aLineHasRoomForTheFirstSentence() {
        #expect("From 0 to 100. Default: 100.".firstSentence == "From 0 to 100")
        #expect("Name on the network".firstSentence == "Name on the network")
        #expect("Formats: 1.5 and 2.5. More.".firstSentence == "Formats: 1.5 and 2.5" && "".firstSentence == "")
    }

    @Test func everyOptionIsAKeyOfTheConfiguration() throws {
        let page = try shown(#require(Manual.page(of: ConfigurationPage.name)))
        #expect(page.contains("device = NAME") && page.contains("no-mdns = true|false"))
        #expect(page.contains("quiet-hours = [FROM-TO[=PERCENT], ...]") && !page.contains("help ="))
    }
}
