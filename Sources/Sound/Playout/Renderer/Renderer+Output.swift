import AudioCore

// Plays segments into the device's buffer, and publishes the snapshot.

extension Renderer {
    /// Renders `count` frames from the cursor on, and extends the plan where it ends.
    mutating func play(into output: UnsafeMutablePointer<Float>, count: Int) {
        var done = 0
        var index = history.index(of: cursor) ?? history.count
        while done < count {
            if index >= history.count {
                planSegment()
                index = history.count - 1
            }
            let segment = history[index]
            let offset = Int(cursor - segment.pointee.start)
            let frames = min(count - done, segment.pointee.count - offset)
            execute(segment, from: offset, count: frames, into: output + done * channelCount)
            cursor += Int64(frames)
            done += frames
            if cursor >= segment.pointee.end { index += 1 }
        }
    }

    private func execute(
        _ segment: UnsafeMutablePointer<Segment>, from offset: Int, count: Int, into output: UnsafeMutablePointer<Float>
    ) {
        guard segment.pointee.state.mode == .sounding, let source = segment.pointee.state.source else {
            output.update(repeating: 0, count: count * channelCount)
            return
        }
        let state = segment.pointee.state(after: offset)
        render(source, from: state.position, step: segment.pointee.step, until: state.end, state, count, into: output)
        var gain = source.gain
        if let tail = state.tail {
            add(tail, state, to: output, gain, count: count)
            gain = 1
        }
        if !(state.fade.isUnity && state.volume.isUnity && gain == 1) {
            applyGain(state, gain, to: output, count: count)
        }
    }

    /// Renders one source by the channel role or, while that turns, by both.
    private func render(
        _ source: Source, from position: FixedPosition, step: FixedPosition, until end: Int64, _ state: PlayState,
        _ count: Int, into output: UnsafeMutablePointer<Float>
    ) {
        let audible = min(source.first, end)..<end
        source.resampler.pointee.playing(state.role.to).render(
            from: source.ring, audible: audible, position: position, step: step, count: count, into: output)
        if !state.role.isDone {
            let other = source.resampler.pointee.scratch
            source.resampler.pointee.playing(state.role.from).render(
                from: source.ring, audible: audible, position: position, step: step, count: count, into: other)
            crossFade(state.role, from: other, in: output, count: count)
        }
    }

    private func crossFade(
        _ role: RoleFade, from other: UnsafeMutablePointer<Float>, in output: UnsafeMutablePointer<Float>, count: Int
    ) {
        for frame in 0..<count {
            let weight = role.weight(at: frame)
            for sample in frame * channelCount..<(frame + 1) * channelCount {
                output[sample] = other[sample] + (output[sample] - other[sample]) * weight
            }
        }
    }

    /// Adds the earlier source's last frames, as far as its filter reaches beyond them, to those of the present one.
    /// Each gets its own gain.
    private func add(
        _ tail: Tail, _ state: PlayState, to output: UnsafeMutablePointer<Float>, _ sourceGain: Float, count: Int
    ) {
        render(tail.source, from: tail.position, step: tail.step, until: tail.end, state, count, into: mixing)
        for index in 0..<count * channelCount {
            output[index] = output[index] * sourceGain + mixing[index] * tail.source.gain
        }
    }

    private func applyGain(
        _ state: PlayState, _ sourceGain: Float, to output: UnsafeMutablePointer<Float>, count: Int
    ) {
        var sample = output
        for frame in 0..<count {
            let gain = state.fade.gain(at: frame) * state.volume.gain(at: frame) * sourceGain
            for _ in 0..<channelCount {
                sample.pointee *= gain
                sample += 1
            }
        }
    }

    // MARK: Snapshot

    mutating func publishSnapshot() {
        var snapshot = PlayoutSnapshot()
        snapshot.epoch = state.source?.epoch
        snapshot.state = playoutState
        snapshot.xrunCount = counters.xruns
        snapshot.underrunCount = counters.underruns
        snapshot.timelineStepCount = counters.timelineSteps
        snapshot.deviceClockStepCount = counters.deviceClockSteps
        snapshot.deviceRestartCount = counters.deviceRestarts
        snapshot.lostEventCount = shared.pointee.events.lostCount
        snapshot.impossibleRate = model.impossiblePPM.map { PartsPerMillion($0) }
        if let line = model.line {
            snapshot.dacRate = PartsPerMillion(line.ppm)
            snapshot.modelBound = TimeSpan(seconds: line.bound(at: state.frame))
            snapshot.newestHost = HostTime(nanoseconds: line.hostNanoseconds(of: state.frame))
            snapshot.newestFrame = DeviceFrame(index: state.frame)
            snapshot.deviceFramesPerSecond = 1 / line.secondsPerFrame
        }
        snapshot.irrevocableSpan = irrevocableSpan
        describeBuffer(&snapshot)
        describeSound(&snapshot)
        describeFreeRun(&snapshot)
        shared.pointee.snapshot.publish(snapshot)
    }

    /// What lies between the newest rendered frame and the DAC: the device's buffer and, if its clock shows more, what
    /// lies behind that. Of the former a device that gives frames back holds nothing for good; the latter no device
    /// gives back.
    private var irrevocableSpan: TimeSpan {
        let behind = spanBehindBuffer
        if deviceKeepsFrames { return bufferSpan + behind }
        return isSpanOfServer(behind) ? behind : .zero
    }

    private var bufferSpan: TimeSpan { TimeSpan(seconds: Double(filledFrameCount) / deviceRate) }

    /// What the device's clock shows between its buffer and the DAC; zero while it is not known.
    var spanBehindBuffer: TimeSpan {
        guard let line = model.line else { return .zero }
        return max(
            .zero, TimeSpan(nanoseconds: line.hostNanoseconds(of: cursor) &- model.newestReadingHost) - bufferSpan)
    }

    /// Whether so much behind the buffer is what a sound server has taken over, and not a card's burst.
    func isSpanOfServer(_ behind: TimeSpan) -> Bool { behind > Timing.burst }

    private var playoutState: PlayoutState {
        switch state.mode {
        case .idle: .idle
        case .sounding: .playing
        case .finished: state.isCut ? .waiting : .finished
        case .waiting: state.cause == .underrun ? .starved : .waiting
        }
    }

    private mutating func describeBuffer(_ snapshot: inout PlayoutSnapshot) {
        guard let source = state.source else { return }
        let readable = source.ring.pointee.readable
        let from =
            state.mode == .sounding || state.hasSounded ? max(readable.floor, state.position.whole) : readable.floor
        let buffered = Int(max(0, readable.end &- from))
        snapshot.bufferedFrameCount = buffered
        snapshot.bufferedSpan = TimeSpan(seconds: Double(buffered) / source.songRate)
        if state.mode == .sounding, readable.end < state.end { counters.lowWater = min(counters.lowWater, buffered) }
        snapshot.lowWaterFrameCount = counters.lowWater == .max ? buffered : counters.lowWater
    }

    private func describeSound(_ snapshot: inout PlayoutSnapshot) {
        guard let source = state.source, state.mode == .sounding, state.leaving != .forAnotherSource else { return }
        snapshot.newestPosition = FractionalFramePosition(state.position.frames)
        snapshot.framesPerSecond = directive.pointee.stretches[source.serial]?.timeline?.framesPerSecond ?? 0
        guard !directive.pointee.isFreeRunning else { return }
        snapshot.timelineError = counters.timelineError.map { TimeSpan(seconds: $0) }
        snapshot.correction = PartsPerMillion(counters.correction)
    }
}
