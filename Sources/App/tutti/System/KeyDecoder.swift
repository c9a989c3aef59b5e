/// A key of the terminal that a player knows.
enum Key: Hashable, Sendable {
    case up, down, left, right
    case character(UInt8)
}

/// Turns a terminal's bytes into keys: cursor keys are escape sequences (ECMA-48 section 5.4 and DEC's application
/// mode). Pure.
struct KeyDecoder: Sendable {
    private enum State { case ground, escape, sequence }

    private var state = State.ground

    mutating func keys(_ bytes: some Sequence<UInt8>) -> [Key] { bytes.compactMap { key($0) } }

    private mutating func key(_ byte: UInt8) -> Key? {
        switch state {
        case .ground:
            guard byte != 0x1B else {
                state = .escape
                return nil
            }
            return byte < 0x80 ? .character(byte) : nil
        case .escape:
            // ESC [ and ESC O introduce sequences; anything else is a key held with Alt.
            state = byte == 0x5B || byte == 0x4F ? .sequence : byte == 0x1B ? .escape : .ground
            return nil
        case .sequence:
            // Parameters and intermediate bytes are skipped.
            guard !(0x20...0x3F).contains(byte) else { return nil }
            state = .ground
            return Self.cursorKeys[byte]
        }
    }

    private static let cursorKeys: [UInt8: Key] = [0x41: .up, 0x42: .down, 0x43: .right, 0x44: .left]
}
