import AudioCore
import Synchronization

// Renditions cross to the real-time thread as bare pointers. The control side keeps every rendition alive that it ever
// published until the renderer's oldest serial in use has passed it: no reference is counted on the real-time thread.

/// The door between control threads and the real-time thread of one output.
///
/// Every method may be called from any thread except the real-time one, takes a short lock that the real-time thread
/// never takes, and returns at once; the effect is heard as soon as the device allows. It outlives devices: when an
/// output was lost, a new ``Renderer`` for the same control takes up the current rendition on its timeline.
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
        /// Counts the renderers so far.
        var attachment = 0
        var directive = Directive()
        var rendition: Rendition?
        /// Counts the renditions so far.
        var renditionNumber: UInt64 = 0
        var timeline: HostTimeline?
        /// Nothing of the rendition sounds until it has a timeline again.
        var isHeld = false
        var gain: Float = 1
        var isMuted = false
        var nextSerial: UInt64 = 1
        /// All that the real-time thread may know of, oldest first.
        var live: [Live] = []
        var events: [PlayoutEvent] = []
        var snapshot = PlayoutSnapshot()
    }

    /// Begins a new epoch: what sounds fades out within 10 ms, then `rendition` sounds, placed on its timeline.
    ///
    /// Silent until a timeline of the same epoch is known; one that was set before this call counts. The table of
    /// filter coefficients is made here, on the caller's thread (some milliseconds where rates differ).
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

    /// Sets or revises which frame is due when; the latest wins. One of another epoch than the rendition's is kept
    /// for the next ``play(_:)``. One whose rate no sound can have is ignored.
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

    /// Lets the device's own clock pace the rendition: each of its frames sounds once, one after the other, the first as
    /// soon as the device allows; after ``hold(fade:)``, an xrun or an underrun it goes on with the next frame. Where
    /// song and device have the same rate the samples stay what they are.
    /// - Parameter start: if given, the first frame sounds when this says, to a fraction of a frame, and what follows
    ///   keeps that phase. Not looked at when the rendition has sounded.
    public func runFree(from start: HostTimeline? = nil) {
        state.withLock { state in
            guard let rendition = state.rendition else { return }
            state.directive.isFreeRunning = true
            state.directive.timeline = start?.epoch == rendition.epoch ? start : nil
            endHold(&state)
            publish(&state)
        }
    }

    /// Fades out as soon as the device allows, and is silent until the next ``setTimeline(_:)``: what is held is kept,
    /// and sounds again where it is due then. Reports ``PlayoutEvent/stopped(epoch:)`` and, later, another
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

    /// States the position after the last audible frame: the sound runs up to there, and
    /// ``PlayoutEvent/finished(epoch:)`` is reported when that was heard. Ignored for an epoch that is not current.
    public func finish(at end: FramePosition, epoch: Epoch) {
        state.withLock { state in
            guard epoch == state.rendition?.epoch else { return }
            state.directive.end = end.index
            publish(&state)
        }
    }

    /// Fades out as soon as the device allows, then is silent; reports ``PlayoutEvent/stopped(epoch:)``.
    ///
    /// The rendition is let go; sounding again takes a new ``play(_:)``. A ``play(_:)`` that follows before the
    /// real-time thread looked replaces the stop: no event then.
    public func stop(fade: TimeSpan) {
        state.withLock { state in
            letGo(&state)
            state.directive.source = nil
            state.directive.leaveSeconds = min(max(0, fade.seconds), 60)
            publish(&state)
        }
    }

    /// Changes the gain; it holds for all renditions. 1 leaves samples untouched.
    ///
    /// - Parameters:
    ///   - gain: 0...4 (+12 dB); anything else is brought into that range.
    ///   - ramp: how long the gain takes to get there, linearly.
    public func setVolume(_ gain: Float, ramp: TimeSpan) {
        state.withLock { state in
            state.gain = gain > 0 ? min(gain, 4) : 0
            applyGain(&state, ramp: ramp)
        }
    }

    /// Silences or restores without forgetting the volume, over 10 ms.
    public func setMuted(_ muted: Bool) {
        state.withLock { state in
            state.isMuted = muted
            applyGain(&state, ramp: .milliseconds(10))
        }
    }

    /// Hands over what happened since the last call, oldest first. At most 256 events are kept; newer ones are then
    /// lost and counted in the snapshot.
    public func takeEvents(_ body: (PlayoutEvent) -> Void) {
        let events = state.withLock { state in
            while let event = shared.pointee.events.pop() { state.events.append(event) }
            retire(&state)
            defer { state.events.removeAll() }
            return state.events
        }
        events.forEach(body)
    }

    /// How playout stands as of the newest rendered block.
    public var snapshot: PlayoutSnapshot {
        state.withLock { state in
            if shared.pointee.snapshot.isFresh { state.snapshot = shared.pointee.snapshot.take() }
            return state.snapshot
        }
    }

    // MARK: The renderer's side, before and after its life on the real-time thread

    /// - Returns: what ``detach(_:)`` takes: a renderer that was followed by another no longer speaks for the control.
    func attach(deviceRate: Double, channelCount: Int) -> Int {
        state.withLock { state in
            state.attachment += 1
            state.device = Device(rate: deviceRate, channelCount: channelCount)
            // The new real-time thread has seen nothing yet: nothing may go until it says so.
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

    /// Forgets the current rendition. Where no renderer knows it (any more), it is retired at once; otherwise when that
    /// has passed it.
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

    /// Makes the current rendition known under a new serial, with a resampler that fits the device.
    private func install(_ state: inout State) {
        guard let rendition = state.rendition, let device = state.device, !state.isHeld else { return }
        let resampler = resampler(for: rendition, on: device, in: state)
        let serial = state.nextSerial
        state.nextSerial += 1
        state.live.append(Live(serial: serial, rendition: rendition, resampler: resampler))
        state.directive.newestSerial = serial
        state.directive.source = Source(
            serial: serial, rendition: state.renditionNumber, epoch: rendition.epoch, songRate: rendition.sampleRate,
            first: rendition.firstFrame.index,
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

    /// Lets go of renditions that nobody can touch any more: those that the renderer has passed, except the current.
    private func retire(_ state: inout State) {
        let current = state.directive.source?.serial
        let oldest = shared.pointee.oldestSerialInUse.load(ordering: .acquiring)
        let isPassed = { (live: Live) in live.serial < oldest && live.serial != current }
        // One that was held is known by several serials; the newest is the last to go.
        for live in state.live where isPassed(live) && live.rendition !== state.rendition {
            let isLast = !state.live.contains { $0.rendition === live.rendition && $0.serial > live.serial }
            if isLast { state.events.append(.retired(epoch: live.rendition.epoch)) }
        }
        state.live.removeAll(where: isPassed)
    }
}

// The lock guards everything but the shared memory, whose two sides are apart: this class is the one, serialised by
// the lock, and the renderer's thread is the other.
extension PlayoutControl: @unchecked Sendable {}
