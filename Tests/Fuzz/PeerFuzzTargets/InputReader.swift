import AudioCore

/// Takes an input apart, from its front; all zeros where it is used up.
struct InputReader {
    private var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    var isEmpty: Bool { rest.isEmpty }

    mutating func byte() -> UInt8 { rest.popFirst() ?? 0 }

    mutating func number<Value: FixedWidthInteger>(_ type: Value.Type = Value.self) -> Value {
        (0..<Value.bitWidth / 8).reduce(0) { value, _ in value << 8 | Value(truncatingIfNeeded: byte()) }
    }

    /// Up to so many bytes.
    mutating func bytes(_ count: Int) -> [UInt8] {
        defer { rest = rest.dropFirst(count) }
        return Array(rest.prefix(count))
    }

    mutating func remainder() -> [UInt8] { bytes(rest.count) }

    /// Sizes of pieces, to be used over and over: small ones, large ones. The first is never zero.
    mutating func pieces() -> [Int] {
        let sizes = bytes(5).map { byte in
            let size = Int(byte & 0x3F)
            return switch byte >> 6 {
            case 0: size
            case 1: size * 16
            case 2: size * 256
            default: 1 + size % 4
            }
        }
        return [max(1, sizes.first ?? 1)] + sizes.dropFirst()
    }

    /// A length of time: short, long or absurd.
    mutating func span() -> TimeSpan {
        switch byte() % 6 {
        case 0: .nanoseconds(Int64(number(Int16.self)))
        case 1: .microseconds(Int64(number(Int16.self)))
        case 2: .milliseconds(Int64(number(Int16.self)))
        case 3: .seconds(Int64(number(Int16.self)))
        case 4: .nanoseconds([.max, .min, -1, 1 << 62][Int(byte() % 4)])
        default: .nanoseconds(number())
        }
    }
}
