import AudioCore

extension APISchema {
    /// What a broadcast may be asked to do.
    static let commands = [
        definition("command", .schemaOneOf(plainCommands + programmeCommands + queueCommands + soundCommands))
    ]

    private static let item = JSONValue.schemaInteger("the item's id", ProgrammeCommand.items)
    private static let position = JSONValue.schemaInteger(
        "in the queue, from 0; as many as it has songs: the end", ProgrammeCommand.positions)

    private static let plainCommands = ["play", "pause", "toggle", "stop", "next", "previous", "clear"].map {
        command($0, .schemaRequest([:]))
    }

    private static let programmeCommands = [
        command("seek", .schemaRequest(["seconds": .schemaNumber("since the song's beginning", 0...furthest)])),
        command(
            "skip", .schemaRequest(["seconds": .schemaNumber("forwards; negative: back", -furthest...furthest)])),
        command("repeat", repeatModes), command("shuffle", .schemaBool),
    ]

    private static let furthest = Int64(ProgrammeCommand.furthestSeconds)

    private static let queueCommands = [
        command("jump", .schemaRequest(["item": item])),
        command(
            "add",
            .schemaRequest(
                ["paths": .schemaList(.schemaText("of a song that was found, or an http or https address"))],
                optional: ["position": .schemaOptional(position)])),
        command("remove", .schemaRequest(["items": .schemaList(item)])),
        command("move", .schemaRequest(["item": item, "position": position])),
    ]

    private static let soundCommands =
        [
            command(
                "offset",
                .schemaRequest([
                    "microseconds": .schemaInteger("how much later it plays", -1_000_000...1_000_000),
                    "listener": instance,
                ])),
            command(
                "role",
                .schemaRequest([
                    "role": .schemaEnum(["stereo", "left", "right", "mono"] + Limits.channelRange.map { "\($0)" }),
                    "listener": instance,
                ])),
        ] + [
            volume("level", .schemaInteger("per cent", 0...100)),
            volume("step", .schemaInteger("louder by so much; negative: softer", -100...100)),
            volume("muted", .schemaBool),
        ]

    /// Of one listener, or without one the group's. The listener may stand beside the volume, too.
    private static func volume(_ name: String, _ schema: JSONValue) -> JSONValue {
        .schemaRequest(
            ["volume": .schemaRequest([name: schema], optional: ["listener": instance])],
            optional: ["listener": instance])
    }

    private static func command(_ name: String, _ schema: JSONValue) -> JSONValue { .schemaRequest([name: schema]) }
}
