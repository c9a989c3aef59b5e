/// How messages stand in a stream of bytes, in both directions.
protocol MessageFraming {
    /// Messages may be sent.
    var isOpen: Bool { get }
    /// The bytes that bring a message to the browser.
    func framed(_ message: [UInt8]) -> [UInt8]
    /// Takes bytes that came, and gives the messages that are whole with them.
    /// - Throws: ``BrowserError/malformedMessage``.
    mutating func take(_ bytes: ArraySlice<UInt8>) throws(BrowserError) -> [[UInt8]]
}

/// What a browser says at most in one message: a screenshot of a long page is some megabytes.
let messageByteLimit = 64 << 20

/// Messages that end with NUL, as Chromium has them on its pipes.
struct NULFraming: MessageFraming {
    var isOpen: Bool { true }
    private var received: [UInt8] = []
    /// Bytes of `received` that are known to hold no NUL.
    private var searched = 0

    func framed(_ message: [UInt8]) -> [UInt8] { message + [0] }

    mutating func take(_ bytes: ArraySlice<UInt8>) throws(BrowserError) -> [[UInt8]] {
        received += bytes
        var messages: [[UInt8]] = []
        while let end = received[searched...].firstIndex(of: 0) {
            messages.append(Array(received[..<end]))
            received.removeSubrange(...end)
            searched = 0
        }
        searched = received.count
        guard searched <= messageByteLimit else { throw .malformedMessage }
        return messages
    }
}
