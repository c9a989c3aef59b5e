import StreamTestKit
import Testing
import WebServerKit

/// Addresses with a password: nothing that the program says shows it, to its own user or to others.
@Suite(.timeLimit(.minutes(5)))
struct CredentialProcessTests {
    private static let password = "verysecret"

    private func text(_ name: String, in directory: borrowing TemporaryDirectory) throws -> String {
        let text = String(decoding: try Tool.readFile("\(directory.path)/\(name)"), as: UTF8.self)
        #expect(!text.contains(Self.password) && !text.contains("me:"), "\(name): \(text)")
        return text
    }

    /// A song without a title is called after its address.
    @Test func aTitleMadeOfAnAddressShowsNoPassword() throws {
        let directory = TemporaryDirectory()
        try Tool.run("sox -R -n -r 44100 -b 16 song.wav synth 1 sine 440", in: directory)
        let server = try WebServer(directory: directory.path)
        let host = server.url("").dropFirst("http://".count).dropLast()
        let url = "http://me:\(Self.password)@\(host)/?file=song.wav"
        let port = freePort()
        try TuttiProcess.run(
            """
            tutti record --host 127.0.0.1:\(port) --no-mdns --port \(freePort()) a.wav --json > record 2>&1 & recorder=$!
            tutti broadcast '\(url)' --wait 1 --no-mdns --port \(port) --json > json 2>&1 || exit 1
            wait $recorder || exit 2
            tutti broadcast '\(url)' --now --no-mdns --port \(port) --verbose > plain 2>&1 || exit 3
            tutti play '\(url)' --output null > play 2>&1 || exit 4
            TERM=xterm script -qec "tutti broadcast '\(url)' --now --no-mdns --port \(port)" /dev/null > live 2>&1 || exit 5
            """, in: directory)
        for name in ["record", "json", "plain", "play", "live"] {
            #expect(try text(name, in: directory).contains(host), "\(name)")
        }
        #expect(try text("json", in: directory).contains("\"title\":\"\(host)\""))
    }

    /// Whatever is wrong with it.
    @Test func aComplaintAboutAnAddressShowsNoPassword() throws {
        let directory = TemporaryDirectory()
        let server = try WebServer(directory: directory.path)
        let credentials = "me:\(Self.password)@"
        func address(_ path: String) -> String { "http://" + credentials + server.url(path).dropFirst("http://".count) }
        let list = [
            address("none"), address("away?to=ftp://\(credentials)127.0.0.1/x"),
            address("away?to=http://\(credentials)127.0.0.1:x/"), address("redirect/11/none"), address("garbage"),
            "ftp://\(credentials)127.0.0.1/x", "file://\(credentials)127.0.0.1",
            "http://\(credentials)nowhere.invalid/",
            "http://me:very/\(Self.password)@127.0.0.1/", "http://\(credentials)127.0.0.1:9/",
        ]
        try Tool.writeFile(directory.path + "/list.m3u", Array((list.joined(separator: "\n") + "\n").utf8))
        let one = address("none")
        let commands = [
            "broadcast list.m3u --now --no-mdns --port \(freePort()) --json",
            "broadcast list.m3u --now --no-mdns --port \(freePort()) --verbose",
            "broadcast \(one) --now --no-mdns --port \(freePort())", "play list.m3u --output null --verbose",
            "play \(one) --output null", "inspect \(one)", "inspect --json \(one)", "decode \(one) out.wav", one,
            "inspect --\(one)", "join \(one) --output null", "decode \(one) \(one) \(one)",
        ]
        let lines = commands.enumerated().map { "tutti \($1) > said\($0) 2>&1\n" }
        try TuttiProcess.run(lines.joined() + "true", in: directory)
        for index in commands.indices {
            #expect(try !text("said\(index)", in: directory).isEmpty, "\(commands[index])")
        }
        // Every one of the list was looked at.
        let said = try text("said1", in: directory)
        #expect(said.contains("ftp URLs cannot be played") && said.contains("nowhere.invalid"), "\(said)")
    }
}
