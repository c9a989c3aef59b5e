import AudioCore
import AudioDecoding
import Playout
import Synchronization

// Buffers ──cut into packets──▶ feeder ──decoded──▶ ring ──▶ device ──heard──▶ buffers
//
// Any thread enqueues and commands; the queue's own thread cuts, and returns buffers. The lock guards the state, and is
// held while packets are copied, as many as the feeder has room for.

/// The work of an ``OutputQueue``, on its own thread and on its callers'.
final class OutputQueueCore: Sendable {
    typealias Returner = @Sendable (consuming OutputBuffer) -> Void

    private let state: Mutex<OutputQueueState>
    private let core: QueueCore
    private let onReturn: Returner
    private let onEvent: @Sendable (OutputQueueEvent) -> Void

    private static let fade = TimeSpan.milliseconds(10)

    init(
        _ stream: OutputQueueStream, core: QueueCore, onReturn: @escaping Returner,
        onEvent: @escaping @Sendable (OutputQueueEvent) -> Void
    ) {
        self.core = core
        self.onReturn = onReturn
        self.onEvent = onEvent
        state = Mutex(OutputQueueState(stream))
        state.withLock { begin(&$0) }
    }

    // MARK: Any thread

    func enqueue(_ buffer: BufferStorage) {
        state.withLock { state in
            state.enqueue(buffer)
            cut(&state)
        }
    }

    func enqueue(_ stream: OutputQueueStream) {
        state.withLock { state in
            if state.enqueue(stream) {
                begin(&state)
                if state.phase == .running { run(state) }
            } else {
                cut(&state)
                skipSilentStreams(&state)
            }
        }
        core.wakeUp()
    }

    func start(at instant: HostTime?) {
        state.withLock { state in
            guard state.phase != .running else { return }
            state.startTime = state.phase == .paused ? nil : instant
            state.phase = .running
            run(state)
        }
    }

    func pause() {
        state.withLock { state in
            guard state.phase == .running else { return }
            state.phase = .paused
            core.control.hold(fade: Self.fade)
        }
    }

    func flush(thenStop stops: Bool) {
        state.withLock { state in
            state.endLastStream(thenStop: stops)
            cut(&state)
            skipSilentStreams(&state)
        }
        core.wakeUp()
    }

    func stop() {
        state.withLock { state in
            guard state.phase != .stopped else { return }
            state.phase = .stopped
            state.stopping = state.epoch
            dropAll(&state)
        }
        core.wakeUp()
    }

    func reset(to frame: FramePosition, nextPacketAt nextPacket: FramePosition?) {
        state.withLock { state in
            let priming = Int64(state.streams[state.streams.count - 1].stream.table?.primingFrameCount ?? 0)
            let place = OutputQueueStream.Place(
                firstFrame: frame, nextPacket: nextPacket ?? FramePosition(0 &- priming))
            dropAll(&state, goingOnAt: place)
            if state.phase == .running { run(state) }
        }
        core.wakeUp()
    }

    /// The frame of the present stream that leaves the DAC at `instant`; its first frame until that is heard.
    func position(at instant: HostTime) -> FractionalFramePosition {
        let snapshot = core.control.snapshot
        return state.withLock { state in
            let heard = snapshot.heardEpoch == state.epoch ? snapshot.heardPosition(at: instant) : nil
            return heard ?? FractionalFramePosition(state.firstFrame)
        }
    }

    var phase: OutputQueueState.Phase { state.withLock(\.phase) }
    var enqueuedBufferCount: Int { state.withLock(\.enqueuedCount) }

    // MARK: Queue thread

    /// Cuts as much as there is room for, and returns heard buffers.
    func turn() {
        let snapshot = core.control.snapshot
        let returned = state.withLock { state in
            if let heard = snapshot.heardPosition, snapshot.heardEpoch == state.epoch {
                state.noteHeard(FramePosition(Int64(heard.frames)))
            }
            cut(&state)
            defer { state.returned = [] }
            return state.returned
        }
        for buffer in returned {
            buffer.removeAll()
            onReturn(OutputBuffer(buffer))
        }
        tellRunning(false) { state in
            defer { state.hasStopped = false }
            return state.hasStopped
        }
    }

    func take(_ event: TimelineQueueEvent) {
        switch event {
        case .playout(.started(let epoch, _, _, _)): tellRunning(true) { $0.epoch == epoch && $0.phase == .running }
        case .playout(.finished(let epoch)): streamWasHeard(epoch)
        case .playout(.stopped(let epoch)), .playout(.retired(let epoch)): tellStopped(epoch)
        case .playout(.underrun): onEvent(.underrun)
        case .playout(.xrun): onEvent(.xrun)
        case .playout(.replaced): break
        case .device(.lost(let error)): onEvent(.deviceLost(error))
        case .device(.vanished(let error)): onEvent(.deviceVanished(error))
        case .device(.returned(let description)): onEvent(.deviceReturned(description))
        case .device(.notice(let text)): onEvent(.notice(text))
        case .cannotDecode(let epoch, let error), .decodingFailed(let epoch, let error):
            if state.withLock({ $0.epoch == epoch }) { onEvent(.decodingFailed(error)) }
        }
    }

    private func streamWasHeard(_ epoch: Epoch) {
        state.withLock { state in
            guard state.epoch == epoch, state.isEndKnown else { return }
            endStream(&state)
        }
    }

    private func tellStopped(_ epoch: Epoch) {
        tellRunning(false) { state in
            guard state.stopping == epoch else { return false }
            state.stopping = nil
            return true
        }
    }

    private func tellRunning(_ isRunning: Bool, where holds: (inout OutputQueueState) -> Bool) {
        let isNews = state.withLock { state in
            guard holds(&state), state.isRunning != isRunning else { return false }
            state.isRunning = isRunning
            return true
        }
        if isNews { onEvent(.runningChanged(isRunning)) }
    }

    // MARK: Streams

    /// Begins a stream: the first one, or one after a flush or a reset.
    private func begin(_ state: inout OutputQueueState, at place: OutputQueueStream.Place? = nil) {
        state.epoch = state.epoch.next
        state.firstFrame = place?.firstFrame ?? .zero
        let stream = state.streams[0].stream
        state.cutter = stream.makeCutter(at: place)
        state.isEndKnown = false
        core.begin(stream.stream(state.epoch, from: state.firstFrame))
    }

    private func run(_ state: OutputQueueState) {
        let timeline = state.startTime.map {
            HostTimeline(
                epoch: state.epoch, host: $0, frame: state.firstFrame,
                framesPerSecond: state.streams[0].stream.format.sampleRate)
        }
        core.control.runFree(from: timeline)
    }

    /// Ends the present stream and begins the next.
    private func endStream(_ state: inout OutputQueueState) {
        state.endFirstStream()
        begin(&state)
        if state.phase == .running { run(state) }
        cut(&state)
        skipSilentStreams(&state)
    }

    /// Ends a stream without an audible frame: nothing would report that it was heard.
    private func skipSilentStreams(_ state: inout OutputQueueState) {
        if state.isEndKnown, state.cutter.end <= state.firstFrame { endStream(&state) }
    }

    private func dropAll(_ state: inout OutputQueueState, goingOnAt place: OutputQueueStream.Place? = nil) {
        state.returnAll()
        state.startTime = nil
        core.stop(fade: Self.fade)
        begin(&state, at: place)
    }

    /// Cuts buffers into packets while the feeder takes them.
    private func cut(_ state: inout OutputQueueState) {
        while let buffer = state.streams[0].buffers.first {
            let epoch = state.epoch
            let isDone = state.cutter.cut(buffer) { bytes, frame, frameCount in
                core.enqueue(bytes, frame: frame, frameCount: frameCount, epoch: epoch) != .full
            }
            guard isDone else { return }
            state.streams[0].buffers.removeFirst()
            state.underway.append((buffer: buffer, end: state.cutter.position))
        }
        guard state.streams[0].isEnding, !state.isEndKnown else { return }
        state.isEndKnown = true
        core.finish(at: state.cutter.end, epoch: state.epoch, packetsFollow: false)
    }
}

/// The properties of an output queue's stream.
struct OutputQueueStream: Sendable {
    var format: AudioStreamFormat
    var magicCookie: [UInt8]
    var table: AudioPacketTableInfo?
    var gain: Float = 1

    /// Where a stream continues in the middle.
    struct Place {
        var firstFrame: FramePosition
        var nextPacket: FramePosition
    }

    func makeCutter(at place: Place?) -> BufferCutter {
        BufferCutter(format: format, table: table, position: place?.nextPacket)
    }

    func stream(_ epoch: Epoch, from firstFrame: FramePosition) -> TimelineQueueStream {
        TimelineQueueStream(
            epoch: epoch, format: format, magicCookie: magicCookie, primingFrameCount: table?.primingFrameCount ?? 0,
            firstFrame: firstFrame, fadesIn: firstFrame > .zero, gain: gain)
    }
}
