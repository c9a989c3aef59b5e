/// Which of a song's channels a listener's loudspeakers play.
///
/// Any role but ``stereo`` is one signal: it sounds on the device's first two channels, and the rest is silent.
public enum ChannelRole: Hashable, Sendable, BitwiseCopyable {
    /// Every channel on its own loudspeaker, as far as the device has channels.
    case stereo
    /// One side of a pair: of more than two channels, the side of their stereo downmix.
    case left, right
    /// The mean of the two sides.
    case mono
    /// One of many, from 1 to ``Limits/channelRange``'s end in WAVE's order (3 centre, 4 low frequencies). A mono song
    /// sounds on channels 1 and 2. Of a song without this channel nothing is heard.
    case channel(Int)
}

extension ChannelRole: LosslessStringConvertible {
    /// Parses `stereo`, `left`, `right`, `mono`, or a channel's number.
    public init?(_ text: String) {
        switch text {
        case "stereo": self = .stereo
        case "left": self = .left
        case "right": self = .right
        case "mono": self = .mono
        default:
            guard let number = Int(text), Limits.channelRange.contains(number), text == "\(number)" else { return nil }
            self = .channel(number)
        }
    }

    public var description: String {
        switch self {
        case .stereo: "stereo"
        case .left: "left"
        case .right: "right"
        case .mono: "mono"
        case .channel(let number): "\(number)"
        }
    }
}
