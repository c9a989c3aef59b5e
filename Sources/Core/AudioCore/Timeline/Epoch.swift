/// A stretch of timeline between two control decisions (start, seek, resume, skip).
///
/// The epochs of one broadcast increase. When a newer epoch takes effect, everything of an older one is void.
public struct Epoch: Comparable, Hashable, Sendable, BitwiseCopyable {
    public var number: UInt32

    public init(_ number: UInt32) { self.number = number }

    public var next: Epoch { Epoch(number &+ 1) }

    public static func < (a: Self, b: Self) -> Bool { a.number < b.number }
}

extension Epoch: CustomStringConvertible {
    public var description: String { "epoch \(number)" }
}
