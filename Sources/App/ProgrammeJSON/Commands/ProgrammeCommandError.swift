import AudioCore

/// What is wrong with a command's JSON.
public struct ProgrammeCommandError: Error, Hashable, Sendable {
    /// One line that names the member, for people. What it quotes is made safe to show, and cut.
    public let message: String

    init(_ message: String) { self.message = message }
}

extension ProgrammeCommandError: CustomStringConvertible {
    public var description: String { message }
}

extension String {
    /// The text in quotation marks, as error texts name it.
    var quotedForError: String { "'\(String(displaying: self, maximumByteCount: 80))'" }
}
