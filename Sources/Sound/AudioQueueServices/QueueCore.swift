import AudioCore
import AudioDecoding
import HostSystem
import Playout
import Synchronization

// Who does what:
//
//   any thread      begin, enqueue, finish, stop: under one short lock, then a wake signal
//   feeder thread   makes decoders, decodes ahead into the rendition's ring, hands out events
//   device thread   renders from the ring; owned by the output device
//
// A decoder may be a process of its own, and that may hang. So the lock protects what packets are taken into, and is let
// go before a decoder is made, asked or ended: whoever calls waits for nobody. An epoch that is over interrupts its
// decoder, so that the feeder thread is soon free for the next one, or ends.
//
// Decoding has a lock too, which only those take who decode: the feeder thread, and whoever primes.
//
// Playout has doors of its own; it is told under the intake's lock where the order of calls matters.

/// What an ``TimelineQueue`` shares with its thread; apart from it, so that the thread does not keep the queue alive.
final class QueueCore: Sendable {
    let control = PlayoutControl()
    private let intake: Mutex<PacketIntake>
    private let decoding: Mutex<PacketDecoding>
    private let wake: WakeSignal
    private let pending = Mutex<[TimelineQueueEvent]>([])
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
    private static let fade = TimeSpan.milliseconds(10)

    init(decoders: DecoderCatalog, limits: TimelineQueueLimits = TimelineQueueLimits()) throws(TimelineQueueError) {
        intake = Mutex(PacketIntake(limits: limits))
        decoding = Mutex(PacketDecoding(decoders: decoders))
        do throws(WakeSignalError) { wake = try WakeSignal() } catch { throw .outOfResources(code: error.code) }
    }

    /// Starts the thread, and the device.
    /// - Parameters:
    ///   - handler: takes every event, on the thread.
    ///   - onTurn: called on the thread before it feeds: at least four times a second, and soon after anything is asked.
    func start(
        _ output: any OutputDevice, handler: @escaping @Sendable (TimelineQueueEvent) -> Void,
        onTurn: @escaping @Sendable () -> Void = {}
    ) throws(TimelineQueueError) -> HostThread {
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

    func begin(_ stream: TimelineQueueStream) {
        intake.withLock { intake in
            do throws(AudioDecodingError) {
                control.play(try intake.begin(stream))
            } catch {
                control.stop(fade: Self.fade)
                post(.cannotDecode(epoch: stream.epoch, error))
            }
        }
        wake.signal()
    }

    func enqueue(_ bytes: RawSpan, frame: FramePosition, frameCount: Int, epoch: Epoch) -> TimelineQueueAdmission {
        defer { if !isFull.load(ordering: .acquiring) { wake.signal() } }
        return intake.withLock { $0.enqueue(bytes, frame: frame, frameCount: frameCount, epoch: epoch) }
    }

    func enqueue(
        _ packets: Span<AudioPacketDescription>, data: RawSpan, at position: FramePosition, epoch: Epoch
    ) -> Int {
        defer { if !isFull.load(ordering: .acquiring) { wake.signal() } }
        return intake.withLock { $0.enqueue(packets, data: data, at: position, epoch: epoch) }
    }

    func reenter(at frame: FramePosition, epoch: Epoch) {
        intake.withLock { $0.reenter(at: frame, epoch: epoch) }
    }

    func finish(at end: FramePosition, epoch: Epoch, packetsFollow: Bool) {
        defer { wake.signal() }
        intake.withLock { intake in
            intake.finish(at: end, packetsFollow: packetsFollow, epoch: epoch)
            control.finish(at: end, epoch: epoch)
        }
    }

    func stop(fade: TimeSpan) {
        intake.withLock { intake in
            intake.flush()
            control.stop(fade: fade)
        }
        wake.signal()
    }

    var snapshot: TimelineQueueSnapshot {
        var snapshot = TimelineQueueSnapshot()
        snapshot.feeder = intake.withLock { $0.snapshot }
        snapshot.playout = control.snapshot
        return snapshot
    }

    func post(_ event: TimelineQueueEvent) {
        pending.withLock { $0.append(event) }
        wake.signal()
    }

    func wakeUp() { wake.signal() }

    /// Decodes on the calling thread until as many frames are decoded and not heard, or no more can be.
    /// - Returns: how many are.
    func prime(_ frameCount: Int) -> Int {
        while true {
            let decoded = intake.withLock(\.decodedFrameCount)
            guard decoded < frameCount, feedTurn() == .fed else { return decoded }
        }
    }

    /// Has the thread end soon, also where a decoder holds it up.
    func end() {
        isEnding.store(true, ordering: .releasing)
        intake.withLock { $0.flush() }
        wake.signal()
    }

    // MARK: Feeder thread

    private func run(_ handler: (TimelineQueueEvent) -> Void, _ onTurn: () -> Void) {
        while !isEnding.load(ordering: .acquiring) {
            isFull.store(false, ordering: .releasing)
            let step = turn(handler, onTurn)
            isFull.store(step == .ringFull, ordering: .releasing)
            if step != .fed { wake.wait(atMost: pause(after: step)) }
        }
        decoding.withLock { $0.end() }
        deliverEvents(to: handler)
    }

    private func pause(after step: PacketFeederStep) -> TimeSpan {
        let snapshot = control.snapshot
        guard snapshot.state == .playing else {
            return snapshot.epoch == nil && step != .ringFull ? Self.idleTick : Self.tick
        }
        return min(Self.calmTick, max(Self.tick, intake.withLock(\.decodedSpan) * 0.25))
    }

    /// Hands out what happened, and decodes some packets. Returns what decoding ended with.
    func turn(_ handler: (TimelineQueueEvent) -> Void, _ onTurn: () -> Void) -> PacketFeederStep {
        deliverEvents(to: handler)
        onTurn()
        return feedTurn()
    }

    private func feedTurn() -> PacketFeederStep {
        decoding.withLock { decoding in
            for _ in 0..<Self.packetsPerTurn {
                let task = intake.withLock { $0.next() }
                do throws(AudioDecodingError) {
                    let step = try decoding.perform(task)
                    guard step == .fed else { return step }
                } catch {
                    fail(task, error)
                }
            }
            return .fed
        }
    }

    private func fail(_ task: FeederTask, _ error: AudioDecodingError) {
        guard let epoch = task.epoch?.stream.epoch else { return }
        intake.withLock { intake in
            switch intake.fail(task, error) {
            case .cannotDecode(let error):
                control.stop(fade: Self.fade)
                post(.cannotDecode(epoch: epoch, error))
            case .failed(let error): post(.decodingFailed(epoch: epoch, error))
            case .fed, .ringFull, .idle: break
            }
        }
    }

    private func deliverEvents(to handler: (TimelineQueueEvent) -> Void) {
        control.takeEvents { handler(.playout($0)) }
        let events = pending.withLock { events in
            defer { events = [] }
            return events
        }
        for event in events { handler(event) }
    }
}
