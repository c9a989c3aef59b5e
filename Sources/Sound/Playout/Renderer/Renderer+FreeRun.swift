import AudioCore

// A free-running source is paced by the device: each of its frames sounds once, in order. No clock says what is due, so
// after an interruption (a pause, a lack of frames, an xrun) the sound continues with the very next frame.

extension Renderer {
    /// The song position where a free-running source begins or continues as soon as it can; nil where a timeline says
    /// what is due.
    func nextFreeFrame(of source: Source) -> Double? {
        guard directive.pointee.isFreeRunning, let stretch = directive.pointee.stretches[source.serial] else {
            return nil
        }
        if let brokenOff = state.brokenOff, brokenOff.rendition == source.rendition { return brokenOff.position.frames }
        guard stretch.timeline == nil else { return nil }
        // Another device played the beginning.
        let floor = source.ring.pointee.readable.floor
        return floor > source.first ? Double(floor + Int64(source.reach)) : beginning(of: source)
    }

    /// The oldest frame that may not have been heard yet; a device may delay by more than its buffer.
    var oldestUnheard: Int64 {
        directive.pointee.isFreeRunning && model.newestReadingFrame != .min ? model.newestReadingFrame : .max
    }

    /// Takes back what was planned from `frame` on: nobody hears it, and it sounds later.
    mutating func takeBackUnheard(from frame: Int64) {
        guard directive.pointee.isFreeRunning, frame <= cursor, let earlier = history.state(at: frame) else { return }
        endings.removeAll(after: frame)
        state = earlier
    }

    /// Describes the song position at the DAC at the newest reading, and how it moves without a timeline.
    func describeFreeRun(_ snapshot: inout PlayoutSnapshot) {
        guard directive.pointee.isFreeRunning else { return }
        let rendition = (state.source ?? directive.pointee.stretches.first?.source)?.rendition
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
