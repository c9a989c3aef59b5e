import WireProtocol

/// What a remembered number describes.
public enum MemorySubject: Hashable, Sendable {
    /// The rate of a peer's clock against this machine's, in ppm.
    case clock(UUIDBytes)
    /// The rate of a sound card against this machine's clock, in ppm. The string is the device's
    /// ``Playout/OutputDeviceDescription/identity`` and its nominal rate.
    case card(String)
    /// The user's offset for a sound device, in microseconds.
    case offset(String)
    /// The volume of a sound device's loudspeakers, in percent.
    case volume(String)
    /// 1 for a sound device whose loudspeakers are muted.
    case muted(String)
    /// The channel role of a sound device's loudspeakers: a channel's number, or -1 left, -2 right, -3 mono.
    case role(String)
}

/// One remembered number.
public struct MemoryRecord: Hashable, Sendable {
    public var value: Double
    /// When it was last measured or used, by the wall clock.
    public var unixSeconds: Int64

    public init(value: Double, unixSeconds: Int64) {
        self.value = value
        self.unixSeconds = unixSeconds
    }
}
