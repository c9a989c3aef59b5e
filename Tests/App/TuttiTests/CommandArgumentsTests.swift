import AudioCore
import Peering
import Songs
import Testing
import TuttiRuntime

@testable import tutti

/// What users write, and what they get for it.
@Suite(.timeLimit(.minutes(5))) struct CommandArgumentsTests {
    private func broadcast(_ words: String...) throws(UsageError) -> BroadcastCommand {
        try BroadcastCommand(CommandArguments(words, syntax: BroadcastCommand.syntax))
    }

    private func join(_ words: String...) throws(UsageError) -> JoinCommand {
        try JoinCommand(CommandArguments(words, syntax: JoinCommand.syntax))
    }

    private func play(_ words: String...) throws(UsageError) -> PlayCommand {
        try PlayCommand(CommandArguments(words, syntax: PlayCommand.syntax))
    }

    @Test func playTakesEveryFlag() throws {
        let plain = try play("a.mp3", "b.flac")
        #expect(plain.paths == ["a.mp3", "b.flac"] && plain.options.volume == .full && plain.options.loudness == .off)
        let command = try play("-", "--raw", "44100:1:s16be", "--volume", "30", "--output", "null", "--json")
        #expect(command.paths == ["-"] && command.options.volume.percent == 30 && command.display.isJSON)
        #expect(command.options.raw == (try RawPCMFormat(parsing: "44100:1:s16be")))
        #expect(throws: UsageError.self) { try play() }
        #expect(throws: UsageError.self) { try play("") }
        #expect(throws: UsageError.self) { try play("a.mp3", "--volume", "101") }
        #expect(throws: UsageError.self) { try play("a.mp3", "--raw", "0:0:x") }
        #expect(try play("a.mp3", "--loudness", "album").options.loudness == .album)
    }

    @Test func broadcastDefaults() throws {
        let command = try broadcast("song.mp3")
        #expect(command.paths == ["song.mp3"] && command.options.loudness == .off)
        #expect(command.options.start == .whenReady(listeners: 1))
        #expect(command.options.startDelay == nil)
        #expect(command.options.output == nil)
        #expect(command.options.network.port == nil)
        #expect(command.options.network.usesDiscovery)
        #expect(command.display == DisplayFlags(level: .normal, isJSON: false))
        #expect(command.warnings.isEmpty)
    }

    @Test func broadcastRepeatsAllOrOne() throws {
        #expect(try broadcast("a.mp3").options.modes.repeats == .off)
        #expect(try broadcast("a.mp3", "--repeat", "b.mp3").options.modes.repeats == .all)
        let one = try broadcast("--repeat-one", "a.mp3", "--shuffle")
        #expect(one.options.modes.repeats == .one && one.options.modes.isShuffled && one.paths == ["a.mp3"])
        #expect(throws: UsageError.self) { try broadcast("--repeat", "--repeat-one", "a.mp3") }
        #expect(throws: UsageError.self) { try broadcast("--capture", "default", "--repeat") }
    }

    @Test func broadcastTakesEveryFlag() throws {
        let command = try broadcast(
            "--name", "Den", "--to", "Kitchen,Attic", "--listener", "10.0.0.2", "--listener=[fe80::1]:99", "song.mp3",
            "--wait", "2", "--play", "--device", "hw:1", "--start-delay", "60", "--port", "1234", "--no-mdns", "-v",
            "--json", "--loudness", "track")
        #expect(command.options.loudness == .track)
        #expect(command.options.name == "Den")
        #expect(command.options.to == ["Kitchen", "Attic"])
        #expect(
            command.options.listeners == [
                NetworkAddress(host: "10.0.0.2"), NetworkAddress(host: "fe80::1", port: 99),
            ])
        #expect(command.options.start == .whenReady(listeners: 2))
        #expect(command.options.output == .device(name: "hw:1"))
        #expect(command.options.startDelay == .milliseconds(60))
        #expect(command.options.network.port == 1234)
        #expect(!command.options.network.usesDiscovery)
        #expect(command.display == DisplayFlags(level: .verbose, isJSON: true))
    }

    @Test func shortStartDelayIsWarnedOf() throws {
        #expect(try broadcast("s", "--start-delay", "99").warnings.count == 1)
        #expect(try broadcast("s", "--start-delay", "100").warnings.isEmpty)
    }

    @Test func playWithoutOutputUsesTheDefaultDevice() throws {
        #expect(try broadcast("s", "--play").options.output == .device(name: "default"))
        #expect(try broadcast("s", "--play", "--output", "null").options.output == .null)
    }

    @Test func joinDefaults() throws {
        let command = try join()
        #expect(command.options.address == nil)
        #expect(command.options.output == .device(name: "default"))
        #expect(command.options.offset == nil)
        #expect(command.options.volume == nil && command.options.role == nil)
        #expect(!command.options.once)
        #expect(command.options.volumeLimit == .none)
    }

    @Test func aListenerMayBeLimited() throws {
        let limit = try join("--max-volume", "60", "--quiet-hours", "22:00-07:00=20", "--quiet-hours=13:00-14:30")
            .options.volumeLimit
        #expect(limit.highest.percent == 60)
        #expect(limit.quietHours.map(\.description) == ["22:00-07:00=20", "13:00-14:30=0"])
        #expect(try join("--max-volume", "100").options.volumeLimit == .none)
        #expect(throws: UsageError("--max-volume takes a whole number from 0 to 100 percent, not '101'")) {
            try join("--max-volume", "101")
        }
    }

    @Test(arguments: ["", "22:00", "22:00-22:00", "7:00-07:00=5", "24:00-07:00", "22:00-07:00=", "22:00-07:00=101"])
    func brokenQuietHoursSayHowTheyAreWritten(text: String) {
        let message =
            "--quiet-hours takes two different times of day, and a volume from 0 to 100 if not silence: 22:00-07:00 or "
            + "22:00-07:00=20, not '\(text)'"
        #expect(throws: UsageError(message)) { try join("--quiet-hours", text) }
    }

    @Test func codecsAreNamedAndPCMIsAmongThem() throws {
        #expect(try join().options.codecs == nil)
        #expect(try join("--codecs", "pcm").options.codecs == [.linearPCM])
        #expect(try join("--codecs", "MP3,flac").options.codecs == [.linearPCM, .mpegLayer3, .flac])
        #expect(try join("--codecs", "aac").options.codecs == [.linearPCM, .aac, .aacHE, .aacHEv2])
        for text in ["wma", "", "mp3,,pcm"] {
            let error = #expect(throws: UsageError.self) { try join("--codecs", text) }
            #expect(error?.message.contains("is no codec; it takes pcm, mp3, ") == true)
        }
    }

    @Test func joinTakesEveryFlag() throws {
        let command = try join(
            "den.local:77", "--from", "A, B", "--from=C", "--name=Kitchen", "--once", "--output", "file:out.wav",
            "--offset", "-500", "--volume", "50", "--role", "left", "-q")
        #expect(command.options.address == NetworkAddress(host: "den.local", port: 77))
        #expect(command.options.from == ["A", "B", "C"])
        #expect(command.options.name == "Kitchen")
        #expect(command.options.once)
        #expect(command.options.output == .file(path: "out.wav"))
        #expect(command.options.offset == .microseconds(-500))
        #expect(command.options.volume?.percent == 50 && command.options.role == .left)
        #expect(command.display.level == .quiet)
    }

    @Test(arguments: ["1000001", "-5000000"])
    func anOffsetThatNoBufferHoldsIsRefused(text: String) {
        let error = #expect(throws: UsageError.self) { try join("--offset", text) }
        #expect(
            error?.message
                == "--offset \(text) is more than a listener can shift its sound; it takes 1000000 us at most, either way"
        )
    }

    @Test func offsetZeroIsNotTheSameAsNone() throws {
        #expect(try join("--offset", "0").options.offset == .zero)
    }

    @Test func operandAfterTwoDashesMayBeginWithOne() throws {
        #expect(try broadcast("--", "--song.mp3").paths == ["--song.mp3"])
    }

    @Test func broadcastTakesSeveralSongs() throws {
        #expect(try broadcast("a", "--play", "b", "--", "--c").paths == ["a", "b", "--c"])
    }

    @Test func inspectTakesFiles() throws {
        func inspect(_ words: String...) throws(UsageError) -> InspectCommand {
            try InspectCommand(CommandArguments(words, syntax: InspectCommand.syntax))
        }
        #expect(try inspect("a", "b", "--json").paths == ["a", "b"])
        #expect(try inspect("a", "b", "--json").isJSON)
        #expect(throws: UsageError("FILE is missing: tutti inspect FILE")) { try inspect("--json") }
        #expect(throws: UsageError("a FILE's name is empty")) { try inspect("a", "") }
    }

    @Test func inspectTakesOneFileForItsLyrics() throws {
        func inspect(_ words: String...) throws(UsageError) -> InspectCommand {
            try InspectCommand(CommandArguments(words, syntax: InspectCommand.syntax))
        }
        #expect(try inspect("--lyrics", "a").part == .lyrics)
        #expect(try inspect("a").part == nil)
        #expect(throws: UsageError("--lyrics takes one FILE")) { try inspect("--lyrics", "a", "b") }
        #expect(throws: UsageError("--lyrics and --json exclude each other")) { try inspect("--lyrics", "a", "--json") }
    }

    @Test func decodeTakesInputAndOutput() throws {
        func decode(_ words: String...) throws(UsageError) -> DecodeCommand {
            try DecodeCommand(CommandArguments(words, syntax: DecodeCommand.syntax))
        }
        let command = try decode("a.flac", "--float", "-")
        #expect(command.path == "a.flac" && command.output == "-" && command.isFloat)
        #expect(try !decode("a", "b").isFloat)
        #expect(throws: UsageError("OUT.wav is missing: tutti decode FILE OUT.wav")) { try decode("a") }
        #expect(throws: UsageError("FILE is missing: tutti decode FILE OUT.wav")) { try decode() }
        #expect(throws: UsageError("only one OUT.wav can be given, not also 'c'")) { try decode("a", "b", "c") }
        #expect(throws: UsageError("a file's name is empty")) { try decode("a", "") }
    }

    @Test func nameMayHoldSpacesAndUmlauts() throws {
        #expect(try join("--name", "Küche oben").options.name == "Küche oben")
    }

    @Test(arguments: [
        ([], "SONG is missing: tutti broadcast SONG"),
        ([""], "SONG: the name is empty"),
        (["a", ""], "SONG: the name is empty"),
        (["a", "--lisener", "x"], "unknown option '--lisener'; did you mean '--listener'?"),
        (["a", "--frobnicate"], "unknown option '--frobnicate'"),
        (["a", "-z"], "unknown option '-z'"),
        (["a", "--name"], "--name needs a value: --name NAME"),
        (["a", "--name", "--play"], "--name needs a value: --name NAME"),
        (["a", "--name", ""], "--name: a name is empty"),
        (["a", "--name", "x\u{1B}[2Jy"], "--name: a name cannot hold control characters"),
        (["a", "--name", String(repeating: "ä", count: 32)], "--name: a name has at most 63 bytes"),
        (["a", "--name", "x", "--name", "y"], "--name is given twice"),
        (["a", "--to", "x,,y"], "--to: a name is empty"),
        (["a", "--now=1"], "--now takes no value, or true or false, not '1'"),
        (["a", "--wait", "0"], "--wait takes a whole number from 1 to 10000 listeners, not '0'"),
        (["a", "--wait", "two"], "--wait takes a whole number from 1 to 10000 listeners, not 'two'"),
        (["a", "--wait", "2", "--now"], "--wait and --now exclude each other"),
        (["a", "--start-delay", "49"], "--start-delay takes a whole number from 50 to 10000 milliseconds, not '49'"),
        (["a", "--raw", "48000"], "--raw: '48000' is not RATE:CHANNELS:FORMAT (48000:2:s16le)"),
        (["a", "--raw", "1:2:s16le"], "--raw: the rate must be from 8000 to 192000 Hz, not '1'"),
        (["a", "--raw", "48000:9:s16le"], "--raw: there may be 1 to 8 channels, not '9'"),
        (["a", "--port", "65536"], "--port takes a whole number from 1 to 65535, not '65536'"),
        (["a", "--device", "hw:0"], "--device and --output of a broadcast need --play"),
        (["a", "--play", "--output", "speaker"], "--output takes null or file:OUT.wav, not 'speaker'"),
        (["a", "--play", "--output", "file:"], "--output takes null or file:OUT.wav, not 'file:'"),
        (["a", "--play", "--output", "null", "--device", "x"], "--device and --output exclude each other"),
        (["a", "--listener", "b:99999"], "--listener: 'b:99999' is no address; write HOST, HOST:PORT, or [IPV6]:PORT"),
        (["a", "--loudness", "loud"], "--loudness takes track, album or off, not 'loud'"),
        (["a", "-q", "--verbose"], "--quiet and --verbose exclude each other"),
    ])
    func brokenBroadcastSaysWhatIsWrong(words: [String], message: String) {
        #expect(throws: UsageError(message)) {
            try BroadcastCommand(CommandArguments(words, syntax: BroadcastCommand.syntax))
        }
    }

    @Test(arguments: [
        (["a", "b"], "only one HOST[:PORT] can be given, not also 'b'"),
        (["a b"], "HOST[:PORT]: 'a b' is no address; write HOST, HOST:PORT, or [IPV6]:PORT"),
        (
            ["--offset", "1000001"],
            "--offset 1000001 is more than a listener can shift its sound; it takes 1000000 us at most, either way"
        ),
        (["--offset", "1.5"], "--offset takes a whole number from -1000000 to 1000000 microseconds, not '1.5'"),
        (["--volume", "101"], "--volume takes a whole number from 0 to 100 percent, not '101'"),
        (["--role", "top"], "--role takes stereo, left, right, mono, or a channel's number from 1 to 8, not 'top'"),
        (["--role", "9"], "--role takes stereo, left, right, mono, or a channel's number from 1 to 8, not '9'"),
        (["--device", ""], "--device: the name is empty"),
        (["--wait", "2"], "unknown option '--wait'"),
    ])
    func brokenJoinSaysWhatIsWrong(words: [String], message: String) {
        #expect(throws: UsageError(message)) {
            try JoinCommand(CommandArguments(words, syntax: JoinCommand.syntax))
        }
    }

    @Test(arguments: [["--for", "0"], ["--for", "nan"], ["--for", "soon"], ["somebody"]])
    func brokenPeersIsRefused(words: [String]) {
        #expect(throws: UsageError.self) {
            try PeersCommand(CommandArguments(words, syntax: PeersCommand.syntax))
        }
    }

    @Test func everyOptionIsInTheHelpOfItsCommand() {
        for command in Tutti.commands {
            let help = command.syntax.help()
            #expect(command.syntax.options.allSatisfy { help.contains($0.name) })
            #expect(help.contains("Examples:"))
        }
    }

    @Test func helpFitsEightyColumns() {
        let texts = Tutti.commands.map { $0.syntax.help() } + [Tutti.help]
        for line in texts.joined(separator: "\n").split(separator: "\n") {
            #expect(line.count <= 80, "\(line)")
        }
    }

    @Test func optionNamesOfACommandDiffer() {
        for command in Tutti.commands {
            let names = command.syntax.options.map(\.name)
            #expect(Set(names).count == names.count)
        }
    }
}
