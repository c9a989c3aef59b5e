import AudioCore

/// What one loudspeaker emitted in the time of one stretch of song.
public struct HeardWindow {
    /// Frames of song in a window: 20 ms.
    public static let frameCount = 160
    /// Window 0 begins this much before frame 0, so that it holds the whole beginning.
    static let lead = 32

    public enum Content: Equatable {
        /// Nothing above -80 dBFS.
        case silence
        /// The song at full gain, to -60 dBFS.
        case song
        /// The song, and also a ramp, a gap, or something else.
        case other
    }

    public var content: Content
    /// How much later than due the song was emitted. Positive: late. Zero where it cannot be told.
    public var lateness: TimeSpan
    /// Of the song in the window.
    public var gain: Float
    /// The greatest difference from the song at that gain and place, full scale being 1.
    public var residual: Float
    /// Loudest sample.
    public var peak: Float
    public var sampleCount: Int

    /// Whether this is the song, as pure as at full gain, at another one that stays the same.
    public func isSong(atGain expected: Float) -> Bool {
        expected > 0 && residual < Self.residualLimit * expected
            && abs(gain - expected) < Self.gainTolerance * expected
    }

    static let silencePeak: Float = 1e-4
    static let residualLimit: Float = 1e-3
    static let gainTolerance: Float = 3e-3
}
