import AudioCore
import AudioDecoding
import HostSystem
import Playout

/// Plays packets on a timeline, each frame at its instant.
///
/// Takes encoded packets with their place on an epoch's timeline, decodes them three seconds ahead, and plays them
/// on an output device when they are due. The device runs from `init` to ``close()``, and plays silence when nothing is
/// due. All methods may be called from any thread except a real-time one. Only ``close()`` waits; no other method waits
/// for sound or for a decoder.
public final class TimelineQueue: Sendable {
    private let output: any OutputDevice
    private let core: QueueCore
    private let thread: HostThread

    /// Starts the device and the queue's own thread.
    /// - Parameters:
    ///   - output: an opened device, not started yet. The queue starts and stops it.
    ///   - decoders: the decoders to choose from.
    ///   - events: called from the queue's own thread, one call at a time. It may call back into the queue, except
    ///     ``close()``.
    public init(
        output: any OutputDevice, decoders: DecoderCatalog, limits: TimelineQueueLimits = TimelineQueueLimits(),
        events: @escaping @Sendable (TimelineQueueEvent) -> Void
    ) throws(TimelineQueueError) {
        self.output = output
        core = try QueueCore(decoders: decoders, limits: limits)
        thread = try core.start(output, handler: events)
    }

    deinit { close() }

    /// The description of the output.
    public var device: OutputDeviceDescription { output.description }

    /// Begins an epoch: fades out the present sound, drops queued packets, and takes packets of this epoch from now on.
    ///
    /// Silent until a timeline of the epoch is set, before or after this call. If the start has passed by then, the
    /// sound is joined in the middle, in step. The decoder is made on the queue's own thread, and packets are kept
    /// until it exists; if none can be made, ``TimelineQueueEvent/cannotDecode(epoch:_:)`` is reported and the queue
    /// falls silent. The previous epoch's decoder is not waited for, even while it is being made or is busy.
    public func begin(_ stream: TimelineQueueStream) { core.begin(stream) }

    /// Has a further epoch stand behind the newest one, and takes its packets from now on, beside those of the others.
    ///
    /// If its first frame is due one frame period after the last one of the epoch before it (to 1 ms), it follows
    /// without a gap and without a fade, also where the format changes. Its decoder is made, and its first frames are
    /// decoded, while the epoch before it still sounds. An epoch that is due later is silent until then, and one
    /// without a timeline waits. If it is due sooner, the epoch before it fades out until then, like before a cut. Once
    /// its timeline is known, every epoch before it that is cut or has no timeline is dropped.
    ///
    /// Behind no other epoch this is ``begin(_:)``. If the stream cannot be decoded,
    /// ``TimelineQueueEvent/cannotDecode(epoch:_:)`` is reported and the other epochs go on.
    /// - Returns: false if the queue holds as many epochs as it may (four from the one on that is rendered, fewer if
    ///   their frames would take more than 64 MiB), or if the epoch is not newer than all others. Nothing has changed
    ///   then.
    @discardableResult
    public func append(_ stream: TimelineQueueStream) -> Bool { core.append(stream) }

    /// Has the epoch's sound fade out over the 10 ms before `frame`: that frame and those after it are not heard. If it
    /// is too late for that, the sound fades out as soon as the device allows. Reports `PlayoutEvent.stopped`.
    ///
    /// What is held beyond is kept, and packets are taken as before. The next ``setTimeline(_:)`` of this epoch resumes
    /// it: the sound goes on with `frame`, which is due by that timeline, and fades in over 10 ms. The timelines of the
    /// epochs behind this one are void, since they were to begin at its end; give them again.
    public func cut(at frame: FramePosition, epoch: Epoch) { core.cut(at: frame, epoch: epoch) }

    /// Drops an epoch and its packets, which makes room for another one. If it sounds, it fades out within 10 ms; the
    /// others keep their timelines. Ignored for an epoch that is not known.
    public func drop(_ epoch: Epoch) { core.drop(epoch) }

    /// Enqueues a copy of one packet whose first frame is at `frame`.
    ///
    /// Packets are enqueued in order. A packet that begins before the end of the newest one is stale; one that begins
    /// after it leaves a gap, heard as silence. Never waits: a packet that does not fit is refused.
    @discardableResult
    public func enqueue(
        _ bytes: RawSpan, frame: FramePosition, frameCount: Int, epoch: Epoch
    ) -> TimelineQueueAdmission {
        core.enqueue(bytes, frame: frame, frameCount: frameCount, epoch: epoch)
    }

    /// Enqueues copies of consecutive packets, like ``enqueue(_:frame:frameCount:epoch:)`` for each, at the cost of one
    /// call.
    /// - Parameters:
    ///   - packets: each within `data`.
    ///   - position: the position of the first packet's first frame.
    /// - Returns: how many were accepted.
    @discardableResult
    public func enqueue(
        _ packets: Span<AudioPacketDescription>, data: RawSpan, at position: FramePosition, epoch: Epoch
    ) -> Int {
        core.enqueue(packets, data: data, at: position, epoch: epoch)
    }

    /// Sets the first frame to be heard of the packets to come, if they follow a gap.
    public func reenter(at frame: FramePosition, epoch: Epoch) {
        core.reenter(at: frame, epoch: epoch)
    }

    /// Sets or revises which frame of an epoch is due when; the latest timeline wins. After ``cut(at:epoch:)`` it
    /// resumes the epoch.
    public func setTimeline(_ timeline: HostTimeline) { core.setTimeline(timeline) }

    /// Sets the position after the last audible frame. `PlayoutEvent.finished` is reported once it was heard.
    /// - Parameter packetsFollow: whether more packets may come. If not, anything missing up to `end` is silence.
    public func finish(at end: FramePosition, epoch: Epoch, packetsFollow: Bool = false) {
        core.finish(at: end, epoch: epoch, packetsFollow: packetsFollow)
    }

    /// Fades out as soon as the device allows, drops queued packets, and stays silent until the next `begin`.
    public func stop(fade: TimeSpan = .milliseconds(10)) {
        core.stop(fade: fade)
    }

    /// Fades out as soon as the device allows, and stays silent until the next ``setTimeline(_:)``. Queued packets are
    /// kept, and more are taken as before.
    public func hold(fade: TimeSpan = .milliseconds(10)) {
        core.control.hold(fade: fade)
    }

    /// Sets the gain of all epochs, linearly over `ramp`. 1 leaves samples untouched.
    public func setVolume(_ gain: Float, ramp: TimeSpan = .milliseconds(50)) {
        core.control.setVolume(gain, ramp: ramp)
    }

    /// Mutes or unmutes over `ramp`, and keeps the volume.
    public func setMuted(_ muted: Bool, ramp: TimeSpan = .milliseconds(50)) {
        core.control.setMuted(muted, ramp: ramp)
    }

    /// Sets which channels of all epochs are played; cross-fades over 20 ms what sounds.
    public func setRole(_ role: ChannelRole) {
        core.control.setRole(role)
    }

    /// The present state of the queue.
    public var snapshot: TimelineQueueSnapshot { core.snapshot }

    /// Stops the device at once and ends the queue, even if a decoder's process hangs. To end without a click, call
    /// ``stop(fade:)`` first and wait for `PlayoutEvent.stopped`. No event comes after this returns. Further calls do
    /// nothing.
    public func close() {
        output.stop()
        core.end()
        thread.join()
    }
}
