import LANKit
import StreamTestKit
import Testing

/// A libcurl that does not know an option, by the real program.
@Suite(.timeLimit(.minutes(5)))
struct LibcurlOptionTests {
    /// Since 7.87; without it the program may end a little later.
    private static let optional = "322"
    private static let url = "http://127.0.0.1:9/song.mp3"

    private func run(_ environment: String, in sourceFiles: borrowing SourceFiles) throws -> String {
        let command = "LD_LIBRARY_PATH=. XDG_STATE_HOME=. \(environment) \(buildDirectory)/tutti"
        try Tool.run(
            "ln -sf \(buildDirectory)/libStubbornCurl.so libcurl.so.4 && "
                + "sh -c \"\(command) broadcast '\(Self.url)' --now --no-mdns --port \(freePort())\" >out 2>&1; "
                + "echo $? >>out", in: sourceFiles.directory)
        return String(decoding: try Tool.readFile(sourceFiles.path("out")), as: UTF8.self)
    }

    @Test func anOptionThatIsRefusedEndsTheRequest() throws {
        let sourceFiles = SourceFiles()
        let unreachable = "tutti: '\(Self.url)' cannot be reached: nobody is there\n66\n"
        #expect(try run("STUBBORN_CURL_LOG=options SSL_CERT_FILE=none", in: sourceFiles) == unreachable)
        let options = String(decoding: try Tool.readFile(sourceFiles.path("options")), as: UTF8.self)
            .split(separator: "\n").map(String.init)
        // What is read, what is not waited for, and where redirections may lead: 10001, 156, 182.
        #expect(
            options.count > 15 && ["10001", "156", "182", Self.optional].allSatisfy(options.contains), "\(options)")
        for option in options {
            let output = try run("STUBBORN_CURL_REFUSES=\(option) SSL_CERT_FILE=none", in: sourceFiles)
            let refusal = """
                tutti: '\(Self.url)' cannot be fetched: this libcurl does not know option \(option); install a newer \
                libcurl4
                69

                """
            #expect(output == (option == Self.optional ? unreachable : refusal), "option \(option)")
        }
    }
}
