/// What a user does at a terminal.
public enum Key: Hashable, Sendable {
    case up, down, left, right
    case home, end, pageUp, pageDown
    case enter, tab, backTab, backspace, delete, escape
    case character(Character)
    /// A letter held with Control.
    case control(Character)
    case mouse(MouseAction, column: Int, row: Int)
}

/// What a mouse did; where counts from 0, from the top left.
public enum MouseAction: Hashable, Sendable {
    case press, wheelUp, wheelDown
}

/// Turns a terminal's bytes into keys: UTF-8, escape sequences (ECMA-48 section 5.4, DEC's application mode), xterm's
/// SGR mouse reports. What the terminal answers to ``TerminalGraphics``' query is kept apart. A value.
public struct KeyDecoder: Sendable {
    private enum State {
        case ground
        case escape
        case sequence([UInt8])
        /// An application program command (ECMA-48, section 8.3.2): what came of it behind its introducer.
        case command([UInt8])
        /// One of ours, with the escape that begins its terminator.
        case commandEnd([UInt8])
        /// A character of which bytes are missing.
        case character([UInt8], missing: Int)
    }

    private var state = State.ground
    private var answers: [TerminalAnswer] = []
    /// Longer sequences are none of ours. Device attributes have some 50 bytes.
    private static let parameterLimit = 128
    /// Of a command; an answer may have a sentence.
    private static let commandLimit = 1_024
    /// As many as one query can have.
    private static let answerLimit = 2
    /// How the answer to kitty's query begins, behind its introducer.
    private static let commandStart = Array("Gi=\(TerminalAnswer.queryNumber)".utf8)

    public init() {}

    public mutating func keys(_ bytes: some Sequence<UInt8>) -> [Key] { bytes.compactMap { key($0) } }

    /// Returns what the terminal answered since the last call.
    public mutating func takeAnswers() -> [TerminalAnswer] {
        defer { answers = [] }
        return answers
    }

    /// Whether a byte came that is the escape key if nothing follows it.
    public var isEscapeOpen: Bool { if case .escape = state { true } else { false } }

    /// Says that nothing follows.
    /// - Returns: the escape key, if it was one.
    public mutating func noMore() -> Key? {
        guard isEscapeOpen else { return nil }
        state = .ground
        return .escape
    }

    private mutating func key(_ byte: UInt8) -> Key? {
        switch state {
        case .ground: return first(byte)
        case .escape:
            state = Self.state(afterEscape: byte)
            return nil
        case .sequence(let parameters):
            guard !(0x20...0x3F).contains(byte) else {
                state = .sequence(Array((parameters + [byte]).prefix(Self.parameterLimit)))
                return nil
            }
            state = .ground
            guard byte == 0x63, parameters.first == 0x3F else { return Self.key(parameters, byte) }
            // One that was cut may end within a number.
            if parameters.count < Self.parameterLimit { note(.deviceAttributes(Self.numbers(parameters.dropFirst()))) }
            return nil
        case .command(let bytes): return key(byte, inCommand: bytes)
        case .commandEnd(let bytes):
            state = byte == 0x5C ? .ground : Self.state(afterEscape: byte)
            if byte == 0x5C { note(Self.answer(bytes)) }
            return nil
        case .character(let bytes, let missing):
            guard byte & 0xC0 == 0x80 else {
                state = .ground
                return first(byte)
            }
            state = missing > 1 ? .character(bytes + [byte], missing: missing - 1) : .ground
            return missing > 1 ? nil : Self.character(bytes + [byte])
        }
    }

    /// ESC [ and ESC O introduce sequences, ESC _ a command; anything else is a key held with Alt.
    private static func state(afterEscape byte: UInt8) -> State {
        switch byte {
        case 0x5B, 0x4F: .sequence([])
        case 0x5F: .command([])
        case 0x1B: .escape
        default: .ground
        }
    }

    /// Any text that follows may have been typed behind Alt and an underscore, unless it begins as the answer does.
    private mutating func key(_ byte: UInt8, inCommand bytes: [UInt8]) -> Key? {
        let isOurs = bytes.count >= Self.commandStart.count
        if byte == 0x1B {
            state = isOurs ? .commandEnd(bytes) : .escape
            return nil
        }
        guard isOurs ? byte >= 0x20 && bytes.count < Self.commandLimit : byte == Self.commandStart[bytes.count] else {
            state = .ground
            return first(byte)
        }
        state = .command(bytes + [byte])
        return nil
    }

    private mutating func note(_ answer: TerminalAnswer) {
        if answers.count < Self.answerLimit { answers.append(answer) }
    }

    /// Keys, a semicolon, and OK or what is wrong.
    private static func answer(_ command: [UInt8]) -> TerminalAnswer {
        let text = String(decoding: command, as: UTF8.self)
        let parts = text.split(separator: ";", maxSplits: 1, omittingEmptySubsequences: false)
        return .kittyGraphics(isSupported: parts.count == 2 && parts[1] == "OK")
    }

    private static func numbers(_ parameters: some Sequence<UInt8>) -> [Int] {
        String(decoding: Array(parameters), as: UTF8.self).split(separator: ";").compactMap { Int($0) }
    }

    private mutating func first(_ byte: UInt8) -> Key? {
        switch byte {
        case 0x1B:
            state = .escape
            return nil
        case 0x0A, 0x0D: return .enter
        case 0x09: return .tab
        case 0x08, 0x7F: return .backspace
        case 0x01...0x1A: return .control(Character(Unicode.Scalar(byte + 0x60)))
        case 0x20...0x7E: return .character(Character(Unicode.Scalar(byte)))
        case 0xC2...0xF4:
            state = .character([byte], missing: byte < 0xE0 ? 1 : byte < 0xF0 ? 2 : 3)
            return nil
        default: return nil
        }
    }

    private static func character(_ bytes: [UInt8]) -> Key? {
        String(validating: bytes, as: UTF8.self)?.first.map { .character($0) }
    }

    private static func key(_ parameters: [UInt8], _ final: UInt8) -> Key? {
        let text = String(decoding: parameters, as: UTF8.self)
        if text.first == "<" { return mouse(text.dropFirst(), final) }
        guard final == 0x7E else { return finals[final] }
        return text.split(separator: ";").first.flatMap { Int($0) }.flatMap { numbers[$0] }
    }

    private static func mouse(_ text: Substring, _ final: UInt8) -> Key? {
        let numbers = text.split(separator: ";").map { Int($0) }
        guard final == 0x4D, numbers.count == 3, let button = numbers[0], let column = numbers[1], let row = numbers[2]
        else { return nil }
        let action: MouseAction? =
            switch button {
            case 0: .press
            case 64: .wheelUp
            case 65: .wheelDown
            default: nil
            }
        return action.map { .mouse($0, column: max(0, column - 1), row: max(0, row - 1)) }
    }

    private static let finals: [UInt8: Key] = [
        0x41: .up, 0x42: .down, 0x43: .right, 0x44: .left, 0x46: .end, 0x48: .home, 0x5A: .backTab,
    ]
    private static let numbers: [Int: Key] = [
        1: .home, 3: .delete, 4: .end, 5: .pageUp, 6: .pageDown, 7: .home, 8: .end,
    ]
}
