// A viewer has decoded what came from anybody, and a terminal obeys what is written to it. So what a viewer writes goes
// to no terminal as it is: its pixels are taken out of it, checked, and written anew.

extension TerminalPicture {
    /// The picture in what a viewer wrote for a terminal; whatever else stands there is dropped.
    /// - Returns: nil if there is none that is whole and has room.
    public init?(viewerOutput output: [UInt8], as graphicsProtocol: GraphicsProtocol, in area: PictureArea) {
        switch graphicsProtocol {
        case .kitty: self.init(kitty: output, in: area)
        case .sixels: self.init(sixels: output, in: area)
        }
    }

    private init?(sixels output: [UInt8], in area: PictureArea) {
        // ESC P, parameters, q.
        guard let string = ControlStrings(output, introducer: 0x50).first(where: { _ in true }),
            let final = string.firstIndex(where: { !(0x30...0x3B).contains($0) }), string[final] == 0x71,
            let data = SixelData(string[(final + 1)...])
        else {
            return nil
        }
        self.init(data, in: area)
    }

    private init?(kitty output: [UInt8], in area: PictureArea) {
        var pixels: [UInt8] = []
        var keys: [Substring: Int]?
        // ESC _ G, keys, a semicolon and a chunk of base64.
        for string in ControlStrings(output, introducer: 0x5F) where string.first == 0x47 {
            let parts = string.dropFirst().split(separator: 0x3B, maxSplits: 1, omittingEmptySubsequences: false)
            // The first command has the picture's keys.
            if keys == nil { keys = Self.keys(String(decoding: parts[0], as: UTF8.self)) }
            if parts.count == 2, !Base64.decode(parts[1], into: &pixels) { return nil }
        }
        // Compressed ones (o) and those in files (t) are none of ours.
        guard let keys, keys["o"] == nil, keys["t"] == nil, let width = keys["s"], let height = keys["v"],
            let format = keys["f"]
        else {
            return nil
        }
        self.init(pixels: pixels, width: width, height: height, bytesPerPixel: format / 8, in: area)
    }

    /// Those with numbers; 0 for others.
    private static func keys(_ text: String) -> [Substring: Int] {
        let pairs = text.split(separator: ",").map { $0.split(separator: "=", maxSplits: 1) }
        return Dictionary(pairs.filter { $0.count == 2 }.map { ($0[0], Int($0[1]) ?? 0) }) { first, _ in first }
    }
}

/// The control strings of one kind (ECMA-48, section 5.6) that end with the string terminator, ESC \.
private struct ControlStrings: Sequence, IteratorProtocol {
    private var rest: ArraySlice<UInt8>
    private let introducer: UInt8

    init(_ bytes: [UInt8], introducer: UInt8) {
        rest = bytes[...]
        self.introducer = introducer
    }

    /// Returns what stands between introducer and terminator.
    mutating func next() -> ArraySlice<UInt8>? {
        while let escape = rest.firstIndex(of: 0x1B) {
            rest = rest[(escape + 1)...]
            guard rest.first == introducer else { continue }
            rest = rest.dropFirst()
            guard let end = rest.firstIndex(of: 0x1B) else { return nil }
            let string = rest[..<end]
            rest = rest[end...]
            if rest.dropFirst().first == 0x5C { return string }
        }
        return nil
    }
}
