/// What `/api/v1/schema` answers: a JSON Schema (2020-12) of everything that the page's API sends and takes.
///
/// Objects that a broadcaster sends may get further members with a later version. Those that it takes have no others.
public enum APISchema {
    public static let json = JSONValue.object([
        "$schema": .string("https://json-schema.org/draft/2020-12/schema"),
        "title": .string("Tutti's API, version 1"),
        "description": .string(
            "GET /api/v1/status: state. GET queue?from=0&count=100: queuePage. GET songs?query=TEXT&limit=50: songs. "
                + "GET items/ID/levels: levels. POST commands: command in, outcome out. POST songs?name=NAME: a file in, "
                + "outcome out. Whatever fails: failure. WebSocket /api/v1/events: toClient and fromClient."),
        "oneOf": .array([.schemaReference("toClient"), .schemaReference("fromClient")]),
        "$defs": .object(programme + answers + commands + events),
    ])

    public static var text: String { json.text }

    static func definition(_ name: String, _ schema: JSONValue) -> JSONValue.Member { .init(key: name, value: schema) }
}
