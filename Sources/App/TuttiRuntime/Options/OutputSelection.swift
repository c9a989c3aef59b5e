/// Where the sound goes.
public enum OutputSelection: Hashable, Sendable {
    /// An ALSA device by name, as `tutti devices` lists them.
    case device(name: String)
    /// Nowhere, paced by the host clock.
    case null
    /// A virtual sound card tied to host time that writes a WAVE file, and a sidecar with the time of its first frame.
    case file(path: String)
}
