import AudioCore

// Frames in a device's buffer have not been heard, so the delay cannot be less than their number. Yet PulseAudio's
// plugin reports less, for seconds after a stream began on a suspended sink: it counts the delay down from the start
// although nothing plays, until the server corrects it a second or two later. Such delays make frames seem a second
// early, and would be believed.
//
// A pointer that moves in bursts may lag by a period, and may have moved since the delay was taken. A device whose
// delays make no sense for seconds has no better ones, and is believed then.

/// Detects impossible delays. Pure, and real-time safe.
package struct DelayValidator: BitwiseCopyable {
    private let slackFrameCount: Int
    private var doubtSince: HostTime?

    private static let patience = TimeSpan.seconds(5)

    /// - Parameter periodFrameCount: how many frames the pointer moves at a time.
    package init(periodFrameCount: Int) { slackFrameCount = 2 * periodFrameCount }

    /// Whether a delay is possible.
    /// - Parameters:
    ///   - delay: frames before one that is written now is heard.
    ///   - waiting: how many of these are still in the device's buffer.
    package mutating func isCredible(delay: Int, waiting: Int, at host: HostTime) -> Bool {
        guard delay < waiting - slackFrameCount else {
            doubtSince = nil
            return true
        }
        guard let doubtSince else {
            self.doubtSince = host
            return false
        }
        return host - doubtSince > Self.patience
    }
}
