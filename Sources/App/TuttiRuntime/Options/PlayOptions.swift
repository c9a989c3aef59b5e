import AudioCore
import Songs

/// The options of `tutti play`.
public struct PlayOptions: Sendable {
    public var output = OutputSelection.device(name: "default")
    /// From 0 to 1.
    public var volume: Float = 1
    /// The format of samples without a header.
    public var raw: RawPCMFormat?
    /// How often the handler is sent a status that has not changed.
    public var statusInterval = TimeSpan.milliseconds(250)

    public init() {}
}
