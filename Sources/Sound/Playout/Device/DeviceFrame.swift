/// One frame that was, or will be, written to the device, counted from the moment the device was opened.
///
/// The count goes on for the life of the open device, also through xruns: a frame has one index only.
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
