import AudioCore
import AudioDecoding
import HostSystem
import Playout

/// Plays packets from buffers: Audio Queue Services' output queue, for Linux.
///
/// Buffers are made, filled with packets or frames, and enqueued; each is returned once its last frame was heard, to be
/// refilled. Three are enough for gapless playback. The device runs from `init` on, and plays silence when nothing
/// plays. Its own clock paces the sound: if song and device have the same rate, the enqueued samples are the samples
/// heard, and nothing (a pause, an xrun, a late buffer) loses or repeats one.
///
/// To play in step with other machines, use ``TimelineQueue``.
///
/// All methods except ``dispose()`` may be called from any thread that is not real-time, and from the callbacks. None
/// waits for sound. Releasing the handle disposes of the queue.
public struct OutputQueue: ~Copyable, Sendable {
    private let running: RunningOutput

    private var core: QueueCore { running.core }
    private var buffers: OutputQueueCore { running.buffers }

    /// Opens a queue for packets of one format, until ``beginStream(_:magicCookie:packetTable:)`` sets another.
    /// - Parameters:
    ///   - magicCookie: the codec's setup; empty if it has none.
    ///   - packetTable: the priming frames, and where the audible frames end; what lies outside is not heard.
    ///   - gain: what samples are multiplied with, besides the volume.
    ///   - output: an opened device, not started yet. The queue starts and stops it.
    ///   - bufferHeard: takes back each buffer, emptied, once its last frame was heard or dropped, in the order of
    ///     enqueuing. Called, like `events`, on the queue's own thread, one call at a time.
    /// - Throws: if the device does not start. A format that cannot be decoded is reported as
    ///   ``OutputQueueEvent/decodingFailed(_:)``.
    public init(
        _ format: AudioStreamFormat, magicCookie: [UInt8] = [], packetTable: AudioPacketTableInfo? = nil,
        gain: Float = 1, output: any OutputDevice, decoders: DecoderCatalog = .builtIn,
        bufferHeard: @escaping @Sendable (consuming OutputBuffer) -> Void,
        events: @escaping @Sendable (OutputQueueEvent) -> Void = { _ in }
    ) throws(TimelineQueueError) {
        running = try RunningOutput(
            OutputQueueStream(format: format, magicCookie: magicCookie, table: packetTable, gain: gain), output,
            decoders, onReturn: bufferHeard, onEvent: events)
    }

    deinit { running.close() }

    /// Stops at once, without a fade, and ends the queue. No callback comes after this returns; enqueued buffers are
    /// released with the queue.
    public consuming func dispose() {}

    /// The description of the output.
    public var device: OutputDeviceDescription { running.output.description }

    // MARK: Buffers

    /// Makes a buffer. Its memory lives until its holder, or the queue that it is enqueued in, releases it.
    public func makeBuffer(_ size: AudioBufferSize) -> OutputBuffer { OutputBuffer(BufferStorage(size)) }

    /// Enqueues a buffer, to be heard after the earlier ones. An empty one is returned in its turn.
    public func enqueue(_ buffer: consuming OutputBuffer) {
        buffers.enqueue(buffer.storage)
    }

    /// The number of buffers that are enqueued and not yet returned.
    public var enqueuedBufferCount: Int { buffers.enqueuedBufferCount }

    // MARK: Transport

    /// Decodes enqueued buffers on the calling thread, so that a start waits for nothing. The only method that waits
    /// for a decoder.
    /// - Parameter frameCount: how many frames are enough; the queue decodes at most three seconds ahead.
    /// - Returns: the number of frames decoded and not yet heard.
    @discardableResult
    public func prime(frameCount: Int = .max) -> Int { core.prime(frameCount) }

    /// Starts, or continues after ``pause()`` with the first frame that was not heard.
    /// - Parameter instant: when the first frame of the stream leaves the DAC, to a tenth of a frame; nil, or an
    ///   instant that has passed: as soon as the device allows. The device's clock must be known by then, which takes
    ///   0.1 to 0.6 s after the queue was made. Ignored after a pause.
    public func start(at instant: HostTime? = nil) { buffers.start(at: instant) }

    /// Fades out over 10 ms as soon as the device allows, then is silent. Enqueued buffers are kept.
    public func pause() { buffers.pause() }

    /// Ends the stream after the buffers enqueued so far, which are heard to the last frame. Buffers enqueued later are
    /// a new stream (the decoder is reset), which begins when this one was heard.
    public func flush() { buffers.flush(thenStop: false) }

    /// Ends the stream like ``flush()``, and sets the next one's format and gain. If it cannot be decoded, an event
    /// says so.
    public func beginStream(
        _ format: AudioStreamFormat, magicCookie: [UInt8] = [], packetTable: AudioPacketTableInfo? = nil,
        gain: Float = 1
    ) {
        buffers.enqueue(OutputQueueStream(format: format, magicCookie: magicCookie, table: packetTable, gain: gain))
    }

    /// Stops.
    /// - Parameter immediately: fades out over 10 ms as soon as the device allows, and returns all buffers. Otherwise
    ///   the enqueued buffers are first heard to the last frame.
    public func stop(immediately: Bool) {
        if immediately { buffers.stop() } else { buffers.flush(thenStop: true) }
    }

    /// Drops the enqueued buffers with a short fade, and returns them. A running queue plays what is enqueued next.
    /// - Parameters:
    ///   - frame: the first frame to be heard of what is enqueued next: where the stream continues after a seek. It
    ///     fades in briefly unless it is the beginning.
    ///   - nextPacket: where the next enqueued packet begins, at or before `frame`; anything before `frame` is
    ///     pre-roll. Nil for the stream's first packet.
    public func reset(to frame: FramePosition = .zero, nextPacketAt nextPacket: FramePosition? = nil) {
        buffers.reset(to: frame, nextPacketAt: nextPacket)
    }

    // MARK: Parameters

    /// Sets the gain, linearly over `ramp`. 1 leaves samples untouched; 0...4.
    public func setVolume(_ gain: Float, ramp: TimeSpan = .milliseconds(50)) {
        core.control.setVolume(gain, ramp: ramp)
    }

    /// Mutes or unmutes over `ramp`, and keeps the volume.
    public func setMuted(_ isMuted: Bool, ramp: TimeSpan = .milliseconds(50)) {
        core.control.setMuted(isMuted, ramp: ramp)
    }

    // MARK: Properties

    /// Whether the queue was started, and neither paused nor stopped since.
    public var isRunning: Bool { buffers.phase == .running }

    /// The frame of the present stream that leaves the DAC now; the first frame until it is heard.
    public var position: FractionalFramePosition { buffers.position(at: .now()) }

    /// The device's own time: the frames since it was opened, including silence, and the host time of this value; nil
    /// while the device's clock is unknown.
    public var deviceTime: (frame: Double, host: HostTime)? {
        let now = HostTime.now()
        return core.control.snapshot.deviceFrame(at: now).map { (frame: $0, host: now) }
    }

    /// The complete state of the queue.
    public var snapshot: TimelineQueueSnapshot { core.snapshot }
}

/// A device and the queue on it, from start to stop.
private final class RunningOutput: Sendable {
    let output: any OutputDevice
    let core: QueueCore
    let buffers: OutputQueueCore
    private let thread: HostThread

    init(
        _ stream: OutputQueueStream, _ output: any OutputDevice, _ decoders: DecoderCatalog,
        onReturn: @escaping OutputQueueCore.Returner, onEvent: @escaping @Sendable (OutputQueueEvent) -> Void
    ) throws(TimelineQueueError) {
        self.output = output
        core = try QueueCore(decoders: decoders)
        let buffers = OutputQueueCore(stream, core: core, onReturn: onReturn, onEvent: onEvent)
        self.buffers = buffers
        thread = try core.start(output, handler: { buffers.take($0) }, onTurn: { buffers.turn() })
    }

    func close() {
        output.stop()
        core.end()
        thread.join()
    }
}
