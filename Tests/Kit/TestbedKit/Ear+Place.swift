import AudioCore
import HeardAnalysis
import VirtualDevices

extension Ear {
    /// When the song's first frame would have been heard, by the quarter of a second of it that was heard from `time`
    /// on; nil if that is not the song. The pitch of the tone tells the place to a few hundredths of a second, the left
    /// channel to a small part of a frame.
    public func start(of song: MarkedSong, heardAt time: Double) -> Double? {
        let ahead = looks.drop { $0.time < time }.prefix(40).filter { $0.pitch > 0 }
        let pitches = ahead.map { $0.pitch - MarkedSong.slope * ($0.time - time) * 1e-9 }
        guard let pitch = heardPercentile(0.5, of: pitches) else { return nil }
        let place = (pitch - song.firstPitch) / MarkedSong.slope
        let guess = HostTime(nanoseconds: Int64(time - place * 1e9))
        let expected = HeardRecording(
            sampleRate: MarkedSong.rate, channels: 1, samples: song.left,
            segments: [.init(firstFrame: 0, host: guess, framesPerSecond: MarkedSong.rate)])
        var options = SkewOptions()
        options.duration = options.window
        let report = skew(between: recording.muted(before: time), and: expected, options: options)
        return report.windows.first.map { Double(guess.nanoseconds) - $0.skew * 1e9 }
    }

    /// The pause that began within a second after `time`; nil if there was none, or other music before or after it.
    public func pause(in song: MarkedSong, from time: Double) -> HeardPause? {
        guard let silence = pauses.first(where: { $0.lowerBound > time && $0.lowerBound < time + 1e9 }) else {
            return nil
        }
        let (window, fade) = (SkewOptions().window * 1e9, 0.015 * 1e9)
        guard let before = start(of: song, heardAt: silence.lowerBound - fade - window),
            let after = start(of: song, heardAt: silence.upperBound + fade)
        else { return nil }
        return HeardPause(
            lastPlace: (silence.lowerBound - before) * 1e-9, nextPlace: (silence.upperBound - after) * 1e-9)
    }
}

/// Where a listener fell silent, and where it went on: places in the song, in seconds.
public struct HeardPause: Sendable {
    /// Of the last audible frame.
    public var lastPlace: Double
    /// Of the first audible frame after the pause.
    public var nextPlace: Double

    /// How much of the song is missing, in seconds; negative where something was heard twice. The quiet ends of both
    /// fades, of 10 ms each, count as missing.
    public var missing: Double { nextPlace - lastPlace - 1 / MarkedSong.rate }
}
