import Songs

/// A station's bytes through what takes the titles out of them: whole, in pieces, and as a second, simple reading of
/// the same form has it.
struct StationRun {
    private let input: [UInt8]

    init(_ input: [UInt8]) { self.input = input }

    /// A block's length is a byte that counts sixteens; ISO 8859-1 becomes two bytes of UTF-8 at most.
    private static let titleByteCount = 2 * 255 * 16

    private struct Outcome: Equatable {
        var audio: [UInt8] = []
        var titles: [String] = []
    }

    func violation() -> String? {
        var reader = InputReader(input)
        let setting = reader.byte()
        let interval = setting & 1 == 0 ? Int(reader.byte()) : Int(reader.number(Int32.self))
        let pieces = reader.pieces()
        let bytes = reader.remainder()
        guard let stripper = ICYStripper(interval: interval) else {
            return interval > 0 && interval < 256 ? "no station of an interval of \(interval)" : nil
        }
        let whole = Self.outcome(bytes, stripper, pieces: [max(1, bytes.count)])
        if whole != Self.outcome(bytes, stripper, pieces: pieces) { return "in pieces: something else" }
        if whole.audio != Self.audio(in: bytes, interval: interval) {
            return "other audio than there is"
        }
        let longest = whole.titles.map(\.utf8.count).max() ?? 0
        if longest > Self.titleByteCount { return "a title of \(longest) bytes" }
        return whole.titles.contains { $0.allSatisfy(\.isWhitespace) } ? "an empty title" : nil
    }

    private static func outcome(_ bytes: [UInt8], _ stripper: ICYStripper, pieces: [Int]) -> Outcome {
        var (outcome, stripper) = (Outcome(), stripper)
        var (offset, turn) = (0, 0)
        while offset < bytes.count {
            var piece = Array(bytes[offset...].prefix(pieces[turn % pieces.count]))
            offset += piece.count
            turn += 1
            let kept = piece.withUnsafeMutableBytes { stripper.strip($0) }
            outcome.audio += piece[..<kept]
            outcome.titles += stripper.takeTitles()
        }
        return outcome
    }

    private static func audio(in bytes: [UInt8], interval: Int) -> [UInt8] {
        var (audio, rest) = ([UInt8](), bytes[...])
        while !rest.isEmpty {
            audio += rest.prefix(interval)
            rest = rest.dropFirst(interval)
            rest = rest.dropFirst(1 + 16 * Int(rest.first ?? 0))
        }
        return audio
    }
}

extension StationRun {
    static var seeds: [[UInt8]] {
        func block(_ text: String) -> [UInt8] {
            let bytes = Array(text.utf8)
            let count = (bytes.count + 15) / 16
            return [UInt8(count)] + bytes + [UInt8](repeating: 0, count: count * 16 - bytes.count)
        }
        let pieces: [UInt8] = [3, 1, 0x41, 7, 0xC1]
        let audio = [UInt8](repeating: 0xAA, count: 10)
        var bytes: [UInt8] = [0, 10] + pieces
        for title in ["StreamTitle='A - B';StreamUrl='http://x';", "StreamTitle='It's';", "StreamTitle=' ';", "x='';"] {
            bytes += audio + block(title)
        }
        bytes += [1, 2, 3, 4, 5]
        // ü in ISO 8859-1.
        let latin: [UInt8] = [0, 10] + pieces + audio + [1] + Array("StreamTitle='".utf8) + [0xFC, 0x27, 0x3B]
        let short: [UInt8] = [1, 0, 0, 0, 3] + pieces + [1, 2, 3, 0, 4, 5, 6, 1, 9]
        return [bytes, latin, short]
    }
}
