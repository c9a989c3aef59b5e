/// A page in a ``Browser``. Used from one thread; stays open until the browser ends or ``close()`` is called.
public final class BrowserPage {
    /// Errors that the page put on the console or did not catch, and (Chromium) resources that it could not load, in
    /// order; the first thousand.
    public private(set) var errors: [String] = []
    /// What the page said on the console, in order; the first thousand.
    public private(set) var messages: [String] = []

    let control: any PageControl

    private static let lineLimit = 1_000

    init(_ control: any PageControl) {
        self.control = control
        control.take = { [weak self] in self?.note($0) }
    }

    /// Goes to an address, and returns when the page is loaded.
    public func load(_ address: String, within seconds: Double = 20) throws(BrowserError) {
        try control.load(address, within: seconds)
    }

    /// The value of a JavaScript expression, or of the promise that it gives; null where JSON has no form for it.
    ///
    /// Counts as no gesture of the user: what needs one is done by ``click(on:)``, ``tap(on:)`` or ``press(_:)``.
    @discardableResult
    public func evaluate(_ expression: String, within seconds: Double = 20) throws(BrowserError) -> JSON {
        try control.evaluate(expression, within: seconds)
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
            try control.wait(for: "", within: seconds) { now() >= deadline }
        } catch .timedOut {
            return
        }
    }

    /// Puts it in front of the browser's other pages, which are then hidden.
    public func bringToFront() throws(BrowserError) { try control.bringToFront() }

    public func close() throws(BrowserError) { try control.close() }

    /// Sends a command of the DevTools protocol to the page, which Chromium alone knows.
    /// - Returns: its result.
    @discardableResult
    public func call(
        _ method: String, _ parameters: JSON = [:], within seconds: Double = 20
    ) throws(BrowserError) -> JSON {
        guard let page = control as? DevToolsPage else {
            throw .refused(command: method, message: "only Chromium knows the DevTools protocol")
        }
        return try page.call(method, parameters, within: seconds)
    }

    private func note(_ news: PageNews) {
        switch news {
        case .message(let line): if messages.count < Self.lineLimit { messages.append(line) }
        case .error(let line): if errors.count < Self.lineLimit { errors.append(line) }
        }
    }
}
