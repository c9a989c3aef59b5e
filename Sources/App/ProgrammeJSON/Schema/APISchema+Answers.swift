extension APISchema {
    /// What requests are answered with.
    static let answers = [
        definition(
            "queuePage",
            .schemaObject([
                "from": .schemaCount("position of the first of these items, from 0"),
                "count": .schemaCount("songs in the whole queue"),
                "items": .schemaList(.schemaReference("item")),
            ])),
        definition(
            "outcome",
            .schemaObject(["done": .schemaBool, "text": .schemaText("for people; empty if there is nothing to say")])),
        definition("failure", .schemaObject(["error": .schemaText("one line, for people")])),
        definition("songs", .schemaObject(["songs": .schemaList(.schemaReference("song"))])),
        definition(
            "song",
            .schemaObject([
                "path": .schemaText("to add it by"), "title": .schemaText, "artist": optionalText,
                "album": optionalText, "albumArtist": optionalText, "composer": optionalText, "genre": optionalText,
                "disc": .schemaOptional(.schemaInteger("from 1")), "track": .schemaOptional(.schemaInteger("from 1")),
                "year": .schemaOptional(.schemaInteger("of the album")),
                "seconds": .schemaOptional(.schemaNumber("its length")),
            ])),
        definition(
            "levels",
            .schemaObject([
                "intervalSeconds": .schemaNumber("length of an interval"), "peak": decibels, "rms": decibels,
            ])),
    ]

    private static let optionalText = JSONValue.schemaOptional(.schemaText)

    /// For each channel a list.
    private static let decibels = JSONValue.schemaList(
        .schemaList(.schemaOptional(.schemaNumber("dBFS of an interval; null: silence"))))
}
