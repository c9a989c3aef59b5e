import AudioCore

// Where one epoch follows another without a gap, nothing fades. The filter looks ahead and back, so the last frames of
// the old source still ring while the first ones of the new source are due, and the new ones ring before that. Both are
// rendered and added: a filter is linear, so at equal rates the sum is what the joined recording would have given. The
// new source begins early by its own filter's reach; the old one becomes a tail until its own filter has passed its
// end.
//
// The new source takes over the position and the controller: what is left of the timeline error goes on being slewed
// away. Placing it anew would turn that error into a jump.

extension Renderer {
    /// Begins the source that follows, if it follows without a gap and its filter reaches this frame.
    mutating func joinSuccessor() {
        if let tail = state.tail, tail.isOver { state.tail = nil }
        guard let source = state.source, let next = joinableSuccessor() else { return }
        let ratio = next.source.songRate / source.songRate
        let toEnd = -state.position.distance(from: state.end)
        guard toEnd > 0, framesToJoin(next, ratio: ratio) <= 0 else { return }
        let step = state.controller.step
        endings.append(
            PendingEnd(
                frame: state.frame &+ Int64((toEnd / step).rounded(.up)), planned: state.frame, serial: source.serial,
                epoch: source.epoch, isStop: false))
        state.tail = Tail(source: source, position: state.position, step: FixedPosition(step), end: state.end)
        // At equal rates every bit of the position is kept.
        var position = FixedPosition(whole: state.position.whole &- state.end, fraction: state.position.fraction)
        if ratio != 1 { position = FixedPosition(-toEnd * ratio) }
        position.whole &+= next.source.first
        state.position = position
        state.controller = state.controller.scaled(by: ratio)
        state.source = next.source
        state.end = next.last
        // It is not placed again if the clocks are known better before it is heard.
        state.placement = (frame: .min, position: 0, step: 1)
        state.hasSounded = true
        counters.lowWater = .max
        report(source: next.source, due: position.frames, step: state.controller.step)
    }

    /// Frames until another source joins in; `length` if none does within it.
    func framesToJoint(within length: Int) -> Int {
        guard let source = state.source, let next = joinableSuccessor() else { return length }
        let frames = framesToJoin(next, ratio: next.source.songRate / source.songRate)
        return frames >= 1 && frames < Double(length) ? Int(frames) : length
    }

    /// The successor, if its first frame is due one frame period after the present source's last one, and its frames
    /// are there.
    private func joinableSuccessor() -> Stretch? {
        guard state.leaving == .staying, state.end != .max, let source = state.source,
            let stretch = directive.pointee.stretches[source.serial],
            let next = directive.pointee.stretches.following(source.serial),
            stretch.isContinued(by: next), dueFrames(at: state.frame, source: next.source) != nil,
            hasBeginning(of: next, step: state.controller.step * next.source.songRate / source.songRate)
        else { return nil }
        return next
    }

    /// Device frames until the successor's filter reaches its first frame, rounded up. The tail before the present
    /// source gives way only once its last frame is past.
    private func framesToJoin(_ next: Stretch, ratio: Double) -> Double {
        let step = state.controller.step
        let toEnd = -state.position.distance(from: state.end) / step
        let toJoin = toEnd - Double(next.source.reach) / (step * ratio)
        guard let tail = state.tail else { return toJoin.rounded(.up) }
        let toTailEnd = -tail.position.distance(from: tail.end) / tail.step.frames
        return max(toJoin, toTailEnd).rounded(.up)
    }

    /// Whether the ring holds the first frames, enough not to run dry at once.
    func hasBeginning(of stretch: Stretch, step: Double) -> Bool {
        let (source, readable) = (stretch.source, stretch.source.ring.pointee.readable)
        guard readable.floor <= source.first else { return false }
        let count = Double(Int(grid) * 2 + lengths.fade + lengths.hysteresis) * step + Double(source.reach)
        return readable.end >= stretch.last || Double(readable.end &- source.first) >= count
    }
}
