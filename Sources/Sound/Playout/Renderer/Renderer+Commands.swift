import AudioCore

// The mailbox, and how a jump of the device changes the plan.

extension Renderer {
    /// Takes the latest directive. A new source, gain or channel role is urgent while something sounds.
    mutating func takeDirective() {
        guard shared.pointee.directive.isFresh else { return }
        let old = directive
        directive = shared.pointee.directive.take()
        let isChange =
            directive.source?.serial != old.source?.serial || directive.gain != old.gain || directive.role != old.role
        if isChange, isAudible(from: cursor - Int64(maximumFrameCount)) { isUrgent = true }
    }

    /// Decides whether to plan a start again within the device's buffer: if it could be heard before the buffer has
    /// played out, or if better clock estimates move a start that nobody has heard yet.
    mutating func reviewStart() {
        guard let source = directive.source, !isUrgent else { return }
        switch state.mode {
        case .sounding: isUrgent = source.serial == state.source?.serial && isMisplaced(source)
        case .waiting, .idle: isUrgent = couldSound(source)
        case .finished: break
        }
    }

    /// The first device frame that a loop can still take back.
    private var firstReplaceable: Int64 { model.newestReadingFrame &+ Int64(lengths.notice) }

    private func isMisplaced(_ source: Source) -> Bool {
        let planned = state.placement
        guard directive.timeline != nil, planned.frame < cursor, planned.frame > firstReplaceable,
            let due = dueFrames(at: planned.frame, source: source)
        else { return false }
        // A free-running source is placed by its timeline only once, if that was in time.
        if directive.isFreeRunning, abs(due - planned.position) > 2 { return false }
        return abs(due - planned.position) > 0.02 || abs(feedForward / planned.step - 1) > 0.5e-6
    }

    /// Whether everything planned is silence although the frames due meanwhile are there.
    private func couldSound(_ source: Source) -> Bool {
        // The plan may end beyond the cursor; a wait for the beginning ends less than a frame after it.
        guard firstReplaceable < cursor, !isAudible(from: firstReplaceable),
            let due = dueFrames(at: firstReplaceable, source: source),
            let atCursor = dueFrames(at: cursor, source: source), atCursor < Double(directive.end),
            let atPlanEnd = dueFrames(at: state.frame, source: source),
            nextFreeFrame(of: source) != nil || atPlanEnd > beginning(of: source) + 1
        else { return false }
        let readable = source.ring.pointee.readable
        let reach = Double(source.resampler.reach)
        let isThere = max(due, Double(source.first)) - reach >= Double(readable.floor) || readable.floor == source.first
        let needed = atCursor + reach + Double(Int(grid) * 2 + lengths.fade + lengths.hysteresis) * feedForward
        return isThere && Double(readable.end) >= min(needed, Double(directive.end))
    }

    /// Whether any planned frame from `frame` on is sound.
    private func isAudible(from frame: Int64) -> Bool {
        var index = history.count - 1
        while index >= 0, history[index].pointee.end > frame {
            if history[index].pointee.state.mode == .sounding { return true }
            index -= 1
        }
        return false
    }

    /// Plans again from the cursor on, so that a command takes effect there.
    mutating func cutPlan() {
        isUrgent = false
        guard let earlier = history.cut(at: cursor) else { return }
        isPlacedAgain = state.mode == .sounding && state.placement.frame >= cursor
        state = earlier
        cutEndings(from: cursor)
    }

    /// Cancels ends that were planned after `frame`.
    mutating func cutEndings(from frame: Int64) {
        if let end = ending.finished, end.frame > frame { ending.finished = nil }
        if let end = ending.stopped, end.frame > frame { ending.stopped = nil }
    }

    /// Continues at a frame that was not planned for: breaks off what sounds, to be placed again.
    /// - Parameter unheard: the first frame that was rendered in vain, if that is before the cursor.
    mutating func jump(to frame: Int64, unheard: Int64 = .max) {
        takeBackUnheard(from: min(unheard, cursor))
        history.removeAll()
        cursor = frame
        state.frame = frame
        state.volume = state.volume.advanced(by: state.volume.remaining)
        state.role = state.role.advanced(by: state.role.remaining)
        guard state.mode == .sounding else { return }
        if state.leaving == .forAnotherSource {
            adoptSource()
        } else {
            silence(cause: .deviceRestart, error: 0)
        }
    }

    /// Releases the frames and sources that no rewind can reach any more.
    mutating func release() {
        let oldestNeeded = min(cursor - Int64(maximumFrameCount), oldestUnheard)
        while history.count > 1, history[0].pointee.end < oldestNeeded { history.dropFirst() }
        var oldest = directive.newestSerial &+ 1
        if let serial = directive.source?.serial { oldest = min(oldest, serial) }
        if let serial = state.source?.serial { oldest = min(oldest, serial) }
        var floor = state.mode == .sounding ? state.position.whole : .max
        for index in 0..<history.count {
            let past = history[index]
            guard let serial = past.pointee.state.source?.serial else { continue }
            oldest = min(oldest, serial)
            // A rendition that was held sounds under two serials.
            if past.pointee.state.mode == .sounding, past.pointee.state.source?.ring == state.source?.ring {
                floor = min(floor, past.pointee.state.position.whole)
            }
        }
        shared.pointee.oldestSerialInUse.store(oldest, ordering: .releasing)
        if let source = state.source, floor != .max {
            source.ring.pointee.release(below: floor &- Int64(source.resampler.reach))
        }
    }
}
