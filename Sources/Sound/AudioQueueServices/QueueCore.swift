import AudioCore
import AudioDecoding
import HostSystem
import Playout
import Synchronization

// Who does what:
//
//   any thread      begin, append, enqueue, finish, cut, stop: under one short lock, then a wake signal
//   feeder thread   makes decoders, decodes ahead into the rendition's ring, hands out events
//   device thread   renders from the ring; owned by the output device
//
// A decoder may be another process, which may hang. So the lock protects only the intake of packets, and is released
// before a decoder is made, used or ended: callers never wait for a decoder. An epoch that is over interrupts its
// decoder, so that the feeder thread soon takes up the next epoch, or ends.
//
// Decoding has another lock, taken only by threads that decode: the feeder thread, and callers of `prime`.
//
// Playout has its own locks; it is called under the intake's lock where the order of calls matters.

/// What an ``TimelineQueue`` shares with its thread; separate, so that the thread does not keep the queue alive.
final class QueueCore: Sendable {
    let control = PlayoutControl()
    private let intake: Mutex<PacketIntake>
    private let decoding: Mutex<PacketDecoding>
    private let wake: WakeSignal
    private let pending = Mutex<[TimelineQueueEvent]>([])
    private let isEnding = Atomic(false)
    /// Whether the ring has no room for the next packet: enqueuing more then wakes nobody.
    private let isFull = Atomic(false)

    /// Packets decoded per delivery of events: a few hundred milliseconds of sound, a few milliseconds of work.
    private static let packetsPerTurn = 16
    private static let fade = TimeSpan.milliseconds(10)

    init(decoders: DecoderCatalog, limits: TimelineQueueLimits = TimelineQueueLimits()) throws(TimelineQueueError) {
        intake = Mutex(PacketIntake(limits: limits))
        decoding = Mutex(PacketDecoding(decoders: decoders))
        do throws(DescriptorError) { wake = try WakeSignal() } catch { throw .outOfResources(code: error.code) }
    }

    /// Starts the thread and the device.
    /// - Parameters:
    ///   - handler: takes every event, on the thread.
    ///   - onTurn: called on the thread before it decodes: at least twice a second, and soon after any request.
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

    func append(_ stream: TimelineQueueStream) -> Bool {
        defer { wake.signal() }
        return intake.withLock { intake in
            guard control.hasRoom else { return false }
            do throws(AudioDecodingError) {
                let rendition = try intake.append(stream)
                guard control.append(rendition) else {
                    intake.drop { $0 == stream.epoch }
                    return false
                }
            } catch {
                post(.cannotDecode(epoch: stream.epoch, error))
            }
            return true
        }
    }

    func cut(at frame: FramePosition, epoch: Epoch) {
        intake.withLock { intake in
            control.cut(at: frame, epoch: epoch)
            intake.cut(epoch)
        }
        wake.signal()
    }

    func drop(_ epoch: Epoch) {
        intake.withLock { intake in
            guard control.holds(epoch) else { return }
            control.drop(epoch, fade: Self.fade)
            intake.drop { $0 == epoch }
        }
        wake.signal()
    }

    func setTimeline(_ timeline: HostTimeline) {
        let isChanged = intake.withLock { intake in
            control.setTimeline(timeline)
            intake.resume(timeline.epoch)
            intake.cut(where: control.givesWay)
            return intake.drop { !control.holds($0) }
        }
        if isChanged { wake.signal() }
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

    /// Decodes on the calling thread until `frameCount` frames are decoded and not heard, or no more can be.
    /// - Returns: the number of frames decoded and not heard.
    func prime(_ frameCount: Int) -> Int {
        while true {
            let decoded = intake.withLock(\.decodedFrameCount)
            guard decoded < frameCount, feedTurn() == .fed else { return decoded }
        }
    }

    /// Ends the thread soon, even if a decoder blocks it.
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
        let (decoded, isJointAhead) = intake.withLock { ($0.decodedSpan, $0.epochCount > 1) }
        let pace = FeederPace(step: step, playout: control.snapshot, decoded: decoded, isJointAhead: isJointAhead)
        return pace.pause(.now())
    }

    /// Delivers events, and decodes some packets. Returns the last step of decoding.
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
                control.drop(epoch, fade: Self.fade)
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
