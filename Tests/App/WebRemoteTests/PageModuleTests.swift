import StreamTestKit
import Testing

/// The page's own tests, which are in its language: `node --test Tests/Page`.
@Suite(.timeLimit(.minutes(5))) struct PageModuleTests {
    private static let root = #filePath.split(separator: "/").dropLast(4).map { "/\($0)" }.joined()

    @Test func thePagesTestsPass() throws {
        let directory = TemporaryDirectory()
        try Tool.run(
            "node --test --test-reporter=tap '\(Self.root)/Tests/Page' >results 2>&1; echo \"ended with $?\" >>results",
            in: directory)
        let results = String(decoding: try Tool.readFile(directory.path + "/results"), as: UTF8.self)
        let lines = results.split(separator: "\n")
        let failed = lines.filter { $0.contains("not ok") }
        #expect(failed.isEmpty && lines.last == "ended with 0", "\(failed) \(results.suffix(2_000))")
        #expect(lines.count { $0.hasPrefix("ok ") } > 90)
    }
}
