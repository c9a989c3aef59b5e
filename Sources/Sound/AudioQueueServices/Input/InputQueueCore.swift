import AudioCore
import HostSystem
import Playout
import Synchronization

// Who does what:
//
//   any thread      enqueue, start, pause, stop: under one short lock, then a wake signal
//   queue thread    fills buffers, calls the handler and the events, without the lock
//   device thread   writes to the ring; owned by the input device
//
// The caller's thread starts the device and gets the error; the queue's thread, or a new start, stops it.

/// What an ``InputQueue`` shares with its thread; separate, so that the thread does not keep the queue alive.
final class InputQueueCore: Sendable {
    typealias Handler = @Sendable (consuming InputBuffer) -> InputBuffer?

    let device: any InputDevice
    private let state = Mutex(InputQueueState())
    /// Held while the device is started or stopped; taken before `state`. The device's thread takes only `state`.
    private let lifecycle = Mutex(())
    private let wake: WakeSignal
    private let isEnding = Atomic(false)
    private let handler: Handler
    private let events: @Sendable (InputQueueEvent) -> Void

    /// How often frames are fetched while the queue runs.
    private static let tick = TimeSpan.milliseconds(5)
    private static let idleTick = TimeSpan.seconds(1)
    /// How long a stop waits for frames that do not come, or for a buffer to put them in.
    private static let endPatience = TimeSpan.seconds(2)

    init(
        device: any InputDevice, wake: WakeSignal, handler: @escaping Handler,
        events: @escaping @Sendable (InputQueueEvent) -> Void
    ) {
        self.device = device
        self.wake = wake
        self.handler = handler
        self.events = events
    }

    // MARK: Any thread

    func enqueue(_ storage: InputBufferStorage) {
        state.withLock { $0.filler.enqueue(storage) }
        wake.signal()
    }

    func start(at host: HostTime) throws(InputDeviceError) {
        defer { wake.signal() }
        try lifecycle.withLock { _ throws(InputDeviceError) in
            if state.withLock({ $0.resume(at: host) }) { return }
            // A queue that is still stopping ends here.
            device.stop()
            let control = CaptureControl(for: device.description)
            state.withLock { $0.begin(control, at: host) }
            do throws(InputDeviceError) {
                try device.start(filling: control) { [weak self] event in self?.note(event, of: control) }
            } catch {
                state.withLock { state in
                    state.end()
                    state.hasNewStart = false
                }
                throw error
            }
        }
    }

    func pause(at host: HostTime) {
        state.withLock { state in
            guard state.control != nil, !state.isPaused, state.ending == nil else { return }
            state.isPaused = true
            state.filler.gate.set(false, at: host)
        }
        wake.signal()
    }

    func stop(_ kind: InputQueueStop, at host: HostTime) {
        state.withLock { state in
            guard state.control != nil else { return }
            switch kind {
            case .immediate: state.isStopping = true
            case .drained:
                guard state.ending == nil else { return }
                state.ending = host
                state.filler.gate.set(false, at: host)
            }
        }
        wake.signal()
    }

    var snapshot: InputQueueSnapshot {
        state.withLock { state in
            var snapshot = state.counters
            snapshot.isPaused = state.isPaused
            snapshot.enqueuedBufferCount = state.filler.enqueued.count
            return snapshot
        }
    }

    func end() {
        isEnding.store(true, ordering: .releasing)
        wake.signal()
    }

    private func note(_ event: InputDeviceEvent, of control: CaptureControl) {
        state.withLock { state in
            switch event {
            case .notice(let line): state.notices.append(line)
            // Losses of an earlier start do not concern this one.
            case .lost(let error) where state.control === control:
                state.lossOfDevice = error
                state.ending = state.ending ?? .now()
            case .lost: break
            }
        }
        wake.signal()
    }

    // MARK: Queue thread

    func run() {
        while !isEnding.load(ordering: .acquiring) {
            let isRunning = turn()
            wake.wait(atMost: isRunning ? Self.tick : Self.idleTick)
        }
        device.stop()
    }

    /// Does everything possible now. Returns whether the device runs.
    private func turn() -> Bool {
        while !isEnding.load(ordering: .acquiring) {
            for isRunning in state.withLock({ $0.takeStarts() }) { events(.runningChanged(isRunning)) }
            for line in takeNotices() { events(.notice(line)) }
            if state.withLock({ $0.isStopping }) {
                finish(dropping: true)
                return false
            }
            let step = state.withLock { state in state.control.map { state.filler.step($0) } ?? .idle }
            switch step {
            case .went: break
            case .filled(let storage): handOver(storage)
            case .lost(let frame, let count, let cause): tell(frame, count, cause)
            case .starved, .idle:
                if isOver(step) { finish(dropping: false) }
                return state.withLock { $0.control != nil }
            }
        }
        return false
    }

    private func takeNotices() -> [String] {
        state.withLock { state in
            defer { state.notices = [] }
            return state.notices
        }
    }

    /// Whether a stop has passed the last frame, or waited long enough.
    private func isOver(_ step: BufferFiller.Step) -> Bool {
        state.withLock { state in
            guard let ending = state.ending, state.control != nil else { return false }
            if HostTime.now() - ending > Self.endPatience { return true }
            guard case .idle = step else { return false }
            return state.lossOfDevice != nil || state.filler.gate.isClosedForGood
        }
    }

    private func handOver(_ storage: InputBufferStorage) {
        state.withLock { $0.counters.deliveredFrameCount += Int64(storage.frameCount) }
        if let returned = handler(InputBuffer(storage)) { state.withLock { $0.filler.enqueue(returned.storage) } }
    }

    private func tell(_ frame: Int64, _ count: Int64, _ cause: InputLossCause) {
        state.withLock { state in
            state.counters.lostFrameCount += count
            if cause == .overrun { state.counters.overrunCount += 1 }
        }
        events(.framesLost(at: frame, count: count, cause))
    }

    /// Stops the device, hands over the last buffer, and reports the frames that had no buffer.
    private func finish(dropping: Bool) {
        guard let control = state.withLock({ $0.control }) else { return }
        lifecycle.withLock { _ in
            if state.withLock({ $0.control === control }) { device.stop() }
        }
        if !dropping {
            let (last, rest) = state.withLock { state in
                guard state.control === control else { return (InputBufferStorage?.none, Range<Int64>?.none) }
                let rest = state.filler.abandon(control)
                return (state.filler.breakOff(), rest)
            }
            if let last { handOver(last) }
            if let rest { tell(rest.lowerBound, Int64(rest.count), .noBuffer) }
        }
        let (starts, loss) = state.withLock { state in
            guard state.control === control else { return ([Bool]?.none, InputDeviceError?.none) }
            defer {
                state.end()
                state.isToldToRun = false
            }
            return (state.takeStarts(), state.lossOfDevice)
        }
        guard let starts else { return }
        for isRunning in starts { events(.runningChanged(isRunning)) }
        if let loss { events(.deviceLost(loss)) }
        events(.runningChanged(false))
    }
}
