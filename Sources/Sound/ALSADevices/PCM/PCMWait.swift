import CALSA

/// Waits for a running PCM: until it wakes the loop, or, while its clock is being learned, until the next poll.
///
/// As real-time safe as libasound.
package struct PCMWait: BitwiseCopyable {
    private static let longestMilliseconds: Int32 = 200
    private static let learningMilliseconds: Int32 = 1
    /// A running device that does not wake us for so long has stopped.
    private static let vainMillisecondLimit: Int32 = 3_000

    private var idleMilliseconds: Int32 = 0

    package init() {}

    /// - Parameter isLearning: whether frequent readings are worthwhile.
    /// - Returns: 1 for a wake by the device, 0 for a poll, or a negative error.
    package mutating func wait(for pcm: OpaquePointer, isLearning: Bool) -> Int32 {
        let milliseconds = isLearning ? Self.learningMilliseconds : Self.longestMilliseconds
        let ready = snd_pcm_wait(pcm, milliseconds)
        idleMilliseconds = ready == 0 ? idleMilliseconds + milliseconds : 0
        return idleMilliseconds < Self.vainMillisecondLimit ? ready : ALSACall.standstill
    }
}
