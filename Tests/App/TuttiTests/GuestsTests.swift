import Glibc
import StreamTestKit
import Testing
import TuttiRuntime
import WebRemote

@testable import tutti

/// Guests of the page: the file that keeps them, and `tutti guests`.
@Suite(.timeLimit(.minutes(5))) struct GuestsTests {
    private let temporary = TemporaryDirectory()
    private let now: Int64 = 1_700_000_000

    private var file: GuestFile { GuestFile(directory: StateDirectory(path: temporary.path + "/state")) }

    @Test func guestsAreKeptForTheUserAlone() throws {
        let anna = Guest(name: "Anna\u{301}s phone", role: .add, ends: now + 60)
        let stamp = file.stamp
        try file.change(at: now) { $0.append(anna) }
        #expect(file.stamp != stamp)
        let kept = try file.load()
        #expect(kept.map(\.id) == [anna.id] && kept[0].code == anna.code && kept[0].name == anna.name)
        #expect(kept[0].role == .add && kept[0].ends == now + 60)
        var status = stat()
        #expect(stat(temporary.path + "/state/guests", &status) == 0 && status.st_mode & 0o777 == 0o600)
        chmod(temporary.path + "/state/guests", 0o644)
        #expect(throws: PrivateFileError.exposed(path: temporary.path + "/state/guests")) { try file.load() }
    }

    @Test func guestsWhoseTimeIsOverAreLeftOut() throws {
        try file.change(at: now) { $0 = [.init(name: "a", role: .listen, ends: now + 1)] }
        try file.change(at: now + 1) { $0.append(.init(name: "b", role: .listen, ends: now + 9)) }
        #expect(try file.load().map(\.name) == ["b"])
    }

    @Test(arguments: ["x", "a\tlisten\t1\tname\n", "AAAAAAAAAAAAAAAAAAAAAA\tking\t1\tname\n", "\u{0}"])
    func aDamagedFileIsSetAside(text: String) throws {
        try file.change(at: now) { _ in }
        try StateDirectory(path: temporary.path + "/state").write(Array(text.utf8), to: GuestFile.fileName)
        do throws(PrivateFileError) {
            _ = try file.load()
            Issue.record("'\(text)' is read")
        } catch {
            guard case .damaged = error else { Issue.record("\(error)"); return }
        }
        #expect(try file.load().isEmpty)
    }

    @Test func whatTheWordsAskFor() throws {
        #expect(try GuestsCommand.request([]) == .list)
        #expect(try GuestsCommand.request(["add"]) == .add(name: "Guest"))
        #expect(try GuestsCommand.request(["add", "Anna"]) == .add(name: "Anna"))
        #expect(try GuestsCommand.request(["remove", "Anna"]) == .remove("Anna"))
        for words in [["Anna"], ["add", ""], ["add", "a\u{1B}"], ["add", "a", "b"], ["remove"], ["list"]] {
            #expect(throws: UsageError.self, "\(words)") { try GuestsCommand.request(words) }
        }
        for words in [["--role", "king", "add"], ["--role", "add"], ["--for", "3"], ["--for", "0", "add"]] {
            #expect(throws: UsageError.self, "\(words)") {
                try GuestsCommand(CommandArguments(words[...], syntax: GuestsCommand.syntax))
            }
        }
    }

    @Test func aGuestIsMeantByNameOrByTheBeginningOfItsID() {
        let guests = ["Anna", "Anna", "Bert"].map { Guest(name: $0, role: .listen, ends: now) }
        #expect(GuestsCommand.meant("Anna", among: guests).count == 2)
        #expect(GuestsCommand.meant("Bert", among: guests).map(\.id) == [guests[2].id])
        #expect(GuestsCommand.meant(String(guests[0].id.hex.prefix(8)), among: guests).map(\.id) == [guests[0].id])
        #expect(GuestsCommand.meant(String(guests[0].id.hex.prefix(3)), among: guests).isEmpty)
    }
}

/// Where the page is, as it is shown.
@Suite(.timeLimit(.minutes(5))) struct PageDisplayTests {
    /// A code has three finder patterns, 7 modules wide, in its corners (ISO/IEC 18004, section 6.3.3).
    @Test func aCodeIsOne() throws {
        let code = try #require(QRCode("http://192.168.1.5:28885/#AAAAAAAAAAAAAAAAAAAAAA"))
        #expect(code.width >= 21 && (code.width - 17) % 4 == 0)
        let finder = [0b1111111, 0b1000001, 0b1011101, 0b1011101, 0b1011101, 0b1000001, 0b1111111]
        for (column, row) in [(0, 0), (code.width - 7, 0), (0, code.width - 7)] {
            for y in 0..<7 {
                let line = (0..<7).reduce(0) { $0 << 1 | (code.isDark(column + $1, row + y) ? 1 : 0) }
                #expect(line == finder[y])
            }
        }
        let lines = code.lines(isColored: false)
        #expect(lines.count == (code.width + 9) / 2 && lines.allSatisfy { $0.count == code.width + 8 })
        #expect(lines[0].allSatisfy { $0 == "█" } && lines[1].hasPrefix("████"), "the quiet zone is light")
        #expect(QRCode(String(repeating: "x", count: 3_000)) == nil)
    }

    @Test func whereItIsFollowsFromWhereTheBroadcastIs() throws {
        #expect(
            try StatusCommand.address(.host("192.168.1.9"), PageLocation(port: 28_885)).text
                == "http://192.168.1.9:28885/")
        #expect(
            try StatusCommand.address(.host("fd00::1"), PageLocation(port: 28_886)).text == "http://[fd00::1]:28886/")
        #expect(try StatusCommand.address(.thisMachine, PageLocation(port: 28_885)).port == 28_885)
        for (place, page) in [(BroadcastPlace.beyondListener, PageLocation(port: 28_885)), (.thisMachine, nil)] {
            #expect(throws: RuntimeFailure.self) { try StatusCommand.address(place, page) }
        }
    }

    /// Browsers warn of an address, and not of the certificate's name.
    @Test func aCertificatesNameIsPreferred() throws {
        let named = PageLocation(port: 28_885, scheme: .https(name: "music.example.org"))
        for place in [BroadcastPlace.thisMachine, .host("192.168.1.9")] {
            #expect(try StatusCommand.address(place, named).text == "https://music.example.org:28885/")
        }
        let nameless = PageLocation(port: 28_885, scheme: .https(name: nil))
        #expect(try StatusCommand.address(.host("fd00::1"), nameless).text == "https://[fd00::1]:28885/")
        #expect(try StatusCommand.address(.thisMachine, nameless).text.hasPrefix("https://"))
    }

    /// As `tutti guests add` shows it while nothing is broadcast.
    @Test func theNextPageIsWhereTheConfigurationSays() throws {
        let sample = ConfigurationSample()
        let directory = StreamTestKit.TemporaryDirectory()
        #expect(OwnPage.expected(by: sample.layers) == PageLocation(port: WebOptions.standardPort))
        let made = try MadeCertificate(["DNS:music.example.org"], in: directory)
        try sample.write(
            """
            [broadcast]
            web-port = 8443
            certificate = "\(made.certificatePath)"
            certificate-key = "\(made.keyPath)"
            """)
        let named = PageLocation(port: 8_443, scheme: .https(name: "music.example.org"))
        #expect(OwnPage.expected(by: sample.layers) == named)
        try sample.write("[broadcast]\ncertificate = '\(directory.path)/none'")
        let nameless = PageLocation(port: WebOptions.standardPort, scheme: .https(name: nil))
        #expect(OwnPage.expected(by: sample.layers) == nameless, "whoever asks may not read the certificate")
        try sample.write("[broadcast]\nno-web = true")
        #expect(OwnPage.expected(by: sample.layers) == PageLocation(port: WebOptions.standardPort))
    }

    @Test func flags() throws {
        func options(_ words: String...) throws -> WebOptions? {
            try BroadcastCommand(CommandArguments(words[...] + ["a.mp3"], syntax: BroadcastCommand.syntax)).page
        }
        #expect(try options()?.port == WebOptions.standardPort)
        #expect(try options("--no-web") == nil)
        let own = try options("--web-port", "8080")
        #expect(own?.port == 8_080 && own?.portCount == 1)
        for words in [["--web-port", "0"], ["--web-port", "65536"]] {
            #expect(throws: UsageError.self) {
                try BroadcastCommand(CommandArguments(words[...] + ["a.mp3"], syntax: BroadcastCommand.syntax))
            }
        }
        #expect(throws: UsageError.self) { try options("--no-web", "--web-port", "8080") }
    }

    @Test func flagsOfACertificate() throws {
        func files(_ words: String...) throws -> PageCertificate.Files? {
            try BroadcastCommand(CommandArguments(words[...] + ["a.mp3"], syntax: BroadcastCommand.syntax)).certificate
        }
        #expect(try files() == nil)
        #expect(try files("--certificate", "c.pem") == .init(certificate: "c.pem"))
        #expect(
            try files("--certificate", "c.pem", "--certificate-key", "c.key")
                == .init(certificate: "c.pem", key: "c.key"))
        #expect(throws: UsageError.self) { try files("--certificate-key", "c.key") }
        #expect(throws: UsageError.self) { try files("--certificate", "") }
        #expect(throws: UsageError.self) { try files("--certificate", "c.pem", "--certificate-key", "") }
        #expect(throws: UsageError.self) { try files("--certificate", "c.pem", "--no-web") }
        let player = try PlayerScreenCommand(
            CommandArguments(["--certificate", "c.pem"], syntax: PlayerScreenCommand.syntax))
        #expect(player.certificate == .init(certificate: "c.pem"))
    }

    /// Before anything begins, by the exit code of what is wrong.
    @Test func aCertificateThatIsNoneEndsTheCommand() throws {
        let directory = StreamTestKit.TemporaryDirectory()
        let made = try MadeCertificate(["DNS:music.example.org"], in: directory)
        func kind(_ certificate: String, _ key: String? = nil) -> RuntimeFailure.Kind? {
            do throws(RuntimeFailure) {
                _ = try PageFlags.certificate(in: .init(certificate: certificate, key: key))
                return nil
            } catch {
                return error.kind
            }
        }
        #expect(kind(made.certificatePath, made.keyPath) == nil)
        #expect(kind(directory.path + "/none") == .missingInput && kind(made.certificatePath) == .unusableInput)
        #expect(try PageFlags.certificate(in: nil) == nil)
    }
}
