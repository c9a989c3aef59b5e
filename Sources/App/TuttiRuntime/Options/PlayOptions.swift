import AudioCore
import Songs

/// The options of `tutti play`.
public struct PlayOptions: Sendable {
    public var output = OutputSelection.device(name: "default")
    public var volume = Volume.full
    /// Which loudness tags of a song decide its gain.
    public var loudness = LoudnessMode.off
    /// The format of samples without a header.
    public var raw: RawPCMFormat?
    /// How often the handler is sent a status that has not changed.
    public var statusInterval = TimeSpan.milliseconds(250)

    public init() {}
}
