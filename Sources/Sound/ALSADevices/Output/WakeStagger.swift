import AudioCore

// Cards of one machine may move their pointers at the same ticks. Two players that fill such cards are then woken at
// once, again and again, and one of them always runs behind the other, late by what that one does: 300 to 500 us. A
// line through its wakes is tilted when that begins, and stays so. So at every other wake, at random, a period is left
// unwritten, which brings the next wake forward by one: then most wakes of each are its own.

/// Spreads the wakes of a playback loop. Real-time safe.
struct WakeStagger: BitwiseCopyable {
    private var generator: SplitMix64
    private let period: Int
    /// A period may be missing only where it is a small part of the buffer, which is there to last.
    private static let leastPeriodCount = 16

    /// - Parameters:
    ///   - period: frames by which the pointer moves.
    ///   - buffer: frames that the device holds.
    init(seed: UInt64, period: Int, buffer: Int) {
        generator = SplitMix64(seed: seed)
        self.period = buffer >= Self.leastPeriodCount * period ? period : 0
    }

    /// Of so many frames that could be written, how many are left unwritten.
    mutating func withheld(of frameCount: Int) -> Int {
        generator.next() >> 63 == 1 && frameCount >= 2 * period ? period : 0
    }
}
