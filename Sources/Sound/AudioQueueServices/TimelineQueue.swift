import AudioCore
import AudioDecoding
import HostSystem
import Playout

/// Packets in, sound out, each frame at its instant.
///
/// Takes encoded packets that know their place on an epoch's timeline, decodes them about two seconds ahead, and plays
/// them on an output device as that timeline says. The device runs from `init` to ``close()``, on silence where
/// nothing is due. All methods may be called from any thread but a real-time one; none but ``close()`` waits, neither for
/// sound nor for a decoder.
public final class TimelineQueue: Sendable {
    private let output: any OutputDevice
    private let core: QueueCore
    private let thread: HostThread

    /// Starts the device and the queue's own thread.
    /// - Parameters:
    ///   - output: an opened device, not started yet. The queue starts and stops it.
    ///   - decoders: what can be played.
    ///   - events: called from the queue's own thread, one call at a time. It may call back into the queue, but not
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

    /// What the output is.
    public var device: OutputDeviceDescription { output.description }

    /// Begins an epoch: what sounds fades out, what waits is dropped, packets of this epoch are taken from now on.
    ///
    /// Silent until a timeline of the epoch is set, before or after. A start that has passed by then is joined in the
    /// middle, in step. The decoder is made on the queue's own thread, and packets are kept until it is there; where none
    /// can be made ``TimelineQueueEvent/cannotDecode(epoch:_:)`` is told, and the queue falls silent. One that is still being
    /// made for the epoch before, or busy with it, is not waited for.
    public func begin(_ stream: TimelineQueueStream) { core.begin(stream) }

    /// Takes a copy of one packet, whose first frame lies at `frame`.
    ///
    /// Packets are enqueued in order. One that begins before the end of the newest is stale; one that begins after it
    /// leaves a gap, heard as silence. Nothing ever waits: what does not fit is refused.
    @discardableResult
    public func enqueue(
        _ bytes: RawSpan, frame: FramePosition, frameCount: Int, epoch: Epoch
    ) -> TimelineQueueAdmission {
        core.enqueue(bytes, frame: frame, frameCount: frameCount, epoch: epoch)
    }

    /// Takes a copy of packets that follow one another, as ``enqueue(_:frame:frameCount:epoch:)`` would of each, at the cost
    /// of one.
    /// - Parameters:
    ///   - packets: each within `data`.
    ///   - position: of the first frame of the first packet.
    /// - Returns: how many were accepted.
    @discardableResult
    public func enqueue(
        _ packets: Span<AudioPacketDescription>, data: RawSpan, at position: FramePosition, epoch: Epoch
    ) -> Int {
        core.enqueue(packets, data: data, at: position, epoch: epoch)
    }

    /// States that the packets to come are for hearing from `frame` on, if they lie behind a gap.
    public func reenter(at frame: FramePosition, epoch: Epoch) {
        core.reenter(at: frame, epoch: epoch)
    }

    /// Sets or revises which frame is due when; the latest wins.
    public func setTimeline(_ timeline: HostTimeline) {
        core.control.setTimeline(timeline)
    }

    /// States the position after the last audible frame. `PlayoutEvent.finished` comes when that was heard.
    /// - Parameter packetsFollow: whether packets may still come. If not, what is missing up to `end` is silence.
    public func finish(at end: FramePosition, epoch: Epoch, packetsFollow: Bool = false) {
        core.finish(at: end, epoch: epoch, packetsFollow: packetsFollow)
    }

    /// Fades out as soon as the device allows, drops what waits, and is silent until the next `begin`.
    public func stop(fade: TimeSpan = .milliseconds(10)) {
        core.stop(fade: fade)
    }

    /// Fades out as soon as the device allows, and is silent until the next ``setTimeline(_:)``. What waits is kept, and
    /// packets are taken as before.
    public func hold(fade: TimeSpan = .milliseconds(10)) {
        core.control.hold(fade: fade)
    }

    /// Changes the gain, linearly over `ramp`; it holds for all epochs. 1 leaves samples untouched.
    public func setVolume(_ gain: Float, ramp: TimeSpan = .milliseconds(20)) {
        core.control.setVolume(gain, ramp: ramp)
    }

    /// Silences or restores without forgetting the volume.
    public func setMuted(_ muted: Bool) {
        core.control.setMuted(muted)
    }

    /// How the queue stands now.
    public var snapshot: TimelineQueueSnapshot { core.snapshot }

    /// Stops the device at once and ends the queue, also where a decoder's process hangs; to end without a click, ``stop(fade:)`` first and wait for
    /// `PlayoutEvent.stopped`. No event comes after this returns. Harmless when repeated.
    public func close() {
        output.stop()
        core.end()
        thread.join()
    }
}
