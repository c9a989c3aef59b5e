import Testing

@testable import Diagnosis

/// Findings, as machines tell each other of them.
@Suite(.timeLimit(.minutes(5))) struct FindingTests {
    @Test func whatOneMachineTellsAnotherReads() {
        let warning = Finding("sound.xruns", .warning, "it ran dry", why: "gaps", remedy: "mend it")
        let problem = Finding("avahi.not-running", .problem, "it does not run")
        let text = [warning, problem].map { $0.tabs + "\n" }.joined()
        var expected = [warning, problem]
        for index in expected.indices { expected[index].machine = "Attic" }
        #expect(Finding.findings(tabs: Array(text.utf8), of: "Attic") == expected)
    }

    @Test func whatIsWellThereIsNotTold() {
        let ok = Finding("avahi.works", .ok, "it works")
        #expect(Finding.findings(tabs: Array((ok.tabs + "\n").utf8), of: "Attic") == [])
    }

    @Test func tabsAndLinesInATextDoNotMakeFields() {
        let finding = Finding("a.b", .note, "one\ttwo\nthree", why: "\t")
        #expect(finding.tabs.split(separator: "\t", omittingEmptySubsequences: false).count == 5)
        #expect(!finding.tabs.contains("\n"))
    }

    /// A peer may say anything.
    @Test func nonsenseIsPassedOverAndBounded() {
        for text in ["", "\n\n", "warning\ta.b\twhat", "boss\ta\tb\tc\td", "warning\t\tb\tc\td", "\u{FF}\u{0}\t\t\t\t"]
        {
            #expect(Finding.findings(tabs: Array(text.utf8), of: "Attic") == [], "\(text)")
        }
        let line =
            "problem\t"
            + ["x.y", "w", "z", "\u{1B}[31m"].map { String(repeating: $0, count: 1_000) }
            .joined(separator: "\t")
        let many = Array(repeating: line, count: 1_000).joined(separator: "\n")
        let found = Finding.findings(tabs: Array(many.utf8), of: "Attic")
        #expect(found.count == 64)
        #expect(found.allSatisfy { $0.id.utf8.count <= 60 && $0.what.utf8.count <= 400 })
        #expect(found.allSatisfy { $0.remedy?.unicodeScalars.contains("\u{1B}") == false })
    }

    @Test func severitiesAreOrdered() {
        #expect(Finding.Severity.allCases == Finding.Severity.allCases.sorted())
        #expect(Finding.Severity.allCases.max() == .problem)
    }
}
