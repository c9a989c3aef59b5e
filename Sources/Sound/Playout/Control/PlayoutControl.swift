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
        var rendition: Rendition?
        /// Numbers the renditions.
        var renditionNumber: UInt64 = 0
        var timeline: HostTimeline?
        /// Whether the rendition is silent until it gets a timeline again.
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
            letGo(&state)
            state.rendition = rendition
            state.renditionNumber += 1
            state.isHeld = false
            state.directive.end = .max
            state.directive.leaveSeconds = Directive.replacementFadeSeconds
            state.directive.timeline = state.timeline?.epoch == rendition.epoch ? state.timeline : nil
            state.directive.isFreeRunning = false
            install(&state)
            publish(&state)
        }
    }

    /// Sets or revises which frame is due when; the latest timeline wins. A timeline of an epoch other than the
    /// rendition's is kept for the next ``play(_:)``. A rate that is not positive and finite is ignored.
    public func setTimeline(_ timeline: HostTimeline) {
        guard timeline.framesPerSecond.isFinite, timeline.framesPerSecond > 0 else { return }
        state.withLock { state in
            state.timeline = timeline
            guard timeline.epoch == state.rendition?.epoch else { return }
            state.directive.timeline = timeline
            state.directive.isFreeRunning = false
            endHold(&state)
            publish(&state)
        }
    }

    /// Lets the device's own clock pace the rendition. Each frame sounds once, in order, the first as soon as the
    /// device allows; after ``hold(fade:)``, an xrun or an underrun playback continues with the next frame. If song and
    /// device have the same rate, the samples stay unchanged.
    /// - Parameter start: if given, says when the first frame sounds, to a fraction of a frame; the frames after it
    ///   keep that phase. Ignored if the rendition has sounded already.
    public func runFree(from start: HostTimeline? = nil) {
        state.withLock { state in
            guard let rendition = state.rendition else { return }
            state.directive.isFreeRunning = true
            state.directive.timeline = start?.epoch == rendition.epoch ? start : nil
            endHold(&state)
            publish(&state)
        }
    }

    /// Fades out as soon as the device allows, and stays silent until the next ``setTimeline(_:)``. What is held is
    /// kept, and sounds again where it is due then. Reports ``PlayoutEvent/stopped(epoch:)`` and, later, another
    /// ``PlayoutEvent/started(epoch:frame:host:position:)``.
    public func hold(fade: TimeSpan) {
        state.withLock { state in
            guard state.rendition != nil, !state.isHeld else { return }
            state.isHeld = true
            state.timeline = nil
            state.directive.timeline = nil
            state.directive.source = nil
            state.directive.leaveSeconds = min(max(0, fade.seconds), 60)
            publish(&state)
        }
    }

    /// Sets the position after the last audible frame. The sound runs up to there, and
    /// ``PlayoutEvent/finished(epoch:)`` is reported once it was heard. Ignored for an epoch that is not current.
    public func finish(at end: FramePosition, epoch: Epoch) {
        state.withLock { state in
            guard epoch == state.rendition?.epoch else { return }
            state.directive.end = end.index
            publish(&state)
        }
    }

    /// Fades out as soon as the device allows, then is silent; reports ``PlayoutEvent/stopped(epoch:)``.
    ///
    /// Releases the rendition; only a new ``play(_:)`` sounds again. If ``play(_:)`` follows before the real-time
    /// thread has seen the stop, it replaces the stop, and no event is reported.
    public func stop(fade: TimeSpan) {
        state.withLock { state in
            letGo(&state)
            state.directive.source = nil
            state.directive.leaveSeconds = min(max(0, fade.seconds), 60)
            publish(&state)
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
            publish(&state)
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
            if shared.pointee.snapshot.isFresh { state.snapshot = shared.pointee.snapshot.take() }
            return state.snapshot
        }
    }

    // MARK: The renderer's side, before and after its life on the real-time thread

    /// - Returns: the argument of ``detach(_:)``: a renderer that was replaced no longer acts for the control.
    func attach(deviceRate: Double, channelCount: Int) -> Int {
        state.withLock { state in
            state.attachment += 1
            state.device = Device(rate: deviceRate, channelCount: channelCount)
            // The new real-time thread has seen nothing yet: release nothing until it says so.
            shared.pointee.oldestSerialInUse.store(0, ordering: .releasing)
            install(&state)
            publish(&state)
            return state.attachment
        }
    }

    func detach(_ attachment: Int) {
        state.withLock { state in
            guard attachment == state.attachment else { return }
            shared.pointee.oldestSerialInUse.store(.max, ordering: .releasing)
            state.device = nil
            state.directive.source = nil
            retire(&state)
        }
    }

    // MARK: Private

    /// Forgets the current rendition. It retires at once if no renderer knows it, otherwise once the renderer has
    /// passed it.
    private func letGo(_ state: inout State) {
        if let rendition = state.rendition, !state.live.contains(where: { $0.rendition === rendition }) {
            state.events.append(.retired(epoch: rendition.epoch))
        }
        state.rendition = nil
    }

    private func endHold(_ state: inout State) {
        guard state.isHeld else { return }
        state.isHeld = false
        state.directive.leaveSeconds = Directive.replacementFadeSeconds
        install(&state)
    }

    /// Publishes the current rendition under a new serial, with a resampler that fits the device.
    private func install(_ state: inout State) {
        guard let rendition = state.rendition, let device = state.device, !state.isHeld else { return }
        let resampler = resampler(for: rendition, on: device, in: state)
        let serial = state.nextSerial
        state.nextSerial += 1
        state.live.append(Live(serial: serial, rendition: rendition, resampler: resampler))
        state.directive.newestSerial = serial
        state.directive.source = Source(
            serial: serial, rendition: state.renditionNumber, epoch: rendition.epoch, songRate: rendition.sampleRate,
            gain: rendition.gain, first: rendition.firstFrame.index,
            fadesIn: rendition.fadesIn, ring: rendition.ring.storage, resampler: resampler.view)
    }

    private func resampler(for rendition: Rendition, on device: Device, in state: State) -> Resampler {
        let previous = state.live.last?.resampler
        if let previous,
            previous.fits(
                songRate: rendition.sampleRate, deviceRate: device.rate, songChannelCount: rendition.channelCount,
                deviceChannelCount: device.channelCount)
        {
            return previous
        }
        return Resampler(
            songRate: rendition.sampleRate, deviceRate: device.rate, songChannelCount: rendition.channelCount,
            deviceChannelCount: device.channelCount)
    }

    private func applyGain(_ state: inout State, ramp: TimeSpan) {
        state.directive.gain = state.isMuted ? 0 : state.gain
        state.directive.gainRampSeconds = min(max(0, ramp.seconds), 60)
        publish(&state)
    }

    private func publish(_ state: inout State) {
        shared.pointee.directive.publish(state.directive)
        retire(&state)
    }

    /// Releases the renditions that the renderer has passed, except the current one.
    private func retire(_ state: inout State) {
        let current = state.directive.source?.serial
        let oldest = shared.pointee.oldestSerialInUse.load(ordering: .acquiring)
        let isPassed = { (live: Live) in live.serial < oldest && live.serial != current }
        // A rendition that was held has several serials; only the newest retires it.
        for live in state.live where isPassed(live) && live.rendition !== state.rendition {
            let isLast = !state.live.contains { $0.rendition === live.rendition && $0.serial > live.serial }
            if isLast { state.events.append(.retired(epoch: live.rendition.epoch)) }
        }
        state.live.removeAll(where: isPassed)
    }
}

// The lock guards everything but the shared memory. That has two separate sides: this class, serialised by the lock,
// and the renderer's thread.
extension PlayoutControl: @unchecked Sendable {}
