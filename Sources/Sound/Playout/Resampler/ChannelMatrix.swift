import AudioCore

// Maps song channels to device channels. Channel order is WAVE's (WAVEFORMATEXTENSIBLE's mask, lowest bit first).
//
// - Equal counts: straight through.
// - One to many: on the first two channels, the rest silent.
// - Few to many: straight through, the rest silent.
// - Many to one: the mean of all.
// - Many to two: front left and right as they are; at -3 dB the surrounds on their side, and the front and the back
//   centre (the latter only with seven channels) on both sides; no low-frequency effects. Scaled so that no sample can
//   exceed full scale.
// - Many to fewer, but more than two: the first ones straight through.
//
// A channel role other than stereo is one row: the gains from each song channel to the one signal.

/// The gains from each song channel to each device channel.
struct ChannelMatrix: Hashable {
    let songChannelCount: Int
    let deviceChannelCount: Int
    /// Row-major: `gains[device * songChannelCount + song]`.
    let gains: [Float]

    init(song: Int, device: Int) {
        songChannelCount = song
        deviceChannelCount = device
        var gains = [Float](repeating: 0, count: song * device)
        switch (song, device) {
        case (1, 1...):
            for channel in 0..<min(device, 2) { gains[channel] = 1 }
        case (_, 1):
            for channel in 0..<song { gains[channel] = 1 / Float(song) }
        case (3..., 2):
            gains = Self.stereoFold(song: song)
        default:
            for channel in 0..<min(song, device) { gains[channel * song + channel] = 1 }
        }
        self.gains = gains
    }

    /// The gains of the one signal that a role other than stereo is; nil for stereo.
    static func row(_ role: ChannelRole, song: Int) -> [Float]? {
        let sides = song == 1 ? [1, 1] : ChannelMatrix(song: song, device: 2).gains
        switch role {
        case .stereo: return nil
        case .left: return Array(sides[..<song])
        case .right: return Array(sides[song...])
        case .mono: return (0..<song).map { (sides[$0] + sides[song + $0]) / 2 }
        case .channel(let number):
            return (1...song).map { $0 == number || song == 1 && number == 2 ? 1 : 0 }
        }
    }

    private enum Place { case left, right, centre, lowFrequency }

    private static func places(song: Int) -> [Place] {
        switch song {
        case 3: [.left, .right, .centre]
        case 4: [.left, .right, .left, .right]
        case 5: [.left, .right, .centre, .left, .right]
        case 6: [.left, .right, .centre, .lowFrequency, .left, .right]
        case 7: [.left, .right, .centre, .lowFrequency, .centre, .left, .right]
        default: [.left, .right, .centre, .lowFrequency, .left, .right, .left, .right]
        }
    }

    private static func stereoFold(song: Int) -> [Float] {
        let minus3dB = Float(0.5).squareRoot()
        var gains = [Float](repeating: 0, count: song * 2)
        for (channel, place) in places(song: song).prefix(song).enumerated() {
            let gain = channel < 2 ? 1 : minus3dB
            if place == .left || place == .centre { gains[channel] = gain }
            if place == .right || place == .centre { gains[song + channel] = gain }
        }
        let loudest = max(gains[..<song].reduce(0, +), gains[song...].reduce(0, +))
        return gains.map { $0 / loudest }
    }
}
