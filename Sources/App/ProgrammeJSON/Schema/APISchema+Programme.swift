import AudioCore
import WireProtocol

extension APISchema {
    /// The state of a broadcast, and its changes.
    static let programme = [
        definition(
            "state",
            .schemaObject([
                "broadcaster": .schemaText("its name"), "sequence": .schemaInteger("of the newest change in here"),
                "queueSequence": .schemaOptional(
                    .schemaInteger("of a change since which the queue and its items are the same; null: unknown")),
                "sent": .schemaNumber("seconds of the broadcaster's clock when this was sent"),
                "status": .schemaReference("status"), "modes": .schemaReference("modes"),
                "items": .schemaCount("songs in the queue"), "volume": .schemaReference("volume"),
                "listeners": .schemaList(.schemaReference("listener")),
                "page": .schemaOptional(
                    .schemaObject([
                        "port": .schemaInteger("of the page for browsers", 1...65_535),
                        "scheme": .schemaEnum(["http", "https"]),
                        "name": .schemaOptional(.schemaText("of the machine in the page's certificate, if it has one")),
                    ])),
            ])),
        definition(
            "status",
            .schemaObject([
                "transport": .schemaEnum(TransportState.allCases.map { "\($0)" }),
                "current": .schemaOptional(.schemaReference("item")),
                "next": .schemaOptional(.schemaReference("item")),
                "position": .schemaOptional(.schemaReference("position")),
            ])),
        definition(
            "item",
            .schemaObject(
                [
                    "id": .schemaCount("the item's number, as commands name it"), "title": .schemaText,
                    "artist": .schemaOptional(.schemaText), "album": .schemaOptional(.schemaText),
                    "seconds": .schemaOptional(.schemaNumber("its length")), "live": .schemaBool,
                    "failed": .schemaBool, "picture": .schemaOptional(.schemaBool),
                ])),
        definition(
            "position",
            .schemaObject([
                "seconds": .schemaNumber("since the song's beginning"),
                "at": .schemaNumber("seconds of the broadcaster's clock at which it is there"),
                "rate": .schemaNumber("seconds of song in a second of the clock; 0 while it stands"),
                "frame": .schemaInteger("the same as seconds, in frames"), "sampleRate": .schemaNumber("hertz"),
            ])),
        definition("modes", .schemaObject(["repeat": repeatModes, "shuffle": .schemaBool])),
        definition(
            "volume", .schemaObject(["level": .schemaInteger("per cent", 0...100), "muted": .schemaBool])),
        definition(
            "listener",
            .schemaObject([
                "name": .schemaText, "instance": instance,
                "state": .schemaEnum(ListenerState.allCases.map(\.rawValue)),
                "browser": .schemaBool,
                "volume": .schemaOptional(.schemaReference("volume")),
                "role": .schemaOptional(.schemaText("stereo, left, right, mono, or a channel's number")),
                "offsetMicroseconds": .schemaOptional(.schemaNumber("how much later it plays; negative: earlier")),
                "errorMicroseconds": .schemaOptional(.schemaNumber("how late it is by its own reckoning")),
                "boundMicroseconds": .schemaOptional(.schemaNumber("how far from that it may be")),
            ])),
        definition("change", .schemaOneOf(changes)),
    ]

    static let instance = JSONValue.schemaText("of a listener: hexadecimal")
    static let repeatModes = JSONValue.schemaEnum(RepeatMode.allCases.map { "\($0)" })

    private static let changes = [
        change("status", .schemaReference("status")), change("modes", .schemaReference("modes")),
        change(
            "queue",
            .schemaObject(["edit": .schemaText("for people"), "items": .schemaCount("songs in the queue now")])),
        change("item", .schemaReference("item")), change("volume", .schemaReference("volume")),
        change("listener", .schemaReference("listener")), change("gone", instance),
        change(
            "command", .schemaObject(["who": .schemaText("a name"), "what": .schemaText("as on the command line")])),
        change("unknown", .object(["type": .string("null")])),
    ]

    private static func change(_ kind: String, _ schema: JSONValue) -> JSONValue {
        .schemaObject([
            "sequence": .schemaInteger("one more with each change; after a gap ask for the state"),
            "effect": .schemaNumber("seconds of the broadcaster's clock at which it takes effect"), kind: schema,
        ])
    }
}
