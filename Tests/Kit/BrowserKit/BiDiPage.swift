/// A page of Firefox, led by WebDriver BiDi (W3C).
final class BiDiPage: PageControl {
    var take: (PageNews) -> Void = { _ in }

    private let channel: CommandChannel
    /// The page's name in the protocol: its navigable.
    private let context: String

    /// Opens an empty page in front of the others.
    init(over channel: CommandChannel) throws(BrowserError) {
        let created = try channel.call("browsingContext.create", ["type": "tab"], within: 20)
        guard let context = created["context"].string else { throw .malformedMessage }
        self.channel = channel
        self.context = context
        channel.eventHandlers[context] = { [weak self] in self?.note($0, $1) }
    }

    deinit { channel.eventHandlers[context] = nil }

    @discardableResult
    func call(
        _ method: String, _ parameters: [String: JSON] = [:], within seconds: Double = 20
    ) throws(BrowserError) -> JSON {
        try channel.call(
            method, .object(parameters.merging(["context": .string(context)]) { $1 }), within: seconds)
    }

    func load(_ address: String, within seconds: Double) throws(BrowserError) {
        try call("browsingContext.navigate", ["url": .string(address), "wait": "complete"], within: seconds)
    }

    func evaluate(_ expression: String, within seconds: Double) throws(BrowserError) -> JSON {
        let answer = try channel.call(
            "script.evaluate",
            [
                "expression": .string(expression), "target": ["context": .string(context)], "awaitPromise": true,
                "serializationOptions": ["maxDomDepth": 0],
            ], within: seconds)
        guard answer["type"] != "exception" else {
            throw .thrown(expression: expression, message: answer["exceptionDetails"]["text"].string ?? answer.text)
        }
        return Self.value(of: answer["result"])
    }

    func wait(
        for what: String, within seconds: Double, _ condition: () throws(BrowserError) -> Bool
    ) throws(BrowserError) {
        try channel.wait(for: what, within: seconds, condition)
    }

    func bringToFront() throws(BrowserError) { try call("browsingContext.activate") }

    func close() throws(BrowserError) { try call("browsingContext.close") }

    private func note(_ event: String, _ parameters: JSON) {
        guard event == "log.entryAdded", let text = parameters["text"].string else { return }
        if parameters["type"] == "console" { take(.message(text)) }
        if parameters["level"] == "error" { take(.error(text)) }
    }

    /// What a RemoteValue of the protocol stands for; null where JSON has no form for it. No deeper than the text was.
    private static func value(of remote: JSON) -> JSON {
        let value = remote["value"]
        switch remote["type"].string {
        case "string", "boolean": return value
        // "NaN" and infinities are strings; and so is -0.
        case "number": return value == "-0" ? 0 : value.number.map(JSON.number) ?? .null
        case "array": return .array(value.elements.map { Self.value(of: $0) })
        case "object":
            let members = value.elements.compactMap { pair in pair[0].string.map { ($0, Self.value(of: pair[1])) } }
            return .object(Dictionary(members) { $1 })
        default: return .null
        }
    }
}
