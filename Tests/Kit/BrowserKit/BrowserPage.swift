/// A page in a ``Browser``. Used from one thread; stays open until the browser ends or ``close()`` is called.
public final class BrowserPage {
    /// Errors that the page put on the console or did not catch, and resources that it could not load, in order; the
    /// first thousand.
    public private(set) var errors: [String] = []
    /// What the page said on the console, in order; the first thousand.
    public private(set) var messages: [String] = []

    private let devTools: DevTools
    private let session: DevTools.Session
    /// By Chromium's name for it, which is new with each load.
    private var loadedDocument: String?

    private static let lineLimit = 1_000

    init(devTools: DevTools, session: DevTools.Session) throws(BrowserError) {
        self.devTools = devTools
        self.session = session
        devTools.eventHandlers[session] = { [weak self] in self?.take($0, $1) }
        for domain in ["Page", "Runtime", "Log"] { try call(domain + ".enable") }
        try call("Page.setLifecycleEventsEnabled", ["enabled": true])
    }

    deinit { devTools.eventHandlers[session] = nil }

    /// Goes to an address, and returns when the page is loaded.
    public func load(_ address: String, within seconds: Double = 20) throws(BrowserError) {
        let answer = try call("Page.navigate", ["url": .string(address)], within: seconds)
        if let failure = answer["errorText"].string { throw .refused(command: address, message: failure) }
        // None within a document.
        guard let document = answer["loaderId"].string else { return }
        try devTools.wait(for: "the load of \(address)", within: seconds) { loadedDocument == document }
    }

    /// The value of a JavaScript expression, or of the promise that it gives; null where JSON has no form for it.
    ///
    /// Counts as no gesture of the user: what needs one is done by ``click(on:)``, ``tap(on:)`` or ``press(_:)``.
    @discardableResult
    public func evaluate(_ expression: String, within seconds: Double = 20) throws(BrowserError) -> JSON {
        let answer = try call(
            "Runtime.evaluate",
            ["expression": .string(expression), "awaitPromise": true, "returnByValue": true], within: seconds)
        let exception = answer["exceptionDetails"]
        guard exception == .null else {
            throw .thrown(expression: expression, message: Self.text(ofException: exception))
        }
        return answer["result"]["value"]
    }

    /// Looks every 20 ms until an expression is true.
    public func wait(for expression: String, within seconds: Double) throws(BrowserError) {
        let deadline = now() + seconds
        while try evaluate("Boolean(\(expression))", within: seconds) != true {
            guard now() < deadline else { throw .timedOut(expression) }
            try pause(seconds: 0.02)
        }
    }

    /// Lets time pass, and takes what the page says meanwhile.
    public func pause(seconds: Double) throws(BrowserError) {
        let deadline = now() + seconds
        do throws(BrowserError) {
            try devTools.wait(for: "", within: seconds) { now() >= deadline }
        } catch .timedOut {
            return
        }
    }

    /// Puts it in front of the browser's other pages, which are then hidden.
    public func bringToFront() throws(BrowserError) { try call("Page.bringToFront") }

    public func close() throws(BrowserError) { try call("Page.close") }

    /// Sends a command of the DevTools protocol to the page.
    /// - Returns: its result.
    @discardableResult
    public func call(
        _ method: String, _ parameters: JSON = [:], within seconds: Double = 20
    ) throws(BrowserError) -> JSON {
        try devTools.call(method, parameters, in: session, within: seconds)
    }

    private func take(_ event: String, _ parameters: JSON) {
        switch event {
        case "Page.lifecycleEvent" where parameters["name"] == "load": loadedDocument = parameters["loaderId"].string
        case "Runtime.exceptionThrown": note(error: Self.text(ofException: parameters["exceptionDetails"]))
        case "Runtime.consoleAPICalled":
            let words = parameters["args"].elements.map { argument in
                argument["value"].string ?? argument["description"].string ?? argument["value"].text
            }
            let line = words.joined(separator: " ")
            if messages.count < Self.lineLimit { messages.append(line) }
            if ["error", "assert"].contains(parameters["type"].string) { note(error: line) }
        case "Log.entryAdded" where parameters["entry"]["level"].string == "error":
            let entry = parameters["entry"]
            note(error: [entry["text"], entry["url"]].compactMap(\.string).joined(separator: " "))
        default: break
        }
    }

    private func note(error: String) {
        if errors.count < Self.lineLimit { errors.append(error) }
    }

    private static func text(ofException exception: JSON) -> String {
        exception["exception"]["description"].string ?? exception["exception"]["value"].string
            ?? exception["text"].string ?? exception.text
    }
}
