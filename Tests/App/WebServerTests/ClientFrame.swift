/// A frame as a client sends it, or as it comes from a server (RFC 6455 section 5.2).
struct ClientFrame: Equatable {
    enum Opcode: UInt8 {
        case continuation = 0
        case text = 1
        case binary = 2
        case close = 8
        case ping = 9
        case pong = 10
    }

    let opcode: Opcode
    let content: [UInt8]
    let isLast: Bool

    init(_ opcode: Opcode, _ content: [UInt8], isLast: Bool = true) {
        self.opcode = opcode
        self.content = content
        self.isLast = isLast
    }

    init(_ opcode: Opcode, _ content: String, isLast: Bool = true) {
        self.init(opcode, Array(content.utf8), isLast: isLast)
    }

    init(close code: UInt16, _ reason: String = "") {
        self.init(.close, [UInt8(code >> 8), UInt8(code & 0xFF)] + Array(reason.utf8))
    }

    /// Nil for other frames.
    var closeCode: UInt16? {
        opcode == .close && content.count > 1 ? UInt16(content[0]) << 8 | UInt16(content[1]) : nil
    }

    var masked: [UInt8] { bytes(isMasked: true) }

    func bytes(isMasked: Bool) -> [UInt8] {
        let mask: UInt8 = isMasked ? 0x80 : 0
        var bytes = [opcode.rawValue | (isLast ? 0x80 : 0)]
        switch content.count {
        case ..<126: bytes.append(mask | UInt8(content.count))
        case ..<65_536: bytes += [mask | 126, UInt8(content.count >> 8), UInt8(content.count & 0xFF)]
        default:
            bytes.append(mask | 127)
            bytes += (0..<8).map { UInt8(truncatingIfNeeded: content.count >> (56 - 8 * $0)) }
        }
        guard isMasked else { return bytes + content }
        let key: [UInt8] = [0x12, 0x34, 0x56, 0x78]
        return bytes + key + content.enumerated().map { $1 ^ key[$0 % 4] }
    }

    /// The frames of a server; nil unless they are whole, and nothing else is there.
    static func all(in bytes: [UInt8]) -> [ClientFrame]? {
        var (frames, rest) = ([ClientFrame](), bytes[...])
        while let first = rest.popFirst() {
            guard let opcode = Opcode(rawValue: first & 0x0F), first & 0x70 == 0, let short = rest.popFirst() else {
                return nil
            }
            let digitCount = [126: 2, 127: 8][Int(short)] ?? 0
            let length =
                digitCount == 0 ? Int(short) : rest.prefix(digitCount).reduce(0) { $0 << 8 | Int($1) }
            rest = rest.dropFirst(digitCount)
            guard rest.count >= length else { return nil }
            frames.append(ClientFrame(opcode, Array(rest.prefix(length)), isLast: first & 0x80 != 0))
            rest = rest.dropFirst(length)
        }
        return frames
    }
}
