import AudioCore
import Synchronization

// Renditions cross to the real-time thread as bare pointers. The control side keeps every published rendition alive
// until the renderer's oldest serial in use has passed it, so the real-time thread counts no references.

/// Controls the real-time thread of one output from other threads.
///
/// Every method may be called from any thread except the real-time one, takes a short lock that the real-time thread
/// never takes, and returns at once; the effect is heard as soon as the device allows. A control outlives devices:
/// after an output was lost, a new ``Renderer`` for the same control continues the current rendition on its timeline.
public final class PlayoutControl {
    public init() {
        shared = .allocate(capacity: 1)
        shared.initialize(to: SharedState())
    }

    deinit {
        shared.deinitialize(count: 1)
        shared.deallocate()
    }

    let shared: UnsafeMutablePointer<SharedState>
    private let state = Mutex(State())

    private struct Device {
        var rate: Double
        var channelCount: Int
        /// Wakes the device's thread, so that a command does not wait for the device to do so.
        var wake: (@Sendable () -> Void)?
    }

    private struct Live {
        var serial: UInt64
        var rendition: Rendition
        var resampler: Resampler
    }

    private struct State {
        var device: Device?
        /// Numbers the renderers.
        var attachment = 0
        var directive = Directive()
        var plan = StretchPlan()
        /// Numbers the renditions.
        var renditionNumber: UInt64 = 0
        /// The latest timeline of all.
        var timeline: HostTimeline?
        /// Whether all is silent until an epoch gets a timeline again.
        var isHeld = false
        var gain: Float = 1
        var isMuted = false
        var nextSerial: UInt64 = 1
        /// Everything that the real-time thread may know of, oldest first.
        var live: [Live] = []
        var events: [PlayoutEvent] = []
        var snapshot = PlayoutSnapshot()
    }

    /// Begins a new epoch: fades out the present sound within 10 ms, then plays `rendition` on its timeline.
    ///
    /// Silent until a timeline of the same epoch is set; it may have been set before this call. The filter coefficients
    /// are computed here, on the caller's thread (some milliseconds if the rates differ).
    public func play(_ rendition: Rendition) {
        state.withLock { state in
            replacePlan(&state) { $0.removeAll() }
            state.isHeld = false
            state.directive.leaveSeconds = Directive.replacementFadeSeconds
            state.directive.isFreeRunning = false
            add(rendition, to: &state)
            state.device?.wake?()
        }
    }

    /// Has a rendition of a newer epoch stand behind all others. If its first frame is due one frame period after the
    /// last one before it, it follows without a gap; if it is due later, it is silent until then. If it is due sooner,
    /// what sounds before it fades out until then, like before a cut.
    ///
    /// Without a timeline it waits. The timeline of an epoch makes void what stands before it and is cut or has none.
    /// - Returns: false if there is no room (``hasRoom``), or if the epoch is not the newest. Nothing has changed then.
    public func append(_ rendition: Rendition) -> Bool {
        state.withLock { state in
            guard hasRoom(&state), state.plan.entries.allSatisfy({ $0.epoch < rendition.epoch }) else { return false }
            add(rendition, to: &state)
            return true
        }
    }

    /// The most epochs that are held at a time, from the one that is rendered on.
    public static let epochLimit = 4
    /// The most memory that the rings of all epochs may take before another one is appended.
    private static let ringByteLimit = 64 << 20

    /// Whether another epoch can be appended. What still lies in the device counts as well, though less: its frames are
    /// kept for a rewind.
    public var hasRoom: Bool { state.withLock { hasRoom(&$0) } }

    /// Whether the epoch sounds or may sound.
    public func holds(_ epoch: Epoch) -> Bool { state.withLock { $0.plan.contains(epoch) } }

    /// Whether the epoch's sound ends before its last frame because a newer one is due by then.
    public func givesWay(_ epoch: Epoch) -> Bool { state.withLock { $0.plan.givesWay(epoch) } }

    private func hasRoom(_ state: inout State) -> Bool {
        retire(&state)
        let entries = state.plan.entries
        guard let newest = entries.last else { return true }
        var bytes = 0
        for (index, entry) in entries.enumerated() where index == 0 || entries[index - 1].number != entry.number {
            bytes += entry.rendition.ring.byteCount
        }
        let isCrowded = entries.count >= StretchList.capacity && !entries.contains(where: \.isOver)
        return !isCrowded && bytes + newest.rendition.ring.byteCount <= Self.ringByteLimit
            && state.plan.epochCount(from: newestSnapshot(&state).epoch) < Self.epochLimit
    }

    private func add(_ rendition: Rendition, to state: inout State) {
        state.renditionNumber += 1
        state.plan.append(StretchPlan.Entry(rendition, number: state.renditionNumber))
        if let timeline = state.timeline, timeline.epoch == rendition.epoch {
            replacePlan(&state) { _ = $0.setTimeline(timeline) }
            endHold(&state)
        }
        publish(&state)
    }

    /// Sets or revises which frame is due when; the latest timeline wins. A timeline of an epoch that is not known is
    /// kept for the next ``play(_:)`` or ``append(_:)``. A rate that is not positive and finite is ignored.
    ///
    /// After ``cut(at:epoch:)`` this resumes the epoch: the frame after the last one that was to be heard sounds when
    /// it is due by this timeline, with a fade in of 10 ms. What stands before this epoch and is cut or has no timeline
    /// is void from now on.
    public func setTimeline(_ timeline: HostTimeline) {
        guard timeline.framesPerSecond.isFinite, timeline.framesPerSecond > 0 else { return }
        state.withLock { state in
            state.timeline = timeline
            guard state.plan.contains(timeline.epoch) else { return }
            replacePlan(&state) { _ = $0.setTimeline(timeline) }
            state.directive.isFreeRunning = false
            endHold(&state)
            publish(&state)
        }
    }

    /// Has the epoch's sound fade out over the 10 ms before `frame`: that frame and those after it are not heard. If it
    /// is too late for that, the sound fades out as soon as the device allows. Reports
    /// ``PlayoutEvent/stopped(epoch:)``.
    ///
    /// What is held beyond is kept, and the next timeline of this epoch resumes it. The timelines of the epochs behind
    /// it are void, since they were to begin at its end; what sounds of them fades out. Of several cuts before a
    /// timeline the earliest holds. Otherwise ignored for an epoch that is not known.
    public func cut(at frame: FramePosition, epoch: Epoch) {
        state.withLock { state in
            state.timeline = nil
            replacePlan(&state) { $0.cut(at: frame.index, epoch) }
            publishCommand(&state)
        }
    }

    /// Lets the device's own clock pace the rendition. Each frame sounds once, in order, the first as soon as the
    /// device allows; after ``hold(fade:)``, an xrun or an underrun playback continues with the next frame. If song and
    /// device have the same rate, the samples stay unchanged.
    /// - Parameter start: if given, says when the first frame sounds, to a fraction of a frame; the frames after it
    ///   keep that phase. Ignored if the rendition has sounded already.
    public func runFree(from start: HostTimeline? = nil) {
        state.withLock { state in
            guard !state.plan.isEmpty else { return }
            state.directive.isFreeRunning = true
            state.plan.setFreeTimeline(start)
            endHold(&state)
            publishCommand(&state)
        }
    }

    /// Fades out as soon as the device allows, and stays silent until the next ``setTimeline(_:)``. What is held is
    /// kept, and sounds again where it is due then. Reports ``PlayoutEvent/stopped(epoch:)`` and, later, another
    /// ``PlayoutEvent/started(epoch:frame:host:position:)``.
    public func hold(fade: TimeSpan) {
        state.withLock { state in
            guard !state.plan.isEmpty, !state.isHeld else { return }
            state.isHeld = true
            state.timeline = nil
            replacePlan(&state) { $0.hold() }
            state.directive.leaveSeconds = min(max(0, fade.seconds), 60)
            publishCommand(&state)
        }
    }

    /// Sets the position after the last audible frame. The sound runs up to there, and
    /// ``PlayoutEvent/finished(epoch:)`` is reported once it was heard. Ignored for an epoch that is not known.
    public func finish(at end: FramePosition, epoch: Epoch) {
        state.withLock { state in
            state.plan.setEnd(end.index, of: epoch)
            publish(&state)
        }
    }

    /// Fades out as soon as the device allows, then is silent; reports ``PlayoutEvent/stopped(epoch:)``.
    ///
    /// Releases all renditions; only a new ``play(_:)`` sounds again. If ``play(_:)`` follows before the real-time
    /// thread has seen the stop, it replaces the stop, and no event is reported.
    public func stop(fade: TimeSpan) {
        state.withLock { state in
            replacePlan(&state) { $0.removeAll() }
            state.directive.leaveSeconds = min(max(0, fade.seconds), 60)
            publishCommand(&state)
        }
    }

    /// Releases the rendition of one epoch; if it sounds, it fades out like after ``stop(fade:)``, and what stands
    /// behind it keeps its timeline.
    public func drop(_ epoch: Epoch, fade: TimeSpan) {
        state.withLock { state in
            replacePlan(&state) { $0.remove(epoch) }
            state.directive.leaveSeconds = min(max(0, fade.seconds), 60)
            publishCommand(&state)
        }
    }

    /// Sets the gain of all renditions. 1 leaves samples untouched.
    ///
    /// - Parameters:
    ///   - gain: 0...4 (+12 dB); other values are clamped to that range.
    ///   - ramp: how long the gain takes to get there, linearly.
    public func setVolume(_ gain: Float, ramp: TimeSpan) {
        state.withLock { state in
            state.gain = gain > 0 ? min(gain, 4) : 0
            applyGain(&state, ramp: ramp)
        }
    }

    /// Mutes or unmutes over `ramp`, and keeps the volume.
    public func setMuted(_ muted: Bool, ramp: TimeSpan = .milliseconds(50)) {
        state.withLock { state in
            state.isMuted = muted
            applyGain(&state, ramp: ramp)
        }
    }

    /// Sets which channels of all renditions are played; cross-fades over 20 ms what sounds.
    public func setRole(_ role: ChannelRole) {
        state.withLock { state in
            state.directive.role = role
            publishCommand(&state)
        }
    }

    /// Hands over the events since the last call, oldest first. At most 256 are kept; newer ones are then lost and
    /// counted in the snapshot.
    public func takeEvents(_ body: (PlayoutEvent) -> Void) {
        let events = state.withLock { state in
            while let event = shared.pointee.events.pop() { state.events.append(event) }
            retire(&state)
            defer { state.events.removeAll() }
            return state.events
        }
        events.forEach(body)
    }

    /// The state of playout as of the newest rendered block.
    public var snapshot: PlayoutSnapshot {
        state.withLock { state in
            var snapshot = newestSnapshot(&state)
            for rendition in state.plan.renditions(behind: snapshot.epoch) {
                snapshot.bufferedSpan += TimeSpan(
                    seconds: Double(rendition.ring.readableFrameCount) / rendition.sampleRate)
            }
            return snapshot
        }
    }

    private func newestSnapshot(_ state: inout State) -> PlayoutSnapshot {
        if shared.pointee.snapshot.isFresh { state.snapshot = shared.pointee.snapshot.take() }
        return state.snapshot
    }

    // MARK: The renderer's side, before and after its life on the real-time thread

    /// - Returns: the argument of ``detach(_:)``: a renderer that was replaced no longer acts for the control.
    func attach(deviceRate: Double, channelCount: Int, wake: (@Sendable () -> Void)?) -> Int {
        state.withLock { state in
            state.attachment += 1
            state.device = Device(rate: deviceRate, channelCount: channelCount, wake: wake)
            // The new real-time thread has seen nothing yet: release nothing until it says so.
            shared.pointee.oldestSerialInUse.store(0, ordering: .releasing)
            state.plan.renew()
            publish(&state)
            return state.attachment
        }
    }

    func detach(_ attachment: Int) {
        state.withLock { state in
            guard attachment == state.attachment else { return }
            shared.pointee.oldestSerialInUse.store(.max, ordering: .releasing)
            state.device = nil
            state.plan.renew()
            state.directive.stretches = StretchList()
            retire(&state)
        }
    }

    // MARK: Private

    /// Changes what is to sound. Renditions that are in no list any more retire at once if no renderer knows them,
    /// otherwise once the renderer has passed them.
    private func replacePlan(_ state: inout State, _ change: (inout StretchPlan) -> Void) {
        let before = state.plan.entries
        change(&state.plan)
        for entry in before where !state.plan.contains(entry.rendition) {
            let isKnown = state.live.contains { $0.rendition === entry.rendition }
            if !isKnown { state.events.append(.retired(epoch: entry.epoch)) }
        }
    }

    private func endHold(_ state: inout State) {
        guard state.isHeld else { return }
        state.isHeld = false
        state.directive.leaveSeconds = Directive.replacementFadeSeconds
    }

    /// Publishes the plan. Stretches that are new get a serial, and a resampler that fits the device.
    private func install(_ state: inout State) {
        state.directive.stretches = StretchList()
        guard let device = state.device, !state.isHeld else { return }
        var plan = state.plan
        plan.number { entry in
            let resampler = resampler(for: entry.rendition, on: device, in: state)
            let serial = state.nextSerial
            state.nextSerial += 1
            state.live.append(Live(serial: serial, rendition: entry.rendition, resampler: resampler))
            return serial
        }
        state.plan = plan
        for (index, entry) in plan.entries.enumerated() {
            guard let live = state.live.first(where: { $0.serial == entry.serial }) else { continue }
            state.directive.newestSerial = max(state.directive.newestSerial, live.serial)
            state.directive.stretches.append(
                Stretch(
                    source: Source(
                        serial: live.serial, rendition: entry.number, epoch: entry.epoch,
                        songRate: entry.rendition.sampleRate, gain: entry.rendition.gain, first: entry.first,
                        fadeInSeconds: entry.fadeInSeconds,
                        ring: entry.rendition.ring.storage, resampler: live.resampler.view),
                    timeline: entry.timeline, end: entry.end, cut: plan.cut(ofEntryAt: index)))
        }
    }

    /// The resampler of another source of the same format, or a new one.
    private func resampler(for rendition: Rendition, on device: Device, in state: State) -> Resampler {
        let previous = state.live.last {
            $0.resampler.fits(
                songRate: rendition.sampleRate, deviceRate: device.rate, songChannelCount: rendition.channelCount,
                deviceChannelCount: device.channelCount)
        }
        return previous?.resampler
            ?? Resampler(
                songRate: rendition.sampleRate, deviceRate: device.rate, songChannelCount: rendition.channelCount,
                deviceChannelCount: device.channelCount)
    }

    private func applyGain(_ state: inout State, ramp: TimeSpan) {
        state.directive.gain = state.isMuted ? 0 : state.gain
        state.directive.gainRampSeconds = min(max(0, ramp.seconds), 60)
        publishCommand(&state)
    }

    private func publish(_ state: inout State) {
        retire(&state)
        install(&state)
        shared.pointee.directive.publish(state.directive)
    }

    /// Publishes what is to be heard before the device's buffer has played out.
    private func publishCommand(_ state: inout State) {
        publish(&state)
        state.device?.wake?()
    }

    /// Releases what the renderer has passed, except the last stretch.
    private func retire(_ state: inout State) {
        let oldest = shared.pointee.oldestSerialInUse.load(ordering: .acquiring)
        state.plan.removePassed(before: oldest)
        let plan = state.plan
        let isPassed = { (live: Live) in
            live.serial < oldest && !plan.entries.contains { $0.serial == live.serial }
        }
        // A rendition that was held or cut has several serials; only the newest retires it.
        for live in state.live where isPassed(live) && !state.plan.contains(live.rendition) {
            let isLast = !state.live.contains { $0.rendition === live.rendition && $0.serial > live.serial }
            if isLast { state.events.append(.retired(epoch: live.rendition.epoch)) }
        }
        state.live.removeAll(where: isPassed)
    }
}

// The lock guards everything but the shared memory. That has two separate sides: this class, serialised by the lock,
// and the renderer's thread.
extension PlayoutControl: @unchecked Sendable {}
