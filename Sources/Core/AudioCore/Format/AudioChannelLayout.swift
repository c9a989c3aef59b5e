/// The loudspeaker that each channel of a frame is for, in channel order.
///
/// The labels and their numbers are those of Core Audio's `AudioChannelLabel`. The first eighteen follow the bit order
/// of WAVE's speaker mask (mmreg.h), which is also the channel order where a file does not give one.
public struct AudioChannelLayout: Hashable, Sendable {
    public var labels: [AudioChannelLabel]

    public init(_ labels: [AudioChannelLabel]) { self.labels = labels }

    /// - Parameter mask: WAVE's speaker mask; bits beyond the eighteen defined ones are ignored.
    public init(speakerMask mask: UInt32) {
        labels = (0..<18).filter { mask & (1 << $0) != 0 }.compactMap { AudioChannelLabel(rawValue: UInt32($0) + 1) }
    }
}

/// One loudspeaker; after `kAudioChannelLabel_...`.
public enum AudioChannelLabel: UInt32, Hashable, Sendable {
    case left = 1
    case right, center, lfe, leftSurround, rightSurround, leftCenter, rightCenter, centerSurround, leftSurroundDirect,
        rightSurroundDirect, topCenterSurround, verticalHeightLeft, verticalHeightCenter, verticalHeightRight,
        topBackLeft, topBackCenter, topBackRight
    case mono = 42
    case unknown = 0xFFFF_FFFF
}
