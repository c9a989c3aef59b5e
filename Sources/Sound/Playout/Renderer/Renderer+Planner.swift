import AudioCore

// Appends one segment to the plan. Instant transitions come first: the volume, the channel role, the end of a fade out,
// another source. The rest depends on the mode: silence, waiting for a start, or sound.

extension Renderer {
    /// Plans from `state.frame` on: at least one frame, at most up to the next grid frame.
    mutating func planSegment() {
        turnVolume()
        turnRole()
        if state.mode == .sounding, state.fade.isDone, state.fade.to == 0 { endFadeOut() }
        followDirective()
        var length = Int(grid - (state.frame & (grid - 1)))
        if !state.volume.isDone { length = min(length, state.volume.remaining) }
        if !state.role.isDone { length = min(length, state.role.remaining) }
        if state.mode == .waiting { length = planStart(within: length) }
        if state.mode == .sounding {
            joinSuccessor()
            length = planSound(within: length)
        }
        append(length)
    }

    private mutating func append(_ length: Int) {
        let isSound = state.mode == .sounding
        let step = isSound ? FixedPosition(state.controller.step) : FixedPosition(whole: 0, fraction: 0)
        history.append(state, step: step, count: length)
        state.advance(by: length, step: step)
    }

    // MARK: Transitions

    private mutating func turnVolume() {
        guard directive.pointee.gain != state.volume.to else { return }
        // In silence there is nothing to ramp: what begins next begins at its volume.
        let length = state.mode == .sounding ? Int(directive.pointee.gainRampSeconds * deviceRate) : 0
        state.volume = state.volume.turning(to: directive.pointee.gain, length: length)
    }

    private mutating func turnRole() {
        guard directive.pointee.role != state.role.to, state.role.isDone else { return }
        let length = state.mode == .sounding ? Int(Timing.roleFadeSeconds * deviceRate) : 0
        state.role = state.role.turning(to: directive.pointee.role, length: length)
    }

    private mutating func followDirective() {
        guard let source = state.source, let stretch = directive.pointee.stretches[source.serial] else {
            if state.source != nil || directive.pointee.stretches.first != nil { leaveSource() }
            return
        }
        if state.leaving != .atCut { state.end = stretch.last }
        // A cut that comes before the sound.
        if state.mode == .waiting, stretch.isCut, stretch.timeline == nil || stretch.cut <= source.first {
            finish(at: state.frame, isCut: true)
        }
        if state.mode == .finished, let next = successor { adoptSource(next) }
    }

    /// What sounds once the present source has ended. Behind a cut this is nothing until it is known when.
    var successor: Stretch? {
        guard let serial = state.source?.serial, let next = directive.pointee.stretches.following(serial),
            next.timeline != nil || directive.pointee.stretches[serial]?.isCut == false
        else { return nil }
        return next
    }

    private mutating func leaveSource() {
        let next = directive.pointee.stretch(inPlaceOf: state.source?.serial)
        guard state.mode == .sounding else { return adoptSource(next) }
        guard state.leaving != .forAnotherSource else { return }
        let wasFadingOut = state.leaving != .staying
        state.leaving = .forAnotherSource
        if !wasFadingOut { fadeOut(seconds: directive.pointee.leaveSeconds) }
        if state.fade.isDone { adoptSource(next) }
    }

    /// Switches to another source, in silence.
    mutating func adoptSource(_ next: Stretch?) {
        if let epoch = state.source?.epoch, next == nil {
            endings.append(
                PendingEnd(frame: state.frame, planned: state.frame, serial: .max, epoch: epoch, isStop: true))
        }
        noteBreak()
        state.source = next?.source
        state.end = next?.last ?? .max
        state.mode = state.source == nil ? .idle : .waiting
        state.leaving = .staying
        state.hasSounded = false
        state.isCut = false
        state.cause = nil
        state.fade = .silent
        state.tail = nil
        isPlacedAgain = false
        counters.lowWater = .max
    }

    private mutating func fadeOut(seconds: Double) {
        let length = min(Int(seconds * deviceRate), max(0, framesAhead()))
        state.fade = state.fade.turning(to: 0, length: length)
    }

    private mutating func endFadeOut() {
        switch state.leaving {
        case .forAnotherSource: adoptSource(directive.pointee.stretch(inPlaceOf: state.source?.serial))
        case .atCut: finish(at: state.frame, isCut: true)
        case .staying, .forReplacement, .forLackOfFrames: silence(cause: state.cause, error: state.causeError)
        }
    }

    /// Ends the sound but keeps the source, which will be placed again.
    mutating func silence(cause: ReplacementCause?, error: Double) {
        noteBreak()
        state.mode = .waiting
        state.leaving = .staying
        state.fade = .silent
        state.tail = nil
        state.cause = cause
        state.causeError = error
    }

    private mutating func noteBreak() {
        guard state.mode == .sounding, let source = state.source else { return }
        state.brokenOff = (source.rendition, source.epoch, state.position)
    }

    // MARK: What is due

    /// The song position due at the DAC with a device frame; nil without a clock or a timeline, or if they make no
    /// sense.
    func dueFrames(at frame: Int64, source: Source) -> Double? {
        if let next = nextFreeFrame(of: source) { return next }
        guard let timeline = directive.pointee.stretches[source.serial]?.timeline, let line = model.line,
            abs(timeline.framesPerSecond / source.songRate - 1) < Resampler.stepTolerance / 2
        else { return nil }
        let elapsed = Double(line.originHost &- timeline.host.nanoseconds) * 1e-9 + line.seconds(of: frame)
        let due = Double(timeline.frame.index) + elapsed * timeline.framesPerSecond
        // A late free-running source still begins at its beginning.
        if directive.pointee.isFreeRunning, due > beginning(of: source) + 2 { return beginning(of: source) }
        return FixedPosition.range.contains(due) ? due : nil
    }

    /// Song frames per device frame that hold a sound in place on its timeline.
    var feedForward: Double {
        guard let stretch = directive.pointee.stretch(inPlaceOf: state.source?.serial) else { return 0 }
        return feedForward(of: stretch)
    }

    func feedForward(of stretch: Stretch) -> Double {
        if directive.pointee.isFreeRunning { return stretch.source.songRate / deviceRate }
        return (stretch.timeline?.framesPerSecond ?? 0) * (model.line?.secondsPerFrame ?? 0)
    }

    /// How many device frames the ring's frames will last; unlimited when the song's last frame is there.
    func framesAhead() -> Int {
        guard let source = state.source else { return 0 }
        let end = source.ring.pointee.readable.end
        if end >= state.end { return .max / 4 }
        let frames = end &- Int64(source.reach) &- 1 &- state.position.whole
        guard frames > 0 else { return 0 }
        return Int(Double(frames) / max(state.controller.step, 1e-3))
    }
}
