import AudioCore

// The mailbox, and what a jump of the device does to the plan.

extension Renderer {
    /// Takes the latest directive and sees whether what lies in the device's buffer already should be replaced: when
    /// another source is wanted while one sounds, or a start is due before the cursor.
    mutating func takeDirective() {
        guard shared.pointee.directive.isFresh else { return }
        let hadTimeline = directive.timeline != nil
        let oldSerial = directive.source?.serial
        directive = shared.pointee.directive.take()
        let isNewSource = directive.source?.serial != oldSerial
        if isNewSource, isAudibleInBuffer {
            isUrgent = true
        } else if isNewSource || !hadTimeline, state.mode != .sounding, startsBeforeCursor {
            isUrgent = true
        }
    }

    /// Whether any frame that the device may still take back is sound.
    private var isAudibleInBuffer: Bool {
        var index = history.count - 1
        while index >= 0, history[index].pointee.end > cursor - Int64(maximumFrameCount) {
            if history[index].pointee.state.mode == .sounding { return true }
            index -= 1
        }
        return false
    }

    private var startsBeforeCursor: Bool {
        guard let source = directive.source, let due = dueFrames(at: cursor, source: source) else { return false }
        let late = (due - Double(source.first)) / source.songRate * deviceRate
        return late > 0 && late < Double(maximumFrameCount)
    }

    /// Plans anew from the cursor on, so that a command takes effect there.
    mutating func cutPlan() {
        isUrgent = false
        guard let earlier = history.cut(at: cursor) else { return }
        state = earlier
        if let end = ending.finished, end.frame > cursor { ending.finished = nil }
        if let end = ending.stopped, end.frame > cursor { ending.stopped = nil }
    }

    /// The next frame is not the one that was planned for: whatever sounded is broken off, and is placed anew.
    mutating func jump(to frame: Int64) {
        history.removeAll()
        cursor = frame
        state.frame = frame
        state.volume = state.volume.advanced(by: state.volume.remaining)
        guard state.mode == .sounding else { return }
        if state.leaving == .forAnotherSource {
            adoptSource()
        } else {
            silence(cause: .deviceRestart, error: 0)
        }
    }

    /// Gives frames and sources back that no rewind can reach any more.
    mutating func release() {
        while history.count > 1, history[0].pointee.end < cursor - Int64(maximumFrameCount) { history.dropFirst() }
        var oldest = directive.newestSerial &+ 1
        if let serial = directive.source?.serial { oldest = min(oldest, serial) }
        if let serial = state.source?.serial { oldest = min(oldest, serial) }
        var floor = state.mode == .sounding ? state.position.whole : .max
        for index in 0..<history.count {
            let past = history[index]
            guard let serial = past.pointee.state.source?.serial else { continue }
            oldest = min(oldest, serial)
            if past.pointee.state.mode == .sounding, serial == state.source?.serial {
                floor = min(floor, past.pointee.state.position.whole)
            }
        }
        shared.pointee.oldestSerialInUse.store(oldest, ordering: .releasing)
        if let source = state.source, floor != .max {
            source.ring.pointee.release(below: floor &- Int64(source.resampler.reach))
        }
    }
}
