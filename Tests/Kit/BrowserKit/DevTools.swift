import Glibc

/// The Chrome DevTools protocol over a pair of pipes (`--remote-debugging-pipe`): messages in JSON, each ended by NUL.
/// Commands are answered by their number; events may come whenever the answer to a command is awaited.
///
/// Used from one thread.
final class DevTools {
    /// Whom a message concerns: the browser, or a page by the session in which it is led.
    typealias Session = String

    /// What takes the events of a session: method and parameters.
    var eventHandlers: [Session: (String, JSON) -> Void] = [:]
    /// What the browser said of its end, for errors.
    var lastWords: () -> String = { "" }

    private let reading: Int32
    private let writing: Int32
    private var received: [UInt8] = []
    /// Bytes of `received` that are known to hold no NUL.
    private var searched = 0
    private var answers: [Int: JSON] = [:]
    private var lastNumber = 0

    /// What the browser says at most in one message: a screenshot of a long page is some megabytes.
    private static let messageByteLimit = 64 << 20

    /// Takes both descriptors over: sockets, so that a browser that is gone raises no signal.
    init(reading: Int32, writing: Int32) {
        self.reading = reading
        self.writing = writing
    }

    deinit {
        close(reading)
        close(writing)
    }

    /// Sends a command and waits for its answer.
    func call(
        _ method: String, _ parameters: JSON = [:], in session: Session? = nil, within seconds: Double = 10
    ) throws(BrowserError) -> JSON {
        lastNumber += 1
        let number = lastNumber
        var message: [String: JSON] = [
            "id": .number(Double(number)), "method": .string(method), "params": parameters,
        ]
        if let session { message["sessionId"] = .string(session) }
        let deadline = now() + seconds
        try send(Array(JSON.object(message).text.utf8) + [0])
        while answers[number] == nil { try receive(until: deadline, waitingFor: method) }
        let answer = answers.removeValue(forKey: number) ?? .null
        if let refusal = answer["error"]["message"].string {
            throw .refused(command: method, message: refusal)
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
        received += chunk[..<length]
        try takeMessages()
    }

    private func takeMessages() throws(BrowserError) {
        while let end = received[searched...].firstIndex(of: 0) {
            guard let message = JSON(parsing: received[..<end]) else { throw .malformedMessage }
            received.removeSubrange(...end)
            searched = 0
            take(message)
        }
        searched = received.count
        guard searched <= Self.messageByteLimit else { throw .malformedMessage }
    }

    private func take(_ message: JSON) {
        if let number = message["id"].number {
            answers[Int(number)] = message
        } else if let session = message["sessionId"].string, let method = message["method"].string {
            eventHandlers[session]?(method, message["params"])
        }
    }
}

/// Seconds on the monotonic clock.
func now() -> Double {
    var now = timespec()
    clock_gettime(CLOCK_MONOTONIC, &now)
    return Double(now.tv_sec) + Double(now.tv_nsec) * 1e-9
}
