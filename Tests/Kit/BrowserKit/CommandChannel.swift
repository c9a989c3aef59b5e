import Glibc

/// Commands to a browser, and what it says: messages in JSON, of the Chrome DevTools protocol or of WebDriver BiDi,
/// which differ little. Commands are answered by their number; events may come whenever the answer to a command is
/// awaited.
///
/// Used from one thread.
final class CommandChannel {
    /// Take the events of a page: method and parameters. By the page's session (DevTools) or context (BiDi).
    var eventHandlers: [String: (String, JSON) -> Void] = [:]
    /// What the browser said of its end, for errors.
    var lastWords: () -> String = { "" }

    private let reading: Int32
    private let writing: Int32
    private var framing: any MessageFraming
    private var answers: [Int: JSON] = [:]
    private var lastNumber = 0

    /// Takes both descriptors over: sockets, so that a browser that is gone raises no signal.
    init(reading: Int32, writing: Int32, framing: any MessageFraming) {
        self.reading = reading
        self.writing = writing
        self.framing = framing
    }

    deinit {
        close(reading)
        close(writing)
    }

    /// Sends a command and waits for its answer.
    /// - Parameter session: the page's, in the DevTools protocol.
    func call(
        _ method: String, _ parameters: JSON = [:], in session: String? = nil, within seconds: Double = 10
    ) throws(BrowserError) -> JSON {
        lastNumber += 1
        let number = lastNumber
        var message: [String: JSON] = [
            "id": .number(Double(number)), "method": .string(method), "params": parameters,
        ]
        if let session { message["sessionId"] = .string(session) }
        let deadline = now() + seconds
        try send(framing.framed(Array(JSON.object(message).text.utf8)))
        while answers[number] == nil { try receive(until: deadline, waitingFor: method) }
        let answer = answers.removeValue(forKey: number) ?? .null
        // An object in the DevTools protocol, a word beside the message in BiDi.
        let error = answer["error"]
        guard error == .null else {
            let said = error["message"].string ?? answer["message"].string ?? error.text
            throw .refused(command: method, message: said)
        }
        return answer["result"]
    }

    /// Takes events until the condition holds.
    func wait(
        for what: String, within seconds: Double, _ condition: () throws(BrowserError) -> Bool
    ) throws(BrowserError) {
        let deadline = now() + seconds
        while !(try condition()) { try receive(until: deadline, waitingFor: what) }
    }

    /// Sends what opens the connection, and waits until it is open.
    func open(by request: [UInt8], within seconds: Double) throws(BrowserError) {
        try send(request)
        try wait(for: "an answer to a request for a WebSocket", within: seconds) { framing.isOpen }
    }

    private func send(_ bytes: [UInt8]) throws(BrowserError) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Glibc.send(writing, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            if count < 0 && errno == EINTR { continue }
            guard count > 0 else { throw .ended(said: lastWords()) }
            sent += count
        }
    }

    /// Waits for bytes and takes them.
    private func receive(until deadline: Double, waitingFor what: String) throws(BrowserError) {
        var ready = pollfd(fd: reading, events: Int16(POLLIN), revents: 0)
        let milliseconds = ((deadline - now()) * 1_000).rounded(.up)
        let count = poll(&ready, 1, Int32(max(0, min(milliseconds, 60_000))))
        if count < 0 && errno == EINTR { return }
        guard count > 0 else {
            guard now() < deadline else { throw .timedOut(what) }
            return
        }
        var chunk = [UInt8](repeating: 0, count: 65_536)
        let length = recv(reading, &chunk, chunk.count, 0)
        if length < 0 && errno == EINTR { return }
        guard length > 0 else { throw .ended(said: lastWords()) }
        for bytes in try framing.take(chunk[..<length]) {
            guard let message = JSON(parsing: bytes) else { throw .malformedMessage }
            take(message)
        }
    }

    private func take(_ message: JSON) {
        let parameters = message["params"]
        let page = message["sessionId"].string ?? parameters["source"]["context"].string
        if let number = message["id"].number.flatMap({ Int(exactly: $0) }) {
            answers[number] = message
        } else if let page, let method = message["method"].string {
            eventHandlers[page]?(method, parameters)
        }
    }
}

/// Seconds on the monotonic clock.
func now() -> Double {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return Double(now.tv_sec) + Double(now.tv_nsec) * 1e-9
}
