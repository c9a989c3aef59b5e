// Names and titles come from anybody on the network, and a terminal obeys what is written to it: escape sequences can
// retitle or repaint it, and on some type text for the user. So control characters of outside text are never written.
// Escape sequences are removed as a whole, so that no part of them remains. Scalars that change the direction of
// writing (general category Cf, except the joiner inside emoji) are removed because they could make one name look like
// another.

extension String {
    /// The text without escape sequences, control and format characters; line breaks and tabs become spaces.
    public var terminalSafe: String {
        var safe = String.UnicodeScalarView()
        var state = EscapeState.text
        for scalar in unicodeScalars {
            let (next, isText) = state.after(scalar)
            state = next
            guard isText else { continue }
            if scalar.isBreak {
                // A line break may have two characters.
                if safe.last != " " { safe.append(" ") }
            } else if scalar.isShowable {
                safe.append(scalar)
            }
        }
        return String(safe)
    }

    /// The same for a line of ours that quotes outside text: its final line break stays.
    public var terminalSafeLine: String { String(dropLast()).terminalSafe + "\n" }
}

extension Unicode.Scalar {
    /// Whether the scalar can be shown without steering the terminal or the direction of writing.
    public var isShowable: Bool {
        switch properties.generalCategory {
        case .control, .lineSeparator, .paragraphSeparator, .surrogate: false
        case .format: self == "\u{200D}"
        default: true
        }
    }

    fileprivate var isBreak: Bool {
        self == "\n" || self == "\r" || self == "\t" || self == "\u{2028}" || self == "\u{2029}" || self == "\u{85}"
    }
}

/// Position within an escape sequence: ECMA-48, sections 5.4 (control sequences) and 5.6 (control strings).
private enum EscapeState {
    case text
    /// After ESC.
    case escape
    /// After CSI: parameters until a final byte.
    case sequence
    /// After OSC, DCS, SOS, PM or APC: everything until BEL, ST or ESC.
    case string

    /// Returns the state after a scalar, and whether that scalar is text.
    func after(_ scalar: Unicode.Scalar) -> (EscapeState, isText: Bool) {
        // Only the one-byte introducers (0x80 to 0x9F) themselves are dropped: in old tags they are mostly quotes and
        // accents.
        if scalar == "\u{1B}" { return (.escape, false) }
        switch self {
        case .text: return (.text, true)
        case .escape: return (afterEscape(scalar), false)
        case .sequence:
            if (0x20...0x3F).contains(scalar.value) { return (.sequence, false) }
            // Anything but a final byte is malformed, and text again.
            return (.text, !(0x40...0x7E).contains(scalar.value))
        case .string:
            return (scalar.value == 0x07 || scalar.value == 0x9C ? .text : .string, false)
        }
    }

    private func afterEscape(_ scalar: Unicode.Scalar) -> EscapeState {
        switch scalar {
        case "[": .sequence
        case "]", "P", "X", "^", "_": .string
        // Intermediate bytes: one more follows.
        case " "..."/": .escape
        default: .text
        }
    }
}
