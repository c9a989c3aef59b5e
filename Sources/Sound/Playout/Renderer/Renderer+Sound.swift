import AudioCore

// Plans one segment of running sound: measures the error, then whatever may end the segment or begin a fade.

extension Renderer {
    /// - Returns: the segment's frames; if the song has ended, the mode is no longer `sounding`.
    mutating func planSound(within length: Int) -> Int {
        var length = length
        if state.leaving == .staying, model.impossiblePPM != nil, !directive.pointee.isFreeRunning {
            leave(.forReplacement, cause: .deviceClockStep, error: 0)
        }
        length = planCut(within: length)
        let error = state.leaving == .staying ? timelineError() : nil
        if let error { judge(error, length) }
        watch(length)
        if !state.fade.isDone { length = min(length, state.fade.remaining) }
        length = framesToJoint(within: length)
        // Last, since the permitted change of the step depends on how many frames it will be in force.
        if let error { steer(error, for: length) }
        return planEnd(within: length)
    }

    /// How far the sound is ahead of the timeline, in seconds; nil if unknown.
    private func timelineError() -> Double? {
        guard !directive.pointee.isFreeRunning, let source = state.source, model.isReady,
            let timeline = directive.pointee.stretches[source.serial]?.timeline,
            let due = dueFrames(at: state.frame, source: source)
        else { return nil }
        return (state.position.frames - due) / timeline.framesPerSecond
    }

    private mutating func steer(_ error: Double, for length: Int) {
        state.controller.update(
            error: error, feedForward: feedForward, uncertainty: model.line?.rateUncertainty ?? 0,
            seconds: Double(length) / deviceRate)
        counters.timelineError = error
        counters.correction = state.controller.correction(feedForward: feedForward)
    }

    /// Begins a fade out if the error is too large to be slewed.
    private mutating func judge(_ error: Double, _ length: Int) {
        guard abs(error) > Timing.errorLimit else {
            state.excessFrameCount = 0
            state.relearnCount = model.relearnCount
            return
        }
        state.excessFrameCount += length
        guard state.excessFrameCount > lengths.excess else { return }
        leave(
            .forReplacement, cause: state.relearnCount == model.relearnCount ? .timelineStep : .deviceClockStep,
            error: error)
    }

    /// Begins a fade out while there are still frames for it.
    private mutating func watch(_ length: Int) {
        guard state.leaving == .staying, framesAhead() < length + lengths.fade else { return }
        leave(.forLackOfFrames, cause: .underrun, error: 0)
        counters.underruns += 1
        guard let epoch = state.source?.epoch else { return }
        let silentFrom = DeviceFrame(index: state.frame &+ Int64(state.fade.remaining))
        shared.pointee.events.push(.underrun(epoch: epoch, frame: silentFrom))
    }

    private mutating func leave(_ reason: PlayState.Leaving, cause: ReplacementCause, error: Double) {
        state.leaving = reason
        state.cause = cause
        state.causeError = error
        state.fade = state.fade.turning(to: 0, length: max(1, min(lengths.fade, framesAhead())))
    }

    /// Begins the fade out before a cut, and ends the segment there.
    private mutating func planCut(within length: Int) -> Int {
        guard state.leaving == .staying, let source = state.source,
            let stretch = directive.pointee.stretches[source.serial], stretch.isCut
        else { return length }
        let toCut = (-state.position.distance(from: stretch.cut) / state.controller.step).rounded(.up)
        let toFade = toCut - Double(lengths.cutFade)
        guard toFade < 1 else { return Int(min(toFade, Double(length))) }
        var fadeLength = toCut
        if toCut < Double(lengths.fade) {
            // Too late to end there without a click.
            state.end = stretch.end
            fadeLength = Double(lengths.fade)
        }
        state.leaving = .atCut
        state.fade = state.fade.turning(to: 0, length: max(1, min(Int(fadeLength), framesAhead())))
        return length
    }

    /// Ends the segment where the filter has passed the song's last frame.
    private mutating func planEnd(within length: Int) -> Int {
        guard let source = state.source, state.end != .max else { return length }
        let step = state.controller.step
        let toEnd = (-state.position.distance(from: state.end) / step).rounded(.up)
        let toSilence = toEnd + Double(source.reach) / step
        guard toSilence >= 1 else {
            finish(at: state.frame &+ Int64(max(-0x1p40, toEnd)))
            // What follows may begin before the next grid frame.
            return successor == nil ? length : 1
        }
        return toSilence < Double(length) ? Int(toSilence) : length
    }
}
