/// How loud a machine's loudspeakers may be at what time of day, whoever commands them.
///
/// The limit is on the volume as people set it. A group's volume scales what is within the limit, and never above it:
/// 100 leaves it as it is. Nor does a song's loudness gain lift it: under a limit, whatever the hour, it lowers alone.
public struct VolumeLimit: Hashable, Sendable {
    /// The highest volume at any time.
    public var highest: Volume
    /// Of hours that overlap, those of the lowest volume count.
    public var quietHours: [QuietHours]

    public init(highest: Volume = .full, quietHours: [QuietHours] = []) {
        self.highest = highest
        self.quietHours = quietHours
    }

    /// Loudspeakers may have any volume at any time.
    public static let none = VolumeLimit()

    /// Returns the limit at this time of day.
    public func ceiling(at minute: MinuteOfDay) -> VolumeCeiling {
        let volume = highestVolume(at: minute)
        // Quiet hours that allow more than the rest of the day are none.
        guard volume < highest else { return VolumeCeiling(volume) }
        let changes = quietHours.flatMap { [$0.start, $0.end] }.filter { highestVolume(at: $0) != volume }
        let end = changes.min { minute.minutes(until: $0) < minute.minutes(until: $1) }
        return VolumeCeiling(volume, hours: .quiet(until: end))
    }

    /// Returns what a song's samples may be multiplied with, of the loudness gain that its broadcaster asks for.
    public func gain(of song: Float) -> Float { self == .none ? song : min(song, 1) }

    private func highestVolume(at minute: MinuteOfDay) -> Volume {
        quietHours.reduce(highest) { $1.contains(minute) ? min($0, $1.highest) : $0 }
    }
}

/// The highest volume that loudspeakers may have at the moment.
public struct VolumeCeiling: Hashable, Sendable {
    /// Why it is what it is.
    public enum Hours: Hashable, Sendable {
        case ordinary
        /// Quiet ones, until another highest volume holds; nil if none ever does.
        case quiet(until: MinuteOfDay?)
    }

    public let volume: Volume
    public let hours: Hours

    public init(_ volume: Volume, hours: Hours = .ordinary) {
        self.volume = volume
        self.hours = hours
    }

    /// Any volume may be had.
    public static let none = VolumeCeiling(.full)

    public var isQuiet: Bool { hours != .ordinary }

    /// When quiet hours give way to another highest volume; nil outside of them, and if they never do.
    public var quietEnd: MinuteOfDay? { if case .quiet(let end) = hours { end } else { nil } }

    /// Whether loudspeakers of this volume may not be louder, though they could.
    public func isReached(by volume: Volume) -> Bool { self.volume < .full && volume >= self.volume }
}
