import AudioCore

// A free-running source is paced by the device: each of its frames sounds once, one after the other. No clock says what
// is due, so whatever interrupts the sound (a pause, a lack of frames, an xrun) is followed by the very next frame.

extension Renderer {
    /// The song position with which a free-running source begins, or goes on, as soon as it can; nil where a timeline
    /// says what is due.
    func nextFreeFrame(of source: Source) -> Double? {
        guard directive.isFreeRunning, source.serial == directive.source?.serial else { return nil }
        if let brokenOff = state.brokenOff, brokenOff.rendition == source.rendition { return brokenOff.position.frames }
        guard directive.timeline == nil else { return nil }
        // Another device played the beginning.
        let floor = source.ring.pointee.readable.floor
        return floor > source.first ? Double(floor + Int64(source.resampler.reach)) : beginning(of: source)
    }

    /// The frame whose song position a free-running source is asked for; a device may delay by more than its buffer.
    var oldestUnheard: Int64 {
        directive.isFreeRunning && model.newestReadingFrame != .min ? model.newestReadingFrame : .max
    }

    /// What was planned from `frame` on is not heard, and sounds later.
    mutating func takeBackUnheard(from frame: Int64) {
        guard directive.isFreeRunning, frame <= cursor, let earlier = history.state(at: frame) else { return }
        cutEndings(from: frame)
        state = earlier
    }

    /// The song position that was at the DAC at the newest reading of its clock, and how it moves without a timeline.
    func describeFreeRun(_ snapshot: inout PlayoutSnapshot) {
        guard directive.isFreeRunning else { return }
        let rendition = (state.source ?? directive.source)?.rendition
        if let heard = history.state(at: model.newestReadingFrame), heard.mode == .sounding,
            rendition == nil || heard.source?.rendition == rendition
        {
            snapshot.heardPosition = FractionalFramePosition(heard.position.frames)
            snapshot.heardEpoch = heard.source?.epoch
        } else if let brokenOff = state.brokenOff, rendition == nil || brokenOff.rendition == rendition {
            snapshot.heardPosition = FractionalFramePosition(brokenOff.position.frames)
            snapshot.heardEpoch = brokenOff.epoch
        }
        guard snapshot.newestPosition != nil else { return }
        snapshot.framesPerSecond = state.controller.step / (model.line?.secondsPerFrame ?? 1 / deviceRate)
        if model.line == nil { snapshot.newestHost = model.roughHost(of: state.frame) ?? snapshot.newestHost }
    }
}
