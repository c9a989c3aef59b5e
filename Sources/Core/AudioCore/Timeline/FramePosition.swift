/// A position on an epoch's timeline, counted in frames of the song at the song's own sample rate.
///
/// Frame 0 is the first *audible* frame: encoder delay lies at negative positions and is never heard.
public struct FramePosition: Comparable, Hashable, Sendable, BitwiseCopyable {
    public var index: Int64

    public init(_ index: Int64) { self.index = index }

    public static let zero = FramePosition(0)

    public static func < (a: Self, b: Self) -> Bool { a.index < b.index }
    /// Distance in frames.
    public static func - (a: Self, b: Self) -> Int64 { a.index &- b.index }
    public static func + (a: Self, frames: Int64) -> Self { Self(a.index &+ frames) }
    public static func - (a: Self, frames: Int64) -> Self { Self(a.index &- frames) }
    public static func += (a: inout Self, frames: Int64) { a = a + frames }
}

extension FramePosition: CustomStringConvertible {
    public var description: String { "frame \(index)" }
}

/// A position between frames: a ``FramePosition`` with a fraction.
///
/// A `Double` resolves 1/1,000,000 of a frame for the first 90 hours at 192 kHz.
public struct FractionalFramePosition: Comparable, Hashable, Sendable, BitwiseCopyable {
    public var frames: Double

    public init(_ frames: Double) { self.frames = frames }
    public init(_ position: FramePosition) { frames = Double(position.index) }

    public static func < (a: Self, b: Self) -> Bool { a.frames < b.frames }
    /// Distance in frames.
    public static func - (a: Self, b: Self) -> Double { a.frames - b.frames }
    public static func + (a: Self, frames: Double) -> Self { Self(a.frames + frames) }
}
