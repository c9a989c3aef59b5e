import CALSA
import HostSystem
import Synchronization

/// Recovers a PCM's loop from errors and empty turns, so that none makes it spin: each is followed by sleep, by a new
/// start, or by the end.
///
/// As real-time safe as libasound.
struct PCMRecovery: BitwiseCopyable {
    /// What the loop does after an error.
    enum Step {
        case goOn
        /// The PCM is to be prepared and started again; frames were lost.
        case restart
        /// There is nothing left to try.
        case end
    }

    /// Consecutive turns that failed, or found nothing to read or write.
    private var failures = 0
    private var emptyTurns = 0

    private static let failureLimit = 8
    private static let emptyTurnLimit = 600

    /// Decides what follows an error, after the wait that it needs.
    mutating func step(after code: Int32, of pcm: OpaquePointer, until stop: borrowing Atomic<Bool>) -> Step {
        switch -code {
        case EAGAIN, EINTR:
            sleepThread(for: .milliseconds(1))
            return .goOn
        case ENODEV, ENXIO, EBADF, -ALSACall.standstill:
            return .end
        default:
            failures += 1
            guard failures <= Self.failureLimit || code == -EPIPE else { return .end }
            // A single xrun is handled at once. A run of them means that the machine is overloaded: wait.
            if failures > 1 { sleepThread(for: .milliseconds(Int64(min(failures, 20)) * 5)) }
            if code == -ESTRPIPE { Self.resume(pcm, until: stop) }
            return .restart
        }
    }

    /// Notes a turn that read or wrote, with its result.
    mutating func noteTurn(_ code: Int32) {
        emptyTurns = 0
        if code >= 0 { failures = 0 }
    }

    /// Notes a wake with nothing to read or write: some plugins do that now and then, a broken device for ever.
    /// - Returns: 0, or the error that ends the device.
    mutating func noteEmptyTurn() -> Int32 {
        emptyTurns += 1
        if emptyTurns > 8 { sleepThread(for: .milliseconds(5)) }
        return emptyTurns < Self.emptyTurnLimit ? 0 : ALSACall.standstill
    }

    /// Waits until the suspended hardware has resumed. Devices that cannot resume are prepared again instead.
    private static func resume(_ pcm: OpaquePointer, until stop: borrowing Atomic<Bool>) {
        while snd_pcm_resume(pcm) == -EAGAIN, !stop.load(ordering: .acquiring) {
            sleepThread(for: .milliseconds(10))
        }
    }
}
