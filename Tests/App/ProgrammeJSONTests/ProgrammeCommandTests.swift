import AudioCore
import ProgrammeJSON
import Testing
import WireProtocol

/// Commands as programs write them.
@Suite(.timeLimit(.minutes(5))) struct ProgrammeCommandTests {
    static let listeners = [
        ProgrammeListener(instance: 0x2A, name: "Kitchen", state: .playing, settings: ListenerSettings()),
        ProgrammeListener(instance: .max, name: "Anna's phone", state: .ready, settings: ListenerSettings()),
        ProgrammeListener(instance: 7, name: "Shelf", state: .ready, settings: ListenerSettings()),
        ProgrammeListener(instance: 8, name: "Shelf", state: .ready, settings: ListenerSettings()),
    ]

    static let programme: [(json: String, operations: [ProgrammeOperation])] = [
        (#"{"play":{}}"#, [.play]), (#"{"pause":{}}"#, [.pause]), (#"{"toggle":{}}"#, [.toggle]),
        (#"{"stop":{}}"#, [.stop]), (#"{"next":{}}"#, [.next]), (#"{"previous":{}}"#, [.previous]),
        (#"{"clear":{}}"#, [.clear]),
        (#"{"seek":{"seconds":12.5}}"#, [.seek(to: .milliseconds(12_500))]),
        (#"{"seek":{"seconds":3600000}}"#, [.seek(to: .seconds(3_600_000))]),
        (#"{"skip":{"seconds":-10}}"#, [.skip(by: .seconds(-10))]),
        (#"{"jump":{"item":5}}"#, [.jump(to: .id(ItemID(5)))]),
        (#"{"jump":{"item":4294967295}}"#, [.jump(to: .id(ItemID(.max)))]),
        (#"{"remove":{"items":[5,6]}}"#, [.remove(.id(ItemID(5))), .remove(.id(ItemID(6)))]),
        (#"{"move":{"item":5,"position":2}}"#, [.move(.id(ItemID(5)), to: 2)]),
        (#"{"repeat":"off"}"#, [.setRepeat(.off)]), (#"{"repeat":"all"}"#, [.setRepeat(.all)]),
        (#"{"repeat":"one"}"#, [.setRepeat(.one)]), (#"{"shuffle":true}"#, [.setShuffle(true)]),
        (#"{"shuffle":false}"#, [.setShuffle(false)]),
        (#"{"add":{"paths":["/Music/a.mp3"]}}"#, [.add([.file("/Music/a.mp3")])]),
        (#"{"add":{"paths":["/a"],"position":null}}"#, [.add([.file("/a")])]),
        (#"{"add":{"paths":["/a","/b"],"position":3}}"#, [.insert([.file("/a"), .file("/b")], at: 3)]),
    ]

    @Test(arguments: programme.indices) func ofTheProgramme(index: Int) throws {
        let (json, operations) = Self.programme[index]
        let command = try Self.command(json)
        #expect(command.operations == operations.map { .programme($0) })
        #expect(command.listener == nil)
        #expect(command.right == (json.contains("\"add\"") ? .add : .command))
    }

    static let sound: [(json: String, operation: CommandOperation, listener: UInt64?)] = [
        (#"{"volume":{"level":40}}"#, .listeners(.volume(.level(40)), of: .all), nil),
        (#"{"volume":{"step":-5}}"#, .listeners(.volume(.step(-5)), of: .all), nil),
        (#"{"volume":{"muted":true}}"#, .listeners(.volume(.mute), of: .all), nil),
        (#"{"volume":{"muted":false},"listener":"2a"}"#, .listeners(.volume(.unmute), of: .named("Kitchen")), 0x2A),
        (#"{"volume":{"level":0,"listener":"2a"}}"#, .listeners(.volume(.level(0)), of: .named("Kitchen")), 0x2A),
        (
            #"{"offset":{"microseconds":-1500,"listener":"ffffffffffffffff"}}"#,
            .listeners(.offset(.microseconds(-1_500)), of: .named("Anna's phone")), .max
        ),
        (#"{"role":{"role":"left","listener":"2A"}}"#, .listeners(.role(.left), of: .named("Kitchen")), 0x2A),
        (#"{"role":{"role":"8","listener":"2a"}}"#, .listeners(.role(.channel(8)), of: .named("Kitchen")), 0x2A),
    ]

    @Test(arguments: sound.indices) func ofListeners(index: Int) throws {
        let (json, operation, listener) = Self.sound[index]
        let command = try Self.command(json)
        #expect(command.operations == [operation] && command.listener == listener && command.right == .command)
    }

    static let wrong: [(json: String, words: String)] = [
        ("[]", "a command is an object with one member, like {\"pause\":{}}, not a list"),
        ("{}", "names no command"), (#"{"listener":"2a"}"#, "names no command"),
        (#"{"pase":{}}"#, "'pase' is no command: did you mean 'pause'?"),
        (#"{"explode":{}}"#, "'explode' is no command: there are play, pause,"),
        (#"{"play":{},"next":{}}"#, "send 'play' and 'next' one after the other"),
        (#"{"play":{},"nxet":{}}"#, "did you mean 'next'?"),
        (#"{"pause":null}"#, "'pause' is an empty object, {}, not null"),
        (#"{"pause":{"now":true}}"#, "'pause' has no member 'now': it has none"),
        (#"{"pause":{},"listener":"2a"}"#, "'listener' stands inside of 'pause'"),
        (#"{"seek":{"secnds":5}}"#, "'seek' has no member 'secnds': did you mean 'seconds'?"),
        (#"{"seek":{"at":5}}"#, "'seek' has no member 'at': it has 'seconds'"),
        (#"{"seek":{}}"#, "'seek' lacks 'seconds': a number from 0 to 3600000"),
        (#"{"seek":{"seconds":"5"}}"#, "'seconds' of 'seek' is a number from 0 to 3600000, not '5'"),
        (#"{"seek":{"seconds":-1}}"#, "not -1"), (#"{"seek":{"seconds":1e300}}"#, "not 1e+300"),
        (#"{"seek":5}"#, "'seek' is an object with 'seconds', not a number"),
        (#"{"skip":{"seconds":3600001}}"#, "a number from -3600000 to 3600000, not 3600001"),
        (#"{"jump":{"item":-1}}"#, "'item' of 'jump' is a whole number from 0 to 4294967295, not -1"),
        (#"{"jump":{"item":4294967296}}"#, "not 4294967296"), (#"{"jump":{"item":1.5}}"#, "not 1.5"),
        (#"{"remove":{"items":[]}}"#, "a list of 1 to 64 numbers"), (#"{"remove":{"items":["a"]}}"#, "not 'a'"),
        (#"{"remove":{"items":5}}"#, "not 5"), (#"{"move":{"item":5}}"#, "'move' lacks 'position'"),
        (#"{"move":{"item":5,"position":2147483648}}"#, "from 0 to 2147483647, not 2147483648"),
        (#"{"repeat":"twice"}"#, "'repeat' is 'off', 'all' or 'one', not 'twice'"), (#"{"repeat":1}"#, "not a number"),
        (#"{"shuffle":"on"}"#, "'shuffle' is true or false, not a text"),
        (#"{"volume":{}}"#, "'volume' has one of 'level', 'step' and 'muted', not 0"),
        (#"{"volume":{"level":1,"step":1}}"#, "not 2"), (#"{"volume":{"level":101}}"#, "from 0 to 100, not 101"),
        (#"{"volume":{"level":4.5}}"#, "not 4.5"), (#"{"volume":{"step":-101}}"#, "from -100 to 100, not -101"),
        (#"{"volume":{"muted":1}}"#, "'muted' of 'volume' is true or false, not 1"),
        (#"{"volume":{"level":1},"listener":"zz"}"#, "no listener has the instance 'zz'"),
        (#"{"volume":{"level":1},"listener":"+2a"}"#, "no listener has the instance '+2a'"),
        (#"{"volume":{"level":1},"listener":""}"#, "no listener has the instance ''"),
        (#"{"volume":{"level":1},"listener":42}"#, "'listener' of 'volume' is the instance"),
        (#"{"volume":{"level":1,"listener":"2a"},"listener":"2a"}"#, "leave one out"),
        (#"{"volume":{"level":1,"listener":"7"}}"#, "2 listeners are called 'Shelf'"),
        (#"{"offset":{"microseconds":5}}"#, "'offset' lacks 'listener'"),
        (#"{"offset":{"microseconds":1000001,"listener":"2a"}}"#, "from -1000000 to 1000000, not 1000001"),
        (#"{"role":{"role":"middle","listener":"2a"}}"#, "'1' to '8', not 'middle'"),
        (#"{"role":{"role":"9","listener":"2a"}}"#, "not '9'"), (#"{"role":{"listener":"2a"}}"#, "'role' lacks 'role'"),
        (#"{"add":{"paths":[]}}"#, "a list of 1 to 1000 texts"), (#"{"add":{"paths":[5]}}"#, "not 5"),
        (#"{"add":{"paths":"/a"}}"#, "not '/a'"), (#"{"add":{"path":["/a"]}}"#, "did you mean 'paths'?"),
        (#"{"add":{"paths":["/a"],"position":-1}}"#, "'position' of 'add' is a whole number"),
        (#"{"add":{"paths":["a.mp3"]}}"#, "'a.mp3' cannot be added: it is neither a path"),
        (#"{"add":{"paths":["ftp://a/b"]}}"#, "'ftp://a/b' cannot be added"),
        (#"{"add":{"paths":["http:///b"]}}"#, "an address has a host"),
        (#"{"add":{"paths":["/a\u0000b"]}}"#, "a path has no NUL"),
        (#"{"a\u001b[31m\nb":{}}"#, "is no command"),
    ]

    @Test(arguments: wrong.indices) func whatIsWrongIsNamed(index: Int) {
        let (json, words) = Self.wrong[index]
        do {
            let command = try Self.command(json)
            Issue.record("\(json) is taken as \(command)")
        } catch let error as ProgrammeCommandError {
            #expect(error.message.contains(words), "\(error.message)")
            #expect(error.message.utf8.count < 400)
            #expect(!error.message.unicodeScalars.contains { $0.properties.generalCategory == .control })
        } catch {
            Issue.record("\(error)")
        }
    }

    @Test func anAddressIsAnAddress() throws {
        let command = try Self.command(#"{"add":{"paths":["HTTPS://me:pw@radio.example/a"]}}"#)
        let address = try #require(WebAddress("HTTPS://me:pw@radio.example/a"))
        #expect(command.operations == [.programme(.add([.web(address)]))])
        do throws(ProgrammeCommandError) {
            _ = try ItemSource(written: "http://me:secret@radio.example/a b")
            Issue.record("taken")
        } catch {
            #expect(!error.message.contains("secret"))
        }
    }

    @Test func manySongsAreSeveralOperations() throws {
        let paths = (0..<150).map { "\"/\($0)\"" }.joined(separator: ",")
        let added = try Self.command("{\"add\":{\"paths\":[\(paths)]}}")
        #expect(Self.sources(added).map(\.count) == [64, 64, 22])
        let inserted = try Self.command("{\"add\":{\"paths\":[\(paths)],\"position\":10}}")
        let positions = inserted.operations.map { operation in
            if case .programme(.insert(_, let position)) = operation { position } else { -1 }
        }
        #expect(positions == [10, 74, 138])
        #expect(Self.sources(inserted).joined().map { $0 } == (0..<150).map { .file("/\($0)") })
        // Each is as long as one command of the wire holds.
        let long = "\"/\(String(repeating: "a", count: 2_000))\""
        let few = Array(repeating: long, count: 64).joined(separator: ",")
        #expect(try Self.command("{\"add\":{\"paths\":[\(few)]}}").operations.count == 64)
        #expect(throws: ProgrammeCommandError.self) { try Self.command("{\"add\":{\"paths\":[\(few),\(long)]}}") }
        let longer = "/" + String(repeating: "a", count: WireLimits.addressByteCount)
        #expect(throws: ProgrammeCommandError.self) { try ItemSource(written: longer) }
    }

    private static func sources(_ command: ProgrammeCommand) -> [[ItemSource]] {
        command.operations.map { operation in
            switch operation {
            case .programme(.add(let sources)), .programme(.insert(let sources, at: _)): sources
            default: []
            }
        }
    }

    static func command(_ json: String) throws -> ProgrammeCommand {
        try ProgrammeCommand(JSONValue(parsing: json, byteLimit: 1 << 20), listeners: listeners)
    }
}
