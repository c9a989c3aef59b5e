/// How a listener's loudspeakers play; remembered for each sound device.
public struct LoudspeakerSettings: Hashable, Sendable {
    public var volume: Volume
    /// Whether they are silent whatever the volume.
    public var isMuted: Bool
    public var role: ChannelRole
    /// Added to every frame's due time: negative sounds earlier.
    public var offset: TimeSpan

    public init(
        volume: Volume = .full, isMuted: Bool = false, role: ChannelRole = .stereo, offset: TimeSpan = .zero
    ) {
        self.volume = volume
        self.isMuted = isMuted
        self.role = role
        self.offset = offset
    }

    /// The largest offset either way: too few frames are held for a larger shift.
    public static let offsetRange = TimeSpan.seconds(-1)...TimeSpan.seconds(1)
}
