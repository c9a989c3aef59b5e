/// A defect in a stream that can be played anyway: what the parser skipped or ignored, and where.
///
/// Parsers report problems as they meet them, ``Limits/streamProblemCount`` per stream at most.
public struct AudioStreamProblem: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        /// Bytes from the offset on that the format does not explain.
        case skipped(byteCount: Int64)
        /// The file ends in the middle of something; nil where the missing length is unknown.
        case truncated(missingByteCount: Int64?)
        /// What the file announces at the offset differs from what was found.
        case lengthDiffers(announced: Int64, found: Int64, LengthUnit)
        /// Anything else, in words to be followed by "at byte N": "a packet whose checksum is wrong".
        case damaged(String)
    }

    public enum LengthUnit: String, Hashable, Sendable {
        case bytes, packets, frames
    }

    public var kind: Kind
    /// Offset in the file where the problem begins.
    public var byteOffset: Int64

    public init(_ kind: Kind, at byteOffset: Int64) {
        self.kind = kind
        self.byteOffset = byteOffset
    }

    public var isTruncation: Bool {
        if case .truncated = kind { true } else { false }
    }
}

extension AudioStreamProblem: CustomStringConvertible {
    /// The problem and its place, for display.
    public var description: String {
        switch kind {
        case .skipped(let count):
            "\(count) damaged byte\(count == 1 ? "" : "s") skipped at byte \(byteOffset)"
        case .truncated(let missing):
            "cut off at byte \(byteOffset)" + (missing.map { ", \($0) byte\($0 == 1 ? "" : "s") missing" } ?? "")
        case .lengthDiffers(let announced, let found, let unit):
            "\(announced) \(unit.rawValue) announced at byte \(byteOffset), \(found) found"
        case .damaged(let text):
            "\(text) at byte \(byteOffset)"
        }
    }
}
