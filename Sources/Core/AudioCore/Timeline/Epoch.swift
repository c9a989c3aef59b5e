/// A stretch of timeline between two control decisions (start, seek, resume, skip).
///
/// Epochs of one broadcast increase. Everything of an older epoch is void the moment a newer one takes effect.
public struct Epoch: Comparable, Hashable, Sendable, BitwiseCopyable {
    public var number: UInt32

    public init(_ number: UInt32) { self.number = number }

    public var next: Epoch { Epoch(number &+ 1) }

    public static func < (a: Self, b: Self) -> Bool { a.number < b.number }
}

extension Epoch: CustomStringConvertible {
    public var description: String { "epoch \(number)" }
}
