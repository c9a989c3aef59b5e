import Testing

@testable import TOML

/// Where keys and mistakes are, what is read in spite of mistakes, and what a document may cost.
@Suite(.timeLimit(.minutes(5))) struct TOMLDocumentTests {
    private func read(_ text: String) -> TOMLDocument { TOMLDocument(parsing: Array(text.utf8)) }

    /// Each as `LINE:COLUMN KEY: what is wrong`.
    private func problems(_ document: TOMLDocument) -> [String] {
        document.problems.map {
            "\($0.position.line):\($0.position.column) \(($0.key ?? []).joined(separator: ".")): \($0.cause)"
        }
    }

    @Test func everyKeyAndElementHasItsPlace() throws {
        let document = read("a = 1\r\n\n [join] # c\n  \"b\" . c = [ 2,\n 3 ]\nd = { e = 4 }\n")
        #expect(document.problems == [])
        let join = try #require(document.root.entry("join"))
        #expect(join.position == TOMLPosition(line: 3, column: 3))
        guard case .table(let table) = join.value, case .table(let inner)? = table.entry("b")?.value,
            case .table(let inline)? = table.entry("d")?.value, case .array(let elements)? = inner.entry("c")?.value
        else { throw TOMLProblem(.noValue, at: join.position) }
        #expect(table.entry("b")?.position == TOMLPosition(line: 4, column: 3))
        #expect(inner.entry("c")?.position == TOMLPosition(line: 4, column: 9))
        #expect(elements.map(\.position) == [TOMLPosition(line: 4, column: 15), TOMLPosition(line: 5, column: 2)])
        #expect(inline.entry("e")?.position == TOMLPosition(line: 6, column: 7))
        #expect(document.root.entries.map(\.key) == ["a", "join"])
    }

    @Test func aMistakeLosesItsLine() {
        let document = read("a = 1\nb = Kitchen\nc = 3\n=\nd = 'x\n[t]\ne = 01\nf = 6\nf = 7\ng = 8 9\n\u{1}\nh = 10")
        #expect(document.root.dump == read("a = 1\nc = 3\n[t]\nf = 6\nh = 10").root.dump)
        #expect(
            problems(document) == [
                "2:5 b: text stands in quotes: \"Kitchen\"",
                "4:1 : a key is missing; write KEY = VALUE, [TABLE], or # before a comment",
                "5:5 d: the closing quote is missing",
                "7:5 t.e: '01' is no number, which is written 42, -1.5 or 1e6; text stands in quotes",
                "9:1 t.f: 'f' stands there twice; the first one counts",
                "10:7 t.g: there is something behind the value; each KEY = VALUE has its own line",
                "11:1 : a key is missing; write KEY = VALUE, [TABLE], or # before a comment",
            ])
        #expect(document.problems.map(\.table) == [[], [], [], ["t"], ["t"], ["t"], ["t"]])
    }

    @Test(arguments: [
        "a = [\n 1\n 2,\n 3\n]", "a = [\n 'x,\n ['y'],\n]", "a = \"\"\"\nx\\q\ny = z\n\"\"\"", "a = '''\nx\ny",
    ])
    func aValueOfSeveralLinesIsLostWhole(text: String) {
        let document = read("before = 1\n\(text)\nafter = 2\n[t]\nb = 3")
        #expect(document.problems.count <= 2 && document.problems.first?.key == ["a"])
        #expect(document.root.entry("before") != nil && document.root.entry("after") != nil)
        #expect(document.root.entry("t") != nil)
    }

    @Test func keysBelowABrokenHeaderGoNowhere() {
        let document = read("[a]\nx = 1\n[b\ny = 2\n[c]\nz = 3\n[a]\nw = 4\n[d] e = 5\nv = 6")
        #expect(document.root.dump == read("[a]\nx = 1\nw = 4\n[c]\nz = 3").root.dump)
        #expect(
            problems(document).map { $0.split(separator: ":")[0] } == ["3", "7", "9"])
    }

    @Test func wordsThatStandBareAreNamed() {
        func cause(_ value: String) -> String { "\(read("a = \(value)").problems[0].cause)" }
        #expect(cause("/srv/music") == "text stands in quotes: \"/srv/music\"")
        #expect(cause("hw:1") == "text stands in quotes: \"hw:1\"")
        #expect(cause("192.168.1.10").contains("'192.168.1.10' is no number"))
        #expect(cause("22:00-07:00").contains("'22:00-07:00' is no date or time"))
        #expect(cause("").contains("the value is missing"))
        #expect(!cause("\u{7}\u{1B}[2J").contains("\u{1B}"))
    }

    @Test func aByteOrderMarkIsPassedOver() {
        #expect(read("\u{FEFF}a = 1").root.dump == read("a = 1").root.dump)
    }

    // MARK: Limits

    @Test func levelsAreBounded() {
        func nested(_ count: Int) -> String {
            "a = " + String(repeating: "[", count: count) + String(repeating: "]", count: count)
        }
        #expect(read(nested(63)).problems == [])
        #expect(read(nested(64)).problems.map(\.cause) == [.tooDeep])
        let keys = Array(repeating: "k", count: 63).joined(separator: ".")
        #expect(read("[\(keys)]\na = 1").problems == [])
        #expect(read("[\(keys)]\na.b = 1").problems.map(\.cause) == [.tooDeep])
        #expect(read("[\(keys)]\na = {}").problems.map(\.cause) == [.tooDeep])
        #expect(read("a = " + String(repeating: "{a.b=", count: 100_000)).problems.map(\.cause) == [.tooDeep])
        #expect(read(String(repeating: "k.", count: 100_000)).problems.map(\.cause) == [.tooDeep])
    }

    @Test func aLongDocumentIsNotRead() {
        let text = "a = 1\n#" + String(repeating: "x", count: TOMLDocument.byteCountLimit - 7)
        #expect(read(text).problems == [] && read(text).root.entries.count == 1)
        #expect(read(text + "x").problems.map(\.cause) == [.tooLong] && read(text + "x").root.entries.isEmpty)
    }

    @Test func mistakesAreBounded() {
        let document = read(String(repeating: "x\n", count: 10_000))
        #expect(document.problems.count == TOMLDocument.problemCountLimit + 1)
        #expect(document.problems.last?.cause == .tooManyProblems)
    }

    /// What is read once for each of its parts would take hours.
    @Test(arguments: [
        "a='''\n", "b=\"\"\"\\", "[a]\n[[b]]\n", "a=[\n", "{", "[[a]]\n", "a.a.a.a=1\n", "a=[\n'''\n\"\"\"\n", "#",
        "\u{FEFF}",
        "a={b={c=[{},{}]}}\n",
    ])
    func hostileDocumentsAreReadInTime(part: String) {
        let count = TOMLDocument.byteCountLimit / part.utf8.count
        _ = read(String(repeating: part, count: count))
        _ = read((0..<count / 8).map { "k\($0)" + part }.joined())
    }

    @Test func longDocumentsAreReadInTime() {
        _ = read("x = [" + String(repeating: "{a=1},", count: 170_000) + "]")
        let keys = (0..<50_000).map { "k\($0)={}" }
        #expect(read("x = {" + keys.joined(separator: ",") + "}").problems == [])
        #expect(read(keys.joined(separator: "\n")).root.entries.count == keys.count)
        #expect(read((0..<50_000).map { "[k\($0).x]" }.joined(separator: "\n")).root.entries.count == 50_000)
    }
}
