import AudioCore
import Playout

/// What an input queue's threads share, under its lock.
struct InputQueueState {
    var filler = BufferFiller()
    var control: CaptureControl?
    var isPaused = false
    /// Since when what is in the air is not wanted any more, or there is none any more.
    var ending: HostTime?
    var lossOfDevice: InputDeviceError?
    var isStopping = false
    var notices: [String] = []
    /// A start that was not told yet, and whether the last thing told was one.
    var hasNewStart = false
    var isToldToRun = false
    var counters = InputQueueSnapshot()

    /// Goes on where it runs, and is not about to end; says whether it does.
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

    /// What is to be told of starts: of one that came while it was being stopped, the end too.
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
