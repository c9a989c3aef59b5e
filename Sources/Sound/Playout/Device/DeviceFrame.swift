/// A frame of an output device, counted since the device was opened, or of an input device, counted since its start.
///
/// Counting continues through xruns: each frame has exactly one index.
public struct DeviceFrame: Comparable, Hashable, Sendable, BitwiseCopyable {
    public var index: Int64

    public init(index: Int64) { self.index = index }

    public static let zero = DeviceFrame(index: 0)

    public static func < (a: Self, b: Self) -> Bool { a.index < b.index }
    /// Distance in frames.
    public static func - (a: Self, b: Self) -> Int64 { a.index &- b.index }
    public static func + (a: Self, frames: Int64) -> Self { Self(index: a.index &+ frames) }
    public static func - (a: Self, frames: Int64) -> Self { Self(index: a.index &- frames) }
    public static func += (a: inout Self, frames: Int64) { a = a + frames }
}
