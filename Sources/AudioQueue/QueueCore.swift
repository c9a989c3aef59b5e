import AudioCore
import AudioDecoding
import HostSystem
import Playout
import Synchronization

// Who does what:
//
//   any thread      begin, enqueue, finish, stop: under one short lock, then a wake signal
//   feeder thread   decodes ahead into the rendition's ring, hands out events
//   device thread   renders from the ring; owned by the output device
//
// The lock protects the packet feeder. The feeder thread holds it for one packet's decoding at a time, so nobody waits
// longer than that. Playout has doors of its own; it is told under the same lock where the order of calls matters.

/// What an ``AudioQueue`` shares with its thread; apart from it, so that the thread does not keep the queue alive.
final class QueueCore: Sendable {
    let control = PlayoutControl()
    private let feeder: Mutex<PacketFeeder>
    private let wake: WakeSignal
    private let pending = Mutex<[AudioQueueEvent]>([])
    private let isEnding = Atomic(false)
    /// The ring has no room for the packet that is next: what is enqueued behind it wakes nobody.
    private let isFull = Atomic(false)

    /// How soon events are handed out and a played part of the ring is filled again.
    private static let tick = TimeSpan.milliseconds(20)
    /// The same where nothing is played.
    private static let idleTick = TimeSpan.milliseconds(100)
    /// At most, where much is decoded that will be played: a quarter of that goes by meanwhile.
    private static let calmTick = TimeSpan.milliseconds(250)
    /// Packets decoded between two looks at the events: a few hundred milliseconds of sound, a few of work.
    private static let packetsPerTurn = 16

    init(feeder: sending PacketFeeder) throws(AudioQueueError) {
        self.feeder = Mutex(feeder)
        do throws(WakeSignalError) { wake = try WakeSignal() } catch { throw .outOfResources(code: error.code) }
    }

    /// Starts the thread, and the device.
    /// - Parameters:
    ///   - handler: takes every event, on the thread.
    ///   - onTurn: called on the thread before it feeds: at least four times a second, and soon after anything is asked.
    func start(
        _ output: any OutputDevice, handler: @escaping @Sendable (AudioQueueEvent) -> Void,
        onTurn: @escaping @Sendable () -> Void = {}
    ) throws(AudioQueueError) -> HostThread {
        let thread: HostThread
        do throws(HostThreadError) {
            thread = try HostThread(name: "tutti queue") { self.run(handler, onTurn) }
        } catch {
            throw .outOfResources(code: error.code)
        }
        do throws(OutputDeviceError) {
            try output.start(driving: control) { self.post(.device($0)) }
        } catch {
            end()
            thread.join()
            throw .device(error)
        }
        return thread
    }

    // MARK: Any thread

    func begin(_ stream: AudioQueueStream) throws(AudioDecodingError) {
        defer { wake.signal() }
        try feeder.withLock { feeder throws(AudioDecodingError) in
            do throws(AudioDecodingError) {
                control.play(try feeder.begin(stream))
            } catch {
                control.stop(fade: .milliseconds(10))
                throw error
            }
        }
    }

    func enqueue(_ bytes: RawSpan, frame: FramePosition, frameCount: Int, epoch: Epoch) -> AudioQueueAdmission {
        defer { if !isFull.load(ordering: .acquiring) { wake.signal() } }
        return feeder.withLock { $0.enqueue(bytes, frame: frame, frameCount: frameCount, epoch: epoch) }
    }

    func reenter(at frame: FramePosition, epoch: Epoch) {
        feeder.withLock { $0.reenter(at: frame, epoch: epoch) }
    }

    func finish(at end: FramePosition, epoch: Epoch, packetsFollow: Bool) {
        defer { wake.signal() }
        feeder.withLock { feeder in
            feeder.finish(at: end, packetsFollow: packetsFollow, epoch: epoch)
            control.finish(at: end, epoch: epoch)
        }
    }

    func stop(fade: TimeSpan) {
        feeder.withLock { feeder in
            feeder.flush()
            control.stop(fade: fade)
        }
    }

    var snapshot: AudioQueueSnapshot {
        var snapshot = AudioQueueSnapshot()
        snapshot.feeder = feeder.withLock { $0.snapshot }
        snapshot.playout = control.snapshot
        return snapshot
    }

    func post(_ event: AudioQueueEvent) {
        pending.withLock { $0.append(event) }
        wake.signal()
    }

    func wakeUp() { wake.signal() }

    /// Decodes on the calling thread until as many frames are decoded and not heard, or no more can be.
    /// - Returns: how many are.
    func prime(_ frameCount: Int) -> Int {
        while true {
            let decoded = feeder.withLock(\.decodedFrameCount)
            guard decoded < frameCount, feedTurn() == .fed else { return decoded }
        }
    }

    func end() {
        isEnding.store(true, ordering: .releasing)
        wake.signal()
    }

    // MARK: Feeder thread

    private func run(_ handler: (AudioQueueEvent) -> Void, _ onTurn: () -> Void) {
        while !isEnding.load(ordering: .acquiring) {
            isFull.store(false, ordering: .releasing)
            let step = turn(handler, onTurn)
            isFull.store(step == .ringFull, ordering: .releasing)
            if step != .fed { wake.wait(atMost: pause(after: step)) }
        }
        deliverEvents(to: handler)
    }

    private func pause(after step: PacketFeederStep) -> TimeSpan {
        let snapshot = control.snapshot
        guard snapshot.state == .playing else {
            return snapshot.epoch == nil && step != .ringFull ? Self.idleTick : Self.tick
        }
        return min(Self.calmTick, max(Self.tick, feeder.withLock(\.decodedSpan) * 0.25))
    }

    /// Hands out what happened, and decodes some packets. Returns what decoding ended with.
    func turn(_ handler: (AudioQueueEvent) -> Void, _ onTurn: () -> Void) -> PacketFeederStep {
        deliverEvents(to: handler)
        onTurn()
        return feedTurn()
    }

    private func feedTurn() -> PacketFeederStep {
        for _ in 0..<Self.packetsPerTurn {
            let (step, epoch) = feeder.withLock { ($0.feed(), $0.snapshot.epoch) }
            if case .failed(let error) = step, let epoch {
                post(.decodingFailed(epoch: epoch, error))
            }
            guard step == .fed else { return step }
        }
        return .fed
    }

    private func deliverEvents(to handler: (AudioQueueEvent) -> Void) {
        control.takeEvents { handler(.playout($0)) }
        let events = pending.withLock { events in
            defer { events = [] }
            return events
        }
        for event in events { handler(event) }
    }
}
