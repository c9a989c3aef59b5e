import AudioCore
import MusicLibrary
import ProgrammeJSON
import Testing
import WireProtocol

/// The schema and what the API says are one.
@Suite(.timeLimit(.minutes(5))) struct APISchemaTests {
    private let strict = SchemaValidator(APISchema.json)
    /// As programs that know this version judge a later one.
    private let open = SchemaValidator(APISchema.json, isStrict: false)

    private func expect(_ value: JSONValue, _ definition: String) throws {
        // Numbers as they are read, not as they are kept.
        let read = try JSONValue(parsing: value.text, byteLimit: 1 << 20)
        for validator in [strict, open] {
            let violation = validator.violation(of: read, as: definition)
            #expect(violation == nil, "\(violation ?? "")")
        }
    }

    @Test func whatIsSaidFits() throws {
        let state = ProgrammeJSONTests.state.json(of: "Den")
        try expect(state, "state")
        try expect(ProgrammeJSONTests.state.json(of: "Den", queueSequence: 6), "state")
        let idle = ProgrammeState(sequence: 0, sent: SessionTime(nanoseconds: 0), status: TransportStatus(.idle))
        try expect(idle.json(of: ""), "state")
        try expect(.object(["state": state]), "toClient")
        for (kind, _) in ProgrammeJSONTests.changes {
            let change = ProgrammeChange(sequence: 1, effect: SessionTime(nanoseconds: 5), kind).json
            try expect(change, "change")
            try expect(.object(["change": change]), "toClient")
        }
        let page = QueuePage(
            sequence: 9, itemCount: 300, first: 256, items: [ProgrammeJSONTests.item, ProgrammeJSONTests.station])
        try expect(page.json, "queuePage")
        try expect(.object(["id": .integer(8), "queue": page.json]), "toClient")
        try expect(.outcome(isDone: false, "why"), "outcome")
        let songs = FoundSong.songs(found: Array(ProgrammeJSONTests.lines.utf8))
        try expect(.songs(songs), "songs")
        try expect(.object(["id": .integer(11), "songs": .array(songs.map(\.json))]), "toClient")
        var builder = try #require(LevelEnvelopeBuilder(sampleRate: 8_000, channelCount: 2))
        builder.add([Float](repeating: 0.5, count: 2_000).span)
        builder.add([Float](repeating: 0, count: 2_000).span)
        let levels = builder.finish().json
        try expect(levels, "levels")
        try expect(.object(["id": .integer(10), "levels": levels]), "toClient")
        try expect(.object(["error": .string("why")]), "failure")
    }

    @Test func whatIsUnderstoodFits() throws {
        let commands = ProgrammeCommandTests.programme.map(\.json) + ProgrammeCommandTests.sound.map(\.json)
        for json in commands {
            let command = try JSONValue(parsing: json, byteLimit: 1_000)
            try expect(command, "command")
            try expect(.object(["id": .integer(7), "command": command]), "fromClient")
        }
    }

    /// What is refused for its form, the schema refuses too; it knows nothing of what texts mean, and of lengths.
    @Test func whatIsNotUnderstoodDoesNotFit() throws {
        let unseen = [
            "zz", "+2a", "\"listener\":\"\"", "leave one out", "\"2a\"},\"listener\"", "\"7\"", "[]}}", "a.mp3", "ftp:",
            "http:", "\\u0000",
        ]
        var count = 0
        for (json, _) in ProgrammeCommandTests.wrong where !unseen.contains(where: json.contains) {
            let command = try JSONValue(parsing: json, byteLimit: 1_000)
            #expect(open.violation(of: command, as: "command") != nil, "\(json)")
            count += 1
        }
        #expect(count > 35)
    }

    @Test(arguments: [
        (#"{"hello":{"version":1,"name":"K","nonce":"00","isOpen":true,"rights":["listen"],"time":5}}"#, "toClient"),
        (#"{"joined":{"rights":["listen","add","command"],"ticket":"00","instance":"2a","name":"Phone"}}"#, "toClient"),
        (#"{"joined":{"rights":[],"ticket":"00","instance":"2a","name":"Phone","mac":"00"}}"#, "toClient"),
        (#"{"refused":{"reason":"ended"}}"#, "toClient"),
        (#"{"ended":{"reason":"x"}}"#, "toClient"), (#"{"id":7,"outcome":{"done":true,"text":""}}"#, "toClient"),
        (#"{"id":9,"lyrics":{"item":5,"text":null}}"#, "toClient"), (#"{"id":12,"pong":{}}"#, "toClient"),
        (#"{"id":10,"levels":null}"#, "toClient"), (#"{"id":7,"error":"why"}"#, "toClient"),
        (#"{"error":"why"}"#, "toClient"), (#"{"join":{"name":"Anna's phone"}}"#, "fromClient"),
        (#"{"join":{"name":"A","guest":"0a","nonce":"00","mac":"00"}}"#, "fromClient"),
        (#"{"id":8,"queue":{"from":0,"count":100}}"#, "fromClient"), (#"{"id":9,"lyrics":{"item":5}}"#, "fromClient"),
        (#"{"id":10,"levels":{"item":5}}"#, "fromClient"), (#"{"id":12,"ping":{}}"#, "fromClient"),
        (#"{"id":11,"songs":{"query":"a","limit":50}}"#, "fromClient"),
        (#"{"n":1,"mac":"00","text":"{\"id\":7,\"ping\":{}}"}"#, "fromClient"),
    ])
    func messagesFit(text: String, definition: String) throws {
        try expect(JSONValue(parsing: text, byteLimit: 1_000), definition)
    }

    @Test(arguments: [
        (#"{"id":7}"#, "fromClient"), (#"{"ping":{}}"#, "fromClient"), (#"{"id":"7","ping":{}}"#, "fromClient"),
        (#"{"join":{"name":"A","guest":"0a"}}"#, "fromClient"), (#"{"id":1,"ping":{},"queue":{}}"#, "fromClient"),
        (#"{"id":11,"songs":{"query":"a","limit":0}}"#, "fromClient"), (#"{"hello":{"version":1}}"#, "toClient"),
        (#"{"id":7,"outcome":{"done":"yes","text":""}}"#, "toClient"), (#"[]"#, "toClient"),
        (#"{"sequence":1,"effect":0,"modes":{"repeat":"twice","shuffle":false}}"#, "change"),
        (#"{"sequence":1,"effect":0}"#, "change"), (#"{"level":101,"muted":false}"#, "volume"),
        (#"{"level":-1,"muted":false}"#, "volume"), (#"{"from":0,"count":1,"items":{}}"#, "queuePage"),
        (#"{"from":0,"count":1,"items":[null]}"#, "queuePage"),
    ])
    func otherMessagesDoNot(text: String, definition: String) throws {
        let value = try JSONValue(parsing: text, byteLimit: 1_000)
        #expect(open.violation(of: value, as: definition) != nil)
    }

    @Test func aLaterVersionMayHaveFurtherMembers() throws {
        let item = try JSONValue(
            parsing:
                #"{"id":5,"title":"a","artist":null,"album":"b","seconds":1,"live":false,"failed":false,"#
                + #""picture":true,"later":1}"#,
            byteLimit: 200)
        #expect(open.violation(of: item, as: "item") == nil)
        #expect(strict.violation(of: item, as: "item") != nil)
    }

    /// Each reference leads somewhere, each definition is used or documented, and the text is the schema.
    @Test func theSchemaIsWhole() throws {
        #expect(try JSONValue(parsing: APISchema.text, byteLimit: 1 << 20) == APISchema.json)
        let names = Set(APISchema.json.member("$defs")?.members?.map(\.key) ?? [])
        var references: Set<String> = []
        var open = [APISchema.json]
        while let value = open.popLast() {
            if let name = value.member("$ref")?.string { references.insert(String(name.dropFirst("#/$defs/".count))) }
            open += (value.array ?? []) + (value.members ?? []).map(\.value)
        }
        #expect(references.subtracting(names) == [])
        let roots: Set = ["failure", "songs", "state", "toClient", "fromClient"]
        #expect(names.subtracting(references).subtracting(roots) == [])
    }
}
