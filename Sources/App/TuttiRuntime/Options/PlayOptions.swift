import AudioCore
import Songs

/// What `tutti play` may be told.
public struct PlayOptions: Sendable {
    public var output = OutputSelection.device(name: "default")
    /// From 0 to 1.
    public var volume: Float = 1
    /// What the bytes are where they are samples without a header.
    public var raw: RawPCMFormat?
    /// How often the handler is told how it goes while that stays the same.
    public var statusInterval = TimeSpan.milliseconds(250)

    public init() {}
}
