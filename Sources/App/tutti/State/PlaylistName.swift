import TerminalIO

/// The name of a saved playlist, which its file has, too: text on one line, without a slash.
struct PlaylistName: Hashable, Sendable {
    /// A file's name has 255 bytes at most, and while it is written some more than the playlist's.
    static let byteCountLimit = 200

    let text: String

    /// - Throws: if no playlist can have this name.
    init(_ text: String) throws(UsageError) {
        guard text.contains(where: { !$0.isWhitespace }) else { throw UsageError("a playlist's NAME is empty") }
        guard text.utf8.count <= Self.byteCountLimit else {
            throw UsageError("a playlist's NAME has at most \(Self.byteCountLimit) bytes")
        }
        guard !text.utf8.contains(UInt8(ascii: "/")), text.utf8.first != UInt8(ascii: "."), text == text.terminalSafe
        else {
            throw UsageError("a playlist's NAME holds no slash and no control characters, and begins with no dot")
        }
        self.text = text
    }
}
