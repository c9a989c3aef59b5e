import CALSA

/// How a loop waits for its running PCM: until it is woken, or, while its clock is learned, until it is time to look.
///
/// Real-time safe, as far as libasound is.
package struct PCMWait: BitwiseCopyable {
    private static let longestMilliseconds: Int32 = 200
    private static let learningMilliseconds: Int32 = 1
    /// A running device that wants nothing for so long has stopped.
    private static let vainMillisecondLimit: Int32 = 3_000

    private var vainMilliseconds: Int32 = 0

    package init() {}

    /// - Parameter isLearning: whether looks are worth their trouble.
    /// - Returns: 1 if the device woke us, 0 if it is time to look, or a negative error.
    package mutating func wait(for pcm: OpaquePointer, isLearning: Bool) -> Int32 {
        let milliseconds = isLearning ? Self.learningMilliseconds : Self.longestMilliseconds
        let ready = snd_pcm_wait(pcm, milliseconds)
        vainMilliseconds = ready == 0 ? vainMilliseconds + milliseconds : 0
        return vainMilliseconds < Self.vainMillisecondLimit ? ready : ALSACall.standstill
    }
}
