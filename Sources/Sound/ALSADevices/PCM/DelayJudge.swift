import AudioCore

// Frames that wait in a device's buffer have not been heard: a delay is no less than what waits there. Yet PulseAudio's
// plugin tells less, for seconds after a stream began on a sink that slept. It reckons the delay down from the start
// on, though nothing plays, and is put right by the server a second or two later. Such delays make frames early, by a
// second, and would be believed.
//
// A pointer that moves in bursts may lie behind by a period, and may have moved since the delay was taken. A device of
// which no delay makes sense for seconds has no better ones, and is taken as it is.

/// Tells delays that cannot be. Pure, and real-time safe.
package struct DelayJudge: BitwiseCopyable {
    private let slackFrameCount: Int
    private var doubtSince: HostTime?

    private static let patience = TimeSpan.seconds(5)

    /// - Parameter periodFrameCount: by how much the pointer moves at once.
    package init(periodFrameCount: Int) { slackFrameCount = 2 * periodFrameCount }

    /// Whether a delay may be what it says.
    /// - Parameters:
    ///   - delay: frames until one that is written now is heard.
    ///   - waiting: frames of these that are still in the device's buffer.
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
