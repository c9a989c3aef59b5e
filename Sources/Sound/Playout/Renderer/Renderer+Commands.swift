import AudioCore

// The mailbox, and how a jump of the device changes the plan.

extension Renderer {
    /// Takes the latest directive. A new source, gain or channel role is urgent while something sounds.
    mutating func takeDirective() {
        guard shared.pointee.directive.isFresh else { return }
        var old = directive.pointee
        directive.pointee = shared.pointee.directive.take()
        let planned = cursor - Int64(filledFrameCount)
        let isChange =
            replacement(in: &directive.pointee) != replacement(in: &old) || directive.pointee.gain != old.gain
            || directive.pointee.role != old.role
        if isChange ? isAudible(from: planned) : isCutShort(from: planned, since: &old.stretches) { isUrgent = true }
    }

    /// The serial of what is to sound in place of the present source.
    private func replacement(in directive: inout Directive) -> UInt64? {
        directive.stretch(inPlaceOf: state.source?.serial)?.source.serial
    }

    /// Whether sound is planned that a new cut forbids.
    private func isCutShort(from frame: Int64, since old: inout StretchList) -> Bool {
        var index = history.count - 1
        while index >= 0, history[index].pointee.end > frame {
            let segment = history[index]
            index -= 1
            guard segment.pointee.state.mode == .sounding, let source = segment.pointee.state.source,
                let stretch = directive.pointee.stretches[source.serial], stretch.isCut,
                stretch.cut != old[source.serial]?.cut
            else { continue }
            let end = segment.pointee.state(after: segment.pointee.count).position
            if end.distance(from: stretch.cut) > -Timing.cutFadeSeconds * source.songRate { return true }
        }
        return false
    }

    /// Decides whether to plan a start again within the device's buffer: if it could be heard before the buffer has
    /// played out, or if better clock estimates move a start that nobody has heard yet.
    mutating func reviewStart() {
        guard let stretch = directive.pointee.stretch(inPlaceOf: state.source?.serial), !isUrgent else { return }
        let source = stretch.source
        switch state.mode {
        case .sounding: isUrgent = source.serial == state.source?.serial && isMisplaced(source)
        case .waiting, .idle: isUrgent = couldBegin(stretch) || couldBegin(successor)
        case .finished: isUrgent = couldBegin(successor)
        }
    }

    private func couldBegin(_ stretch: Stretch?) -> Bool { stretch.map { couldSound($0) || couldFollow($0) } ?? false }

    /// The first device frame that a loop can still take back.
    private var firstReplaceable: Int64 { model.newestReadingFrame &+ Int64(lengths.notice) }

    private func isMisplaced(_ source: Source) -> Bool {
        let planned = state.placement
        guard directive.pointee.stretches[source.serial]?.timeline != nil, planned.frame < cursor,
            planned.frame > firstReplaceable,
            let due = dueFrames(at: planned.frame, source: source)
        else { return false }
        // A free-running source is placed by its timeline only once, if that was in time.
        if directive.pointee.isFreeRunning, abs(due - planned.position) > 2 { return false }
        return abs(due - planned.position) > 0.02 || abs(feedForward / planned.step - 1) > 0.5e-6
    }

    /// Whether everything planned is silence although the frames due meanwhile are there.
    private func couldSound(_ stretch: Stretch) -> Bool {
        let source = stretch.source
        // The plan may end beyond the cursor; a wait for the beginning ends less than a frame after it.
        guard firstReplaceable < cursor, !isAudible(from: firstReplaceable),
            let due = dueFrames(at: firstReplaceable, source: source),
            let atCursor = dueFrames(at: cursor, source: source), atCursor < Double(stretch.last),
            let atPlanEnd = dueFrames(at: state.frame, source: source),
            nextFreeFrame(of: source) != nil || atPlanEnd > beginning(of: source) + 1
        else { return false }
        let readable = source.ring.pointee.readable
        let reach = Double(source.reach)
        let isThere =
            max(due, Double(source.first)) - reach >= Double(readable.floor)
            || readable.floor == source.ring.pointee.first
        let needed = atCursor + reach + Double(Int(grid) * 2 + lengths.fade + lengths.hysteresis) * feedForward
        return isThere && Double(readable.end) >= min(needed, Double(stretch.last))
    }

    /// Whether silence is planned behind an earlier stretch where this one, which came late, could begin.
    private func couldFollow(_ stretch: Stretch) -> Bool {
        let source = stretch.source
        let step = feedForward(of: stretch)
        guard source.serial != directive.pointee.stretches.first?.source.serial, step > 0, firstReplaceable < cursor,
            let due = dueFrames(at: firstReplaceable, source: source), due < Double(source.first),
            hasBeginning(of: stretch, step: step)
        else { return false }
        let begin = firstReplaceable &+ Int64((Double(source.first) - due) / step)
        let reach = Int64(Double(source.reach) / step) + 2
        // The plan may end beyond the cursor.
        return begin < state.frame && !isAudible(from: begin + reach)
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
        endings.removeAll(after: cursor)
    }

    /// Continues at a frame that was not planned for: breaks off what sounds, to be placed again.
    /// - Parameters:
    ///   - unheard: the first frame that was rendered in vain, if that is before the cursor.
    ///   - heard: the frame of the newest reading.
    mutating func jump(to frame: Int64, unheard: Int64 = .max, heardUpTo heard: Int64) {
        takeBackUnheard(from: min(unheard, cursor))
        let earlier = earlierStretch(at: heard)
        history.removeAll()
        cursor = frame
        state.frame = frame
        state.volume = state.volume.advanced(by: state.volume.remaining)
        state.role = state.role.advanced(by: state.role.remaining)
        if let earlier {
            adoptSource(earlier)
            state.hasSounded = true
            state.cause = .deviceRestart
            return
        }
        guard state.mode == .sounding else { return }
        if state.leaving == .forAnotherSource {
            adoptSource(directive.pointee.stretch(inPlaceOf: state.source?.serial))
        } else {
            silence(cause: .deviceRestart, error: 0)
        }
    }

    /// The stretch that was at the DAC with this frame, if another has been planned since: its rest may be due still.
    private func earlierStretch(at frame: Int64) -> Stretch? {
        guard !directive.pointee.isFreeRunning, let serial = state.source?.serial,
            directive.pointee.stretches[serial] != nil,
            let earlier = history.state(at: frame)?.oldestSerial, earlier < serial
        else { return nil }
        return directive.pointee.stretches[earlier]
    }

    /// The position of the present sound at the oldest frame that the device holds, as if it had sounded there.
    ///
    /// A sound that is placed behind another one in the buffer, or late, has not rendered what is due before. A cut may
    /// come there, and when it is resumed these frames sound.
    private var positionAtDevice: Int64 {
        let frames = state.frame &- cursor &+ Int64(filledFrameCount)
        return state.position.whole &- Int64((Double(frames) * state.controller.step).rounded(.up))
    }

    /// Releases the frames and sources that no rewind can reach any more.
    mutating func release() {
        let oldestNeeded = min(cursor - Int64(filledFrameCount), oldestUnheard)
        while history.count > 1, history[0].pointee.end < oldestNeeded { history.dropFirst() }
        var oldest = directive.pointee.newestSerial &+ 1
        if let serial = replacement(in: &directive.pointee) { oldest = min(oldest, serial) }
        oldest = min(oldest, state.oldestSerial ?? .max)
        var floor = state.mode == .sounding ? positionAtDevice : .max
        for index in 0..<history.count {
            let past = history[index]
            guard let serial = past.pointee.state.oldestSerial else { continue }
            oldest = min(oldest, serial)
            // A rendition that was held sounds under two serials.
            if past.pointee.state.mode == .sounding, past.pointee.state.source?.ring == state.source?.ring {
                floor = min(floor, past.pointee.state.position.whole)
            }
        }
        shared.pointee.oldestSerialInUse.store(oldest, ordering: .releasing)
        if let source = state.source, floor != .max {
            // What sounded beyond a cut that came too late sounds again when it is resumed.
            if let stretch = directive.pointee.stretches[source.serial], stretch.isCut {
                floor = min(floor, stretch.cut)
            }
            if state.mode == .waiting, !state.hasSounded { floor = min(floor, source.first) }
            source.ring.pointee.release(below: floor &- Int64(source.reach))
        }
    }
}
