import AudioCore
import Playout

/// Fills buffers with captured frames: the part of an input queue without threads and clocks.
///
/// Every wanted frame goes into a buffer, once. A buffer never holds a gap: where frames are missing or not wanted, it
/// is handed over early. Not thread-safe.
struct BufferFiller {
    var gate = InputGate()
    private(set) var enqueued: [InputBufferStorage] = []
    private var filling: InputBufferStorage?
    /// The number of the next wanted frame if none is missing; nil before the first.
    private var expected: Int64?
    private var run = 0

    /// The result of one step.
    enum Step {
        /// There may be more to do.
        case went
        /// A buffer is to be handed over.
        case filled(InputBufferStorage)
        /// These frames are missing.
        case lost(at: Int64, count: Int64, InputLossCause)
        /// Frames wait for a buffer.
        case starved
        /// Nothing has come yet.
        case idle
    }

    mutating func enqueue(_ buffer: InputBufferStorage) {
        buffer.removeAll()
        enqueued.append(buffer)
    }

    /// Takes captured frames, up to the next thing to report.
    mutating func step(_ control: CaptureControl) -> Step {
        var step = Step.idle
        _ = control.take { frames in
            let (result, count) = take(frames)
            step = result
            return count
        }
        return step
    }

    /// Returns the partly filled buffer, if it holds anything; the next frame need not follow its frames.
    mutating func breakOff() -> InputBufferStorage? {
        expected = nil
        guard let filling, filling.frameCount > 0 else { return nil }
        self.filling = nil
        return filling
    }

    /// Discards all frames that have no buffer.
    /// - Returns: the range of frame numbers from the first wanted one to the last; nil if none was wanted.
    mutating func abandon(_ control: CaptureControl) -> Range<Int64>? {
        var range: Range<Int64>?
        while control.take({ frames in
            guard let instant = frames.instant else { return frames.frameCount }
            let (isWanted, count) = gate.pass(instant, frameCount: frames.frameCount)
            if isWanted { range = (range?.lowerBound ?? expected ?? frames.frame)..<(frames.frame + Int64(count)) }
            return count
        }) {}
        return range
    }

    /// Drops the partly filled buffer's frames and all pending instants; buffers stay enqueued.
    mutating func reset() {
        if let filling {
            filling.removeAll()
            enqueued.insert(filling, at: 0)
        }
        filling = nil
        gate = InputGate()
        expected = nil
        run = 0
    }

    /// - Returns: the result, and how many of the frames are done with.
    private mutating func take(_ frames: CapturedFrames) -> (Step, Int) {
        // If a device shows no clock at all, every frame is wanted.
        let instant =
            frames.instant
            ?? DeviceInstant(
                frame: DeviceFrame(index: frames.frame), host: HostTime(nanoseconds: .max), secondsPerFrame: 0,
                bound: .zero)
        let (isWanted, count) = gate.pass(instant, frameCount: frames.frameCount)
        guard isWanted else {
            if let buffer = breakOff() { return (.filled(buffer), 0) }
            run = frames.run
            return (.went, count)
        }
        if let expected, frames.frame > expected {
            if let buffer = breakOff() {
                self.expected = expected
                return (.filled(buffer), 0)
            }
            let cause = frames.run == run ? InputLossCause.noBuffer : .overrun
            run = frames.run
            self.expected = frames.frame
            return (.lost(at: expected, count: frames.frame - expected, cause), 0)
        }
        run = frames.run
        return fill(frames, instant, count)
    }

    private mutating func fill(_ frames: CapturedFrames, _ instant: DeviceInstant, _ count: Int) -> (Step, Int) {
        if filling == nil, !enqueued.isEmpty { filling = enqueued.removeFirst() }
        guard let buffer = filling else { return (.starved, 0) }
        let fitting = min(count, buffer.room)
        // The newest estimate of the clock is the best, so every part sets the time again.
        let first = DeviceFrame(index: frames.frame - Int64(buffer.frameCount))
        buffer.time = DeviceInstant(
            frame: first, host: instant.host(of: first), secondsPerFrame: instant.secondsPerFrame, bound: instant.bound)
        buffer.append(frames.bytes, frameCount: fitting)
        expected = frames.frame + Int64(fitting)
        guard buffer.room == 0 else { return (.went, fitting) }
        filling = nil
        return (.filled(buffer), fitting)
    }
}
