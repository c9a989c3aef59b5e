import AudioCore
import Playout

/// The state shared by an input queue's threads, under its lock.
struct InputQueueState {
    var filler = BufferFiller()
    var control: CaptureControl?
    var isPaused = false
    /// The time after which frames are no longer wanted, or no longer come.
    var ending: HostTime?
    var lossOfDevice: InputDeviceError?
    var isStopping = false
    var notices: [String] = []
    /// Whether a start was not reported yet, and whether the last report was a start.
    var hasNewStart = false
    var isToldToRun = false
    var counters = InputQueueSnapshot()

    /// Resumes a queue that runs and is not ending. Returns whether it does.
    mutating func resume(at host: HostTime) -> Bool {
        guard control != nil, ending == nil, !isStopping else { return false }
        if isPaused { filler.gate.set(true, at: host) }
        isPaused = false
        return true
    }

    mutating func begin(_ control: CaptureControl, at host: HostTime) {
        end()
        self.control = control
        filler.gate.set(true, at: host)
        counters.isRunning = true
        hasNewStart = true
    }

    /// The reports due for a start; if it came while the queue was stopping, also the end before it.
    mutating func takeStarts() -> [Bool] {
        guard hasNewStart else { return [] }
        hasNewStart = false
        defer { isToldToRun = true }
        return isToldToRun ? [false, true] : [true]
    }

    mutating func end() {
        filler.reset()
        control = nil
        ending = nil
        lossOfDevice = nil
        isStopping = false
        isPaused = false
        counters.isRunning = false
    }
}
