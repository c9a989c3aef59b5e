import AudioCore

// Starts a sound, or starts it again: silence until the device frame at which its first frame is due, then sound at the
// exact phase due there. A fresh start begins early by the filter's reach, in the silence before the first frame, and
// needs no fade. A start in the middle fades in.

extension Renderer {
    /// Waits, or places the sound at `state.frame` and sets the mode to `sounding`.
    /// - Returns: the number of silent frames, or `length` if sound begins.
    mutating func planStart(within length: Int) -> Int {
        guard let source = state.source, let due = dueFrames(at: state.frame, source: source) else { return length }
        let step = feedForward
        let toSuccessor = framesToSuccessor()
        let isCut = directive.pointee.stretches[source.serial]?.isCut ?? false
        // Before a cut there must be time to fade out.
        let last = Double(state.end) - (isCut ? Timing.cutFadeSeconds * source.songRate : 0)
        guard max(due, Double(source.first)) < last, toSuccessor >= 1 else {
            finish(at: state.frame, isCut: isCut)
            guard let next = successor else { return length }
            adoptSource(next)
            return planStart(within: length)
        }
        let length = Int(min(Double(length), toSuccessor))
        let beginning = beginning(of: source)
        if due < beginning {
            let wait = ((beginning - due) / step).rounded(.up)
            if wait >= 1 { return wait >= Double(length) ? length : Int(wait) }
        }
        place(at: due, step: step)
        guard hasFrames(for: source) else {
            dropPast(due, of: source)
            state.mode = .waiting
            return length
        }
        report(source: source, due: due, step: step)
        isPlacedAgain = false
        let isExact = isFresh(source) && due <= Double(source.first)
        state.fade = isExact ? .open : Fade(from: 0, to: 1, length: fadeInLength(source))
        state.hasSounded = true
        state.cause = nil
        return length
    }

    private func isFresh(_ source: Source) -> Bool { !state.hasSounded && source.fadeInSeconds == 0 }

    private func fadeInLength(_ source: Source) -> Int {
        state.hasSounded || source.fadeInSeconds == 0 ? lengths.fade : Int(deviceRate * source.fadeInSeconds)
    }

    /// Where the source's sound begins, in its own frames.
    func beginning(of source: Source) -> Double {
        Double(source.first) - (isFresh(source) ? Double(source.reach) : 0)
    }

    /// Device frames until the sound of the stretch behind this one begins, rounded up; infinite if that is not known.
    private func framesToSuccessor() -> Double {
        guard let next = successor, let due = dueFrames(at: state.frame, source: next.source) else { return .infinity }
        let lead = next.source.fadeInSeconds == 0 ? Double(next.source.reach) : 0
        return ((Double(next.source.first) - lead - due) / feedForward(of: next)).rounded(.up)
    }

    private mutating func place(at due: Double, step: Double) {
        var position = FixedPosition(due)
        let nearest = due.rounded()
        let isWhole = abs(due - nearest) < 0.02
        state.controller = RateController(
            feedForward: step, uncertainty: model.line?.rateUncertainty ?? 0,
            canLock: isWhole && state.source?.songRate == deviceRate)
        if state.controller.isLocked { position = FixedPosition(nearest) }
        state.position = position
        state.placement = (frame: state.frame, position: due, step: step)
        state.mode = .sounding
        state.leaving = .staying
        state.excessFrameCount = 0
        state.relearnCount = model.relearnCount
    }

    /// Whether the ring holds the frames around the position: before it, the filter's reach; after it, enough not to
    /// run dry at once.
    private func hasFrames(for source: Source) -> Bool {
        let floor = source.ring.pointee.readable.floor
        let left = state.position.whole &- Int64(source.reach)
        guard left >= floor || floor == source.ring.pointee.first else { return false }
        return framesAhead() >= Int(grid) * 2 + lengths.fade + lengths.hysteresis
    }

    /// Drops frames that are past before any of them sounded, to make room for those that are needed.
    private func dropPast(_ due: Double, of source: Source) {
        let behind = FixedPosition(due).whole &- Int64(source.reach) &- Int64(filledFrameCount)
        source.ring.pointee.release(below: behind)
    }

    mutating func report(source: Source, due: Double, step: Double) {
        let distance = Double(source.first) - due
        let offset = distance > 0 ? (distance / step).rounded(.up) : 0
        let frame = state.frame &+ Int64(offset)
        if let cause = state.cause, !isPlacedAgain {
            count(cause)
            shared.pointee.events.push(
                .replaced(
                    epoch: source.epoch, cause: cause, frame: DeviceFrame(index: state.frame),
                    error: TimeSpan(seconds: state.causeError)))
        }
        guard source.serial > counters.startedSerial, let host = host(of: frame) else { return }
        counters.startedSerial = source.serial
        shared.pointee.events.push(
            .started(
                epoch: source.epoch, frame: DeviceFrame(index: frame),
                host: host,
                position: FractionalFramePosition(due + offset * step)))
    }

    /// When a device frame leaves the DAC; approximate if its clock is unknown and the source is free-running.
    private func host(of frame: Int64) -> HostTime? {
        if let line = model.line { return HostTime(nanoseconds: line.hostNanoseconds(of: frame)) }
        guard directive.pointee.isFreeRunning else { return nil }
        return model.roughHost(of: frame) ?? HostTime(nanoseconds: 0)
    }

    private mutating func count(_ cause: ReplacementCause) {
        switch cause {
        case .timelineStep: counters.timelineSteps += 1
        case .deviceClockStep: counters.deviceClockSteps += 1
        case .deviceRestart: counters.deviceRestarts += 1
        case .underrun: break
        }
    }

    /// Ends the sound after its last planned frame, at its end or at a cut; `frame` is the first device frame after it.
    mutating func finish(at frame: Int64, isCut: Bool = false) {
        state.isCut = isCut
        if let source = state.source {
            endings.append(
                PendingEnd(
                    frame: frame, planned: state.frame, serial: source.serial, epoch: source.epoch, isStop: isCut))
            if state.end != .max {
                state.brokenOff = (source.rendition, source.epoch, FixedPosition(whole: state.end, fraction: 0))
            }
        }
        state.mode = .finished
        state.tail = nil
        state.fade = .silent
        state.leaving = .staying
    }

    /// Reports ends that the DAC has passed.
    mutating func reportEnd(heardBefore frame: Int64) {
        while let end = endings.takeFirst(upTo: frame) {
            if end.isStop {
                shared.pointee.events.push(.stopped(epoch: end.epoch))
            } else if end.serial > counters.finishedSerial {
                counters.finishedSerial = end.serial
                shared.pointee.events.push(.finished(epoch: end.epoch))
            }
        }
    }
}
