import AudioCore

/// Maps a song's channels to those of a file's frames, which are in the order of the speaker mask's bits.
public struct SpeakerOrder: Hashable, Sendable {
    /// WAVE's speaker mask, shared by CAF and AIFF; 0 if the channels' loudspeakers are unknown.
    public let mask: UInt32
    /// For each channel in the file, the channel of the song; nil if they are in order.
    public let permutation: [Int]?

    /// Channels with unknown loudspeakers, which keep their order.
    public static let unknown = SpeakerOrder(nil, channelCount: 0)

    /// - Parameter isArranged: whether the decoder outputs the channels in that order already.
    public init(_ layout: AudioChannelLayout?, channelCount: Int, isArranged: Bool = false) {
        let bits = layout?.labels.map(Self.bit) ?? []
        let known = bits.compactMap { $0 }
        guard !known.isEmpty, known.count == channelCount, bits.count == channelCount, Set(known).count == channelCount
        else {
            mask = 0
            permutation = nil
            return
        }
        mask = known.reduce(0) { $0 | 1 << $1 }
        let order = known.indices.sorted { known[$0] < known[$1] }
        permutation = isArranged || order == Array(known.indices) ? nil : order
    }

    /// - Parameter codec: the codec of the channels: uncompressed ones keep their order in the file, decoders of all
    ///   others output WAVE's order.
    public init(_ layout: AudioChannelLayout?, channelCount: Int, codec: Codec) {
        let isArranged = ![.linearPCM, .muLaw, .aLaw, .ima4, .waveIMA].contains(codec)
        self.init(layout, channelCount: channelCount, isArranged: isArranged)
    }

    private static func bit(_ label: AudioChannelLabel) -> UInt32? {
        switch label {
        case .mono: AudioChannelLabel.center.rawValue - 1
        case .unknown: nil
        default: (1...18).contains(label.rawValue) ? label.rawValue - 1 : nil
        }
    }

    /// Reorders the channels of whole frames.
    public func arrange(_ bytes: inout [UInt8], from start: Int, bytesPerSample: Int) {
        guard let permutation else { return }
        let bytesPerFrame = permutation.count * bytesPerSample
        var frame = [UInt8](repeating: 0, count: bytesPerFrame)
        for place in stride(from: start, to: bytes.count - bytesPerFrame + 1, by: bytesPerFrame) {
            for index in 0..<bytesPerFrame { frame[index] = bytes[place + index] }
            for (target, source) in permutation.enumerated() {
                for index in 0..<bytesPerSample {
                    bytes[place + target * bytesPerSample + index] = frame[source * bytesPerSample + index]
                }
            }
        }
    }
}
