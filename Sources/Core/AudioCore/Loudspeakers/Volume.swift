/// A volume of loudspeakers, from 0 (silence) to 100 (samples untouched), on a perceptual scale.
///
/// The gain is the cube of the volume, as PulseAudio's software volumes have it (`pa_sw_volume_to_linear`, after
/// http://www.robotplanet.dk/audio/audio_gui_design): equal steps sound about equally large. 50 is -18 dB, 10 is
/// -60 dB. Volumes that are scaled together keep the ratio of their gains.
public struct Volume: Hashable, Sendable, Comparable {
    public let percent: Int

    /// Values outside of ``range`` are clamped to it.
    public init(percent: Int) { self.percent = min(max(percent, Self.range.lowerBound), Self.range.upperBound) }

    public static let range = 0...100
    public static let silent = Volume(percent: 0)
    public static let full = Volume(percent: 100)
    /// By how much a key changes it.
    public static let step = 5

    /// What samples are multiplied with.
    public var gain: Float {
        let fraction = Float(percent) / 100
        return fraction * fraction * fraction
    }

    /// The volume that is louder by `change`, or softer if it is negative; never beyond ``range``.
    public func changed(by change: Int) -> Volume {
        let (sum, isOverflow) = percent.addingReportingOverflow(change)
        return isOverflow ? (change < 0 ? .silent : .full) : Volume(percent: sum)
    }

    public static func < (first: Volume, second: Volume) -> Bool { first.percent < second.percent }
}
