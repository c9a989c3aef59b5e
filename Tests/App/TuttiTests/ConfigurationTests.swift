import AudioCore
import Glibc
import StreamTestKit
import Testing
import TuttiRuntime

@testable import tutti

/// What files and variables give to commands, and what is said of mistakes in them.
@Suite(.timeLimit(.minutes(5))) struct ConfigurationTests {
    @Test func aKeyAboveAllTablesIsForEveryCommandThatHasIt() throws {
        let sample = ConfigurationSample()
        try sample.write(
            """
            name = "Kitchen"
            max-volume = 60
            no-mdns = true
            [join]
            device = "hw:1"
            offset = -35_000
            quiet-hours = ["22:00-07:00=20", "13:00-14:30"]
            from = "Attic"
            broadcaster = "192.168.1.10"
            [broadcast]
            song = ["a.mp3", "b.mp3"]
            shuffle = true
            """)
        let join = try sample.command(JoinCommand.self)
        #expect(join.mistakes == [])
        let options = join.command.options
        #expect(options.name == "Kitchen" && options.volumeLimit.highest.percent == 60)
        #expect(options.output == .device(name: "hw:1") && options.offset == .microseconds(-35_000))
        #expect(options.volumeLimit.quietHours.count == 2 && options.from == ["Attic"])
        #expect(!options.network.usesDiscovery && options.address == NetworkAddress(host: "192.168.1.10"))
        let broadcast = try sample.command(BroadcastCommand.self)
        #expect(broadcast.mistakes == [] && broadcast.command.paths == ["a.mp3", "b.mp3"])
        #expect(broadcast.command.options.name == "Kitchen" && broadcast.command.options.modes.isShuffled)
        #expect(try sample.command(BroadcastCommand.self, "c.mp3").command.paths == ["c.mp3"])
        #expect(try sample.command(PeersCommand.self).mistakes == [])
    }

    @Test func strongerLayersReplaceWeakerOnes() throws {
        var sample = ConfigurationSample()
        func name() throws -> String? { try sample.command(JoinCommand.self).command.options.name }
        try sample.write("name = 'a'\nfrom = ['A', 'B']\n[join]\nname = 'b'", to: sample.system + "/tutti.toml")
        #expect(try name() == "b")
        try sample.write("name = 'd'", to: sample.system + "/tutti.toml.d/2.toml")
        try sample.write("name = 'c'", to: sample.system + "/tutti.toml.d/1.toml")
        try sample.write("name = 'x'", to: sample.system + "/tutti.toml.d/3.toml~")
        #expect(try name() == "d")
        try sample.write("name = 'e'\nfrom = 'C'")
        try sample.write("[join]\nname = 'f'", to: sample.user + "/tutti.toml.d/1.toml")
        #expect(try name() == "f")
        sample.variables["TUTTI_NAME"] = "g"
        #expect(try name() == "g")
        sample.variables["TUTTI_JOIN_NAME"] = "h"
        #expect(try name() == "h")
        let join = try sample.command(JoinCommand.self, "--name", "i")
        #expect(join.command.options.name == "i" && join.command.options.from == ["C"])
        sample.variables["TUTTI_NO_CONFIGURATION"] = "yes"
        #expect(try name() == nil)
    }

    @Test func switchesAreTurnedOffByStrongerLayers() throws {
        var sample = ConfigurationSample()
        try sample.write("no-mdns = true\nonce = true")
        #expect(try sample.command(JoinCommand.self).command.options.once)
        #expect(try sample.command(JoinCommand.self, "--no-mdns=false").command.options.network.usesDiscovery)
        #expect(try sample.command(JoinCommand.self, "--once=false").command.options.once == false)
        sample.variables = ["TUTTI_NO_MDNS": "0", "TUTTI_JOIN_ONCE": "maybe", "TUTTI_REVISION": "x"]
        let join = try sample.command(JoinCommand.self)
        #expect(join.command.options.network.usesDiscovery && join.command.options.once)
        #expect(sample.mistakes(join.mistakes) == ["TUTTI_JOIN_ONCE: takes true or false, not 'maybe'"])
        sample.variables = ["TUTTI_QUIET_HOURS": "22:00-07:00\n13:00-14:00"]
        #expect(try sample.command(JoinCommand.self).command.options.volumeLimit.quietHours.count == 2)
    }

    @Test func aMistakeNamesFileLineAndKeyAndTheRestIsUsed() throws {
        let sample = ConfigurationSample()
        try sample.write("max-volume = 50\nport = 1000", to: sample.system + "/tutti.toml")
        try sample.write(
            """
            devcie = "hw:1"
            max_volume = 60
            max-volume = 101
            name = Kitchen
            port = "x"
            no-mdns = "true"
            record = 1
            [join]
            quiet-hours = [22:00:00]
            volume = [40]
            role = "left"
            wait = 2
            help = true
            from = ["Attic", "a,,b"]
            [jion]
            volume = 1
            [[broadcast]]
            name = "x"
            """)
        let join = try sample.command(JoinCommand.self)
        #expect(join.command.options.role != nil && join.command.options.volumeLimit.highest.percent == 50)
        #expect(join.command.options.network.port == 1_000 && join.command.options.from == [])
        #expect(
            sample.mistakes(join.mistakes) == [
                "user/tutti.toml:4: name: text stands in quotes: \"Kitchen\"",
                "user/tutti.toml:1: devcie: no such key; did you mean 'device'?",
                "user/tutti.toml:2: max_volume: no such key; did you mean 'max-volume'?",
                "user/tutti.toml:6: no-mdns: takes true or false, without quotes",
                "user/tutti.toml:7: record: it is a command; its options stand below [record]",
                "user/tutti.toml:9: join.quiet-hours: takes text in quotes: \"22:00:00\"",
                "user/tutti.toml:10: join.volume: takes one value, not a list in []",
                "user/tutti.toml:12: join.wait: 'tutti join' has no such option; it goes into [broadcast]",
                "user/tutti.toml:13: join.help: it is for the command line alone",
                "user/tutti.toml:15: [jion]: no command has this name; did you mean [join]?",
                "user/tutti.toml:14: join.from: a name is empty",
                "user/tutti.toml:3: max-volume: takes a whole number from 0 to 100 percent, not '101'",
                "user/tutti.toml:5: port: takes a whole number from 1 to 65535, not 'x'",
            ])
        // Those of other tables are not its business, nor are options that it does not have.
        let peers = sample.mistakes(try sample.command(PeersCommand.self).mistakes)
        #expect(peers.count == 5 && !peers.contains { $0.contains("join.") || $0.contains(": port") }, "\(peers)")
        let broadcast = sample.mistakes(try sample.command(BroadcastCommand.self, "a").mistakes)
        #expect(broadcast.contains("user/tutti.toml:17: [[broadcast]]: a command has one table: [broadcast]"))
    }

    /// A file of nothing but mistakes: a command begins all the same, and soon.
    @Test(arguments: ["", "[join]\n"]) func countlessMistakesAreToldOfInPart(header: String) throws {
        let sample = ConfigurationSample()
        try sample.write(header + (0..<20_000).map { "kye\($0) = 1\n" }.joined())
        try sample.write("[join]\nname = 'Kitchen'", to: sample.user + "/tutti.toml.d/1.toml")
        let join = try sample.command(JoinCommand.self)
        #expect(join.command.options.name == "Kitchen")
        #expect(join.mistakes.count == ConfigurationSettings.mistakeCountLimit + 1)
        #expect(join.mistakes.first?.problem.hasPrefix("no such key") == true)
        #expect(join.mistakes.last?.problem.hasPrefix("there are too many") == true)
        #expect(ConfigurationReview(of: sample.layers, command: nil).mistakes == join.mistakes)
    }

    @Test func ofOptionsThatExcludeEachOtherTheStrongerLayersCounts() throws {
        let sample = ConfigurationSample()
        try sample.write("device = 'hw:1'\nquiet = true\n[broadcast]\nshuffle = true\nrepeat = true\nlatency = 300")
        let join = try sample.command(JoinCommand.self, "--output", "null", "--verbose")
        #expect(join.mistakes == [] && join.command.options.output == .null && join.command.display.level == .verbose)
        // A device needs --play, latency needs --capture.
        let broadcast = try sample.command(BroadcastCommand.self, "a.mp3", "--repeat-one")
        #expect(broadcast.mistakes == [] && broadcast.command.options.modes.repeats == .one)
        let capture = try sample.command(BroadcastCommand.self, "--capture", "default")
        #expect(capture.mistakes == [] && capture.command.options.capture?.latency == .milliseconds(300))
        // The device on which others play is not the one that is recorded.
        #expect(try sample.command(RecordCommand.self, "a.wav").mistakes == [])
        #expect(throws: UsageError("--quiet and --verbose exclude each other")) {
            try sample.command(JoinCommand.self, "--quiet", "--verbose")
        }
        try sample.write("quiet = true\n[join]\nverbose = true")
        let both = try sample.command(JoinCommand.self)
        #expect(both.command.display.level == .quiet)
        #expect(
            sample.mistakes(both.mistakes) == [
                "user/tutti.toml:3: join.verbose: --quiet and --verbose exclude each other"
            ])
    }

    /// No option of the configuration has a command fail: as mistakes go, all are forgiven.
    @Test func noOptionHasACommandFail() throws {
        let values = ["true", "1", "'x'", "['a', 'b']", "'null'", "'16'", "''", "22:00:00", "{}"]
        let sample = ConfigurationSample()
        for command in Tutti.commands {
            let name = command.syntax.name
            let keys = command.syntax.configurationKeys
            for key in keys {
                let alone = values.map { "\(key.key) = \($0)" }
                let pairs = keys.map {
                    "\(key.key) = \(key.kind == .toggle ? "true" : "'x'")\n\($0.key) = \($0.kind == .toggle ? "true" : "'x'")"
                }
                for text in alone + pairs {
                    try sample.write("[\(name)]\n" + text)
                    try expectUsable(command, sample.layers, "\(name): \(text)")
                }
            }
        }
    }

    private func expectUsable<Content: tutti.Command>(
        _ command: Content.Type, _ layers: ConfigurationLayers, _ comment: String
    ) throws {
        let words = command.syntax.usualWords
        let bare = Result { try Content(CommandArguments(words, syntax: Content.syntax)) }
        if case .failure(let error) = bare { Issue.record("\(command.syntax.name) \(words): \(error)") }
        let configured = Result { try ConfiguredCommand<Content>(words, layers) }
        if case .failure(let error) = configured { Issue.record("\(comment): \(error)") }
    }

    @Test func variablesOfCommandsAndOfAllDiffer() {
        var meanings: [String: String] = [:]
        for command in Tutti.commands {
            for key in command.syntax.configurationKeys {
                if let variable = key.variable {
                    #expect(meanings.updateValue(key.key, forKey: variable) ?? key.key == key.key)
                }
                let path = command.syntax.name + "." + key.key
                #expect(meanings.updateValue(path, forKey: key.variable(of: command.syntax.name)) == nil, "\(path)")
            }
        }
        #expect(meanings[ConfigurationEnvironment.ignoringVariable] == nil)
    }

    @Test func theReviewTellsWhatIsInForceAndFromWhere() throws {
        var sample = ConfigurationSample()
        try sample.write(
            "name = 'Kitchen'\nvolume = 400\nsong = 'http://me:secret@host/a'\n[join]\nfrom = ['A', 'B']\n[x]")
        sample.variables["TUTTI_JOIN_PORT"] = "1000"
        let review = ConfigurationReview(of: sample.layers, command: nil)
        let lines = ConfigCommand.table(review.entries, home: sample.user).lines(width: .max).map {
            $0.rendered(coloured: false)
        }
        #expect(lines.contains { $0.hasPrefix("join.name = \"Kitchen\" ") && $0.hasSuffix(" ~/tutti.toml:1") })
        #expect(lines.contains { $0.hasPrefix("join.from = [\"A\", \"B\"] ") && $0.hasSuffix(" ~/tutti.toml:5") })
        #expect(lines.contains { $0.hasPrefix("join.port = 1000 ") && $0.hasSuffix(" TUTTI_JOIN_PORT") })
        #expect(lines.contains { $0.hasPrefix("broadcast.song = \"http://host/a\" ") })
        #expect(!lines.contains { $0.contains("secret") || $0.contains("400") })
        #expect(
            sample.mistakes(review.mistakes) == [
                "user/tutti.toml:2: volume: takes a whole number from 0 to 100 percent, not '400'",
                "user/tutti.toml:6: [x]: no command has this name; 'tutti --help' names all",
            ])
        #expect(ConfigurationReview(of: sample.layers, command: "peers").entries.isEmpty)
    }

    @Test func filesThatCannotBeReadAreNamed() throws {
        let sample = ConfigurationSample()
        #expect(
            mkdir(sample.user + "/tutti.toml", 0o700) == 0 && mkfifo(sample.user + "/tutti.toml.d/1.toml", 0o600) == 0)
        try sample.write(String(repeating: "#", count: 1 << 20) + "\n", to: sample.user + "/tutti.toml.d/2.toml")
        try sample.write("name = 'Kitchen'", to: sample.user + "/tutti.toml.d/3.toml")
        let join = try sample.command(JoinCommand.self)
        #expect(join.command.options.name == "Kitchen")
        #expect(
            sample.mistakes(join.mistakes) == [
                "user/tutti.toml: it cannot be read: it is no file",
                "user/tutti.toml.d/1.toml: it cannot be read: it is no file",
                "user/tutti.toml.d/2.toml:1: it is too long; 1048576 bytes are the most",
            ])
    }

    /// One more than are read: the line says how many there are, and which the first one is that does not count.
    @Test func filesBeyondTheMostAreToldOf() throws {
        let sample = ConfigurationSample()
        let folder = sample.user + "/tutti.toml.d"
        let count = ConfigurationFile.directoryCountLimit
        for number in 1_000..<1_000 + count {
            try sample.write("name = 'f\(number)'", to: "\(folder)/\(number).toml")
        }
        let full = try sample.command(JoinCommand.self)
        #expect(full.mistakes == [] && full.command.options.name == "f\(999 + count)")
        try sample.write("name = 'surplus'", to: folder + "/9999.toml")
        let join = try sample.command(JoinCommand.self)
        #expect(join.command.options.name == "f\(999 + count)")
        #expect(
            sample.mistakes(join.mistakes) == [
                "user/tutti.toml.d: it holds \(count + 1) files, and \(count) are the most: '9999.toml' and those behind "
                    + "it are not read"
            ])
        #expect(ConfigurationReview(of: sample.layers, command: nil).mistakes == join.mistakes)
    }

    /// A variable by its words: no name that is wrong stands in a file of the tests, all of which are looked through.
    private func variable(_ words: String...) -> String { (["TUTTI"] + words).joined(separator: "_") }

    @Test func aMisspeltVariableIsNamedWithTheRightOne() throws {
        var sample = ConfigurationSample()
        for (wrong, right) in [
            (variable("DEVCIE"), "TUTTI_DEVICE"), (variable("MAX_VOLUMES"), "TUTTI_MAX_VOLUME"),
            (variable("JION_NAME"), "TUTTI_JOIN_NAME"), (variable("JOIN_OFSET"), "TUTTI_JOIN_OFFSET"),
            (variable("NO_CONFIGURATON"), "TUTTI_NO_CONFIGURATION"), (variable("device"), "TUTTI_DEVICE"),
        ] {
            sample.variables = [wrong: "x"]
            let join = try sample.command(JoinCommand.self)
            #expect(sample.mistakes(join.mistakes) == ["\(wrong): no such variable; did you mean \(right)?"])
        }
        // Too far from all, and yet meant for this command.
        let far = variable("JOIN_LOUDSPEAKER")
        sample.variables = [far: "x"]
        #expect(
            sample.mistakes(try sample.command(JoinCommand.self).mistakes) == [
                "\(far): no such variable; 'tutti join --help' names the options"
            ])
        // And for no other one, as is what only other commands take.
        #expect(try sample.command(PeersCommand.self).mistakes == [])
        sample.variables = [variable("BROADCAST_SHUFLE"): "1"]
        #expect(try sample.command(JoinCommand.self).mistakes == [])
        #expect(ConfigurationReview(of: sample.layers, command: nil).mistakes.count == 1)
    }

    /// A service keeps what was in force where a file is wrong. Its environment nobody can mend while it runs.
    @Test func aServiceTakesWhatIsMendedWhateverItsEnvironment() throws {
        var sample = ConfigurationSample()
        sample.variables = [variable("JION_NAME"): "x", "TUTTI_JOIN_ONCE": "maybe"]
        try sample.write("volume = 50")
        #expect(try JoinCommand.configured([], sample.layers).options.volume?.percent == 50)
        try sample.write("volum = 60")
        let layers = sample.layers
        #expect(throws: UsageError.self) { try JoinCommand.configured([], layers) }
    }

    /// Scripts and tests have variables of their own. Whoever gives one a name that is taken for a misspelt option
    /// learns it here.
    @Test func noVariableOfScriptsAndTestsIsTakenForAnOption() throws {
        let root = #filePath.split(separator: "/").dropLast(4).map { "/\($0)" }.joined()
        var sample = ConfigurationSample()
        for place in ["Package.swift", "Scripts", "Tests"] {
            try collectVariables(at: "\(root)/\(place)", &sample.variables)
        }
        #expect(sample.variables.count > 10 && sample.variables[variable("LONG_TESTS")] != nil)
        // These are options.
        sample.variables = sample.variables.filter { !VariableAdvice.isRight($0.key) }
        #expect(sample.mistakes(ConfigurationReview(of: sample.layers, command: nil).mistakes) == [])
    }

    private func collectVariables(at path: String, _ variables: inout [String: String]) throws {
        let names = TemporaryDirectory.names(in: path)
        guard names.isEmpty else {
            for name in names where !name.hasPrefix(".") { try collectVariables(at: "\(path)/\(name)", &variables) }
            return
        }
        guard let bytes = try? Tool.readFile(path) else { return }
        let isOfName: (UInt8) -> Bool = { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 || $0 == UInt8(ascii: "_") }
        for word in bytes.split(whereSeparator: { !isOfName($0) }) {
            let name = String(decoding: word, as: UTF8.self)
            // The prefix alone stands in sentences.
            if name.hasPrefix("TUTTI_"), name.count > "TUTTI_".count { variables[name] = "x" }
        }
    }

    @Test func variablesAreReadFromTheEnvironmentsOwnForm() {
        let entries = ["TUTTI_NAME=a=b", "TUTTI_NAME=c", "TUTTI_DEVICE=", "TUTTI_ODD", "TUTTI_FROM=A\nB"]
        #expect(
            ConfigurationEnvironment.variables(in: entries) == ["TUTTI_NAME": "a=b", "TUTTI_FROM": "A\nB"])
        #expect(ProcessEnvironment.entries(beginningWith: "PATH=").count == 1)
        #expect(ProcessEnvironment.entries.count > 1)
    }

    /// Each name is compared with none of those before it.
    @Test func aListOfVeryManyNamesIsReadSoon() throws {
        let list = (0..<100_000).map { "n\($0)" }.joined(separator: ",")
        let clock = ContinuousClock()
        var names: [String] = []
        let span = try clock.measure {
            let arguments = try CommandArguments(["--from", list + ",n7"], syntax: JoinCommand.syntax)
            names = try arguments.peerNames(JoinCommand.from)
        }
        #expect(names.count == 100_000 && names.last == "n99999")
        #expect(span < .seconds(20), "\(span)")
    }

    /// Any bytes: no trap, no failure of the command.
    @Test func hurtFilesAreHarmless() throws {
        let text = "name = 'x'\n[join]\nvolume = 40\nquiet-hours = ['22:00-07:00']\n[broadcast]\nto = ['A']\n"
        for seed: UInt64 in 1...500 {
            var generator = SeededGenerator(seed: seed)
            var bytes = Array(text.utf8)
            for _ in 0..<3 { bytes.hurt(with: bytes, using: &generator) }
            let sample = ConfigurationSample()
            try Tool.writeFile(sample.user + "/tutti.toml", bytes)
            try expectUsable(JoinCommand.self, sample.layers, "seed \(seed)")
        }
    }

    /// What a service compares when its configuration is read again.
    @Test func argumentsAreEqualIfTheyMeanTheSame() throws {
        let sample = ConfigurationSample()
        try sample.write("name = 'a'")
        let before = try sample.command(JoinCommand.self).arguments
        try sample.write("# other lines\nname = \"a\"\n[broadcast]\nname = 'b'")
        #expect(try sample.command(JoinCommand.self).arguments == before)
        try sample.write("name = 'b'")
        #expect(try sample.command(JoinCommand.self).arguments != before)
    }

    @Test func theTableOfTheDocumentationIsTheOneOfTheSource() throws {
        let root = #filePath.split(separator: "/").dropLast(4).map { "/\($0)" }.joined()
        let path = root + "/Sources/App/TuttiRuntime/TuttiRuntime.docc/Configuration.md"
        let text = String(decoding: try Tool.readFile(path), as: UTF8.self)
        #expect(text.contains("\n\n" + ConfigurationTable.markdown), "the table is: \n\(ConfigurationTable.markdown)")
    }
}
