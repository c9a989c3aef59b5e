/// A page of Chromium, led by the Chrome DevTools protocol.
final class DevToolsPage: PageControl {
    var take: (PageNews) -> Void = { _ in }

    private let channel: CommandChannel
    private let session: String
    /// By Chromium's name for it, which is new with each load.
    private var loadedDocument: String?

    /// Opens an empty page in front of the others.
    init(over channel: CommandChannel) throws(BrowserError) {
        let target = try channel.call("Target.createTarget", ["url": "about:blank"])["targetId"]
        let attached = try channel.call("Target.attachToTarget", ["targetId": target, "flatten": true])
        guard let session = attached["sessionId"].string else { throw .malformedMessage }
        self.channel = channel
        self.session = session
        channel.eventHandlers[session] = { [weak self] in self?.note($0, $1) }
        for domain in ["Page", "Runtime", "Log"] { try call(domain + ".enable") }
        try call("Page.setLifecycleEventsEnabled", ["enabled": true])
    }

    deinit { channel.eventHandlers[session] = nil }

    @discardableResult
    func call(
        _ method: String, _ parameters: JSON = [:], within seconds: Double = 20
    ) throws(BrowserError) -> JSON {
        try channel.call(method, parameters, in: session, within: seconds)
    }

    func load(_ address: String, within seconds: Double) throws(BrowserError) {
        let answer = try call("Page.navigate", ["url": .string(address)], within: seconds)
        if let failure = answer["errorText"].string { throw .refused(command: address, message: failure) }
        // None within a document.
        guard let document = answer["loaderId"].string else { return }
        try wait(for: "the load of \(address)", within: seconds) { loadedDocument == document }
    }

    func evaluate(_ expression: String, within seconds: Double) throws(BrowserError) -> JSON {
        let answer = try call(
            "Runtime.evaluate",
            ["expression": .string(expression), "awaitPromise": true, "returnByValue": true], within: seconds)
        let exception = answer["exceptionDetails"]
        guard exception == .null else {
            throw .thrown(expression: expression, message: Self.text(ofException: exception))
        }
        return answer["result"]["value"]
    }

    func wait(
        for what: String, within seconds: Double, _ condition: () throws(BrowserError) -> Bool
    ) throws(BrowserError) {
        try channel.wait(for: what, within: seconds, condition)
    }

    func bringToFront() throws(BrowserError) { try call("Page.bringToFront") }

    func close() throws(BrowserError) { try call("Page.close") }

    private func note(_ event: String, _ parameters: JSON) {
        switch event {
        case "Page.lifecycleEvent" where parameters["name"] == "load": loadedDocument = parameters["loaderId"].string
        case "Runtime.exceptionThrown": take(.error(Self.text(ofException: parameters["exceptionDetails"])))
        case "Runtime.consoleAPICalled":
            let words = parameters["args"].elements.map { argument in
                argument["value"].string ?? argument["description"].string ?? argument["value"].text
            }
            let line = words.joined(separator: " ")
            take(.message(line))
            if ["error", "assert"].contains(parameters["type"].string) { take(.error(line)) }
        case "Log.entryAdded" where parameters["entry"]["level"].string == "error":
            let entry = parameters["entry"]
            take(.error([entry["text"], entry["url"]].compactMap(\.string).joined(separator: " ")))
        default: break
        }
    }

    private static func text(ofException exception: JSON) -> String {
        exception["exception"]["description"].string ?? exception["exception"]["value"].string
            ?? exception["text"].string ?? exception.text
    }
}
