import TestbedKit
import Testing

/// What all benchmarks take on their command lines.
@Suite(.timeLimit(.minutes(5))) struct BenchmarkOptionsTests {
    private enum Link: String, CaseIterable {
        case lan, wifi
    }

    private static func options(_ words: [String]) throws(BenchmarkRefusal) -> (BenchmarkOptions, count: Int, Link?) {
        var (options, count, link) = (BenchmarkOptions(), 0, Link?.none)
        var rest = BenchmarkArguments(words)
        while let name = rest.next() {
            switch name {
            case "--count": count = try rest.number(of: name, in: 1...9)
            case "--link": link = try rest.choice(of: name)
            default: try options.take(name, &rest)
            }
        }
        try options.check()
        return (options, count, link)
    }

    @Test func commonOnesAndOwnOnesAreTaken() throws {
        let (options, count, link) = try Self.options([
            "--output", "/x", "--count", "9", "--program", "/bin/tutti", "--link", "wifi", "--revision", "abc",
            "--date", "d",
        ])
        #expect(options.output == "/x" && options.program == "/bin/tutti")
        #expect(options.revision == "abc" && options.date == "d")
        #expect(count == 9 && link == .wifi)
        #expect(try Self.options(["--output", "/x"]).0.program.hasSuffix("/tutti"))
    }

    @Test(arguments: [
        ([], "--output DIRECTORY is missing"), (["--output"], "--output needs a value"),
        (["--output", "/x", "--nonsense", "1"], "unknown option '--nonsense'"),
        (["--count", "ten"], "--count is from 1 to 9"), (["--count", "0"], "--count is from 1 to 9"),
        (["--link", "radio"], "--link is one of lan, wifi"),
    ]) func whatIsWrongIsToldInALine(words: [String], reason: String) {
        #expect { try Self.options(words) } throws: { ($0 as? BenchmarkRefusal)?.reason == reason }
    }

    @Test func tablesAreMarkdown() {
        #expect(
            BenchmarkProgram.table(head: ["a", "b"], [["c", "1"], ["d", "2"]])
                == "| a | b |\n| --- | ---: |\n| c | 1 |\n| d | 2 |\n")
    }
}
