extension APISchema {
    /// The messages of `/api/v1/events`, each one text frame.
    static let events = [
        definition("toClient", .schemaOneOf(greetings + news + replies)),
        definition("fromClient", .schemaOneOf(joins + requests + [signed])),
    ]

    private static let rights = JSONValue.schemaList(.schemaEnum(ProgrammeRight.allCases.map(\.rawValue)))
    private static let nonce = JSONValue.schemaText("16 random bytes, in lower-case hexadecimal")
    private static let code = JSONValue.schemaText("HMAC-SHA-256, in lower-case hexadecimal")
    private static let id = JSONValue.schemaInteger("the request's, of the client's choice")
    private static let item = JSONValue.schemaInteger("the item's id", ProgrammeCommand.items)

    // MARK: To the client

    private static let greetings = [
        message(
            "hello",
            .schemaObject([
                "version": .schemaInteger("of the API"), "name": .schemaText("the broadcast's"), "nonce": nonce,
                "isOpen": .schemaBool, "rights": rights,
                "time": .schemaInteger("milliseconds since 1970, by which guests number HTTP requests"),
            ])),
        message(
            "joined",
            .schemaObject(
                [
                    "rights": rights, "ticket": .schemaText("for /listen, /clock and pictures"), "instance": instance,
                    "name": .schemaText("the client's, with a number behind it where another one has it"),
                ],
                optional: ["mac": code])),
        message("refused", .schemaObject(["reason": .schemaText("for people")])),
    ]

    private static let news = [
        message("state", .schemaReference("state")), message("change", .schemaReference("change")),
        message("ended", .schemaObject(["reason": .schemaText("for people")])),
    ]

    private static let replies = [
        reply("outcome", .schemaReference("outcome")), reply("queue", .schemaReference("queuePage")),
        reply("lyrics", .schemaObject(["item": item, "text": .schemaOptional(.schemaText("LRC or plain"))])),
        reply("levels", .schemaOptional(.schemaReference("levels"))),
        reply("songs", .schemaList(.schemaReference("song"))), reply("pong", .schemaObject([:])),
        reply("stream", .schemaObject(["path": .schemaText("of a stream without sync, good once, for five minutes")])),
        .schemaObject(["error": .schemaText("one line, for people")], optional: ["id": id]),
    ]

    private static func message(_ name: String, _ schema: JSONValue) -> JSONValue { .schemaObject([name: schema]) }

    private static func reply(_ name: String, _ schema: JSONValue) -> JSONValue {
        .schemaObject(["id": id, name: schema])
    }

    // MARK: From the client

    private static let former = JSONValue.schemaText("the ticket that the client had before; that one's sockets end")

    private static let joins = [
        JSONValue.schemaRequest([
            "join": .schemaOneOf([
                .schemaRequest(["name": .schemaText("the client's")], optional: ["former": former]),
                .schemaRequest(
                    [
                        "name": .schemaText("the client's"), "guest": .schemaText("the guest's id, in hexadecimal"),
                        "nonce": nonce, "mac": code,
                    ], optional: ["former": former]),
            ])
        ])
    ]

    private static let requests = [
        request("command", .schemaReference("command")),
        request(
            "queue",
            .schemaRequest([
                "from": .schemaCount("position of the first item, from 0"), "count": .schemaCount("items at most"),
            ])),
        request("lyrics", .schemaRequest(["item": item])), request("levels", .schemaRequest(["item": item])),
        request(
            "songs", .schemaRequest(["query": .schemaText, "limit": .schemaInteger("songs at most", 1...1_000)])),
        request("stream", .schemaRequest([:])), request("ping", .schemaRequest([:])),
    ]

    /// A guest's request.
    private static let signed = JSONValue.schemaRequest([
        "n": .schemaInteger("from 1, larger each time"), "mac": code, "text": .schemaText("the request's JSON"),
    ])

    private static func request(_ name: String, _ schema: JSONValue) -> JSONValue {
        .schemaRequest(["id": id, name: schema])
    }
}
