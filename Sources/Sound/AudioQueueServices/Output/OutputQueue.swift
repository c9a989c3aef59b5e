import AudioCore
import AudioDecoding
import HostSystem
import Playout

/// Plays packets out of buffers: Audio Queue Services' output queue, for Linux.
///
/// Buffers are made, filled with packets or frames and enqueued; each is handed back when its last frame was heard, to
/// be filled anew. Three are enough for gapless play. The device runs from `init` on, on silence where nothing plays, and
/// its own clock paces the sound: where song and device have the same rate, the samples that are enqueued are the
/// samples that are heard, and nothing that happens (a pause, an xrun, a buffer that comes late) loses or repeats one.
///
/// To be heard in step with other machines is another matter: see ``TimelineQueue``.
///
/// All methods may be called from any thread but a real-time one, and from the callbacks, but for
/// ``dispose()``. None waits for sound. When the handle goes, the queue is disposed of.
public struct OutputQueue: ~Copyable, Sendable {
    private let running: RunningOutput

    private var core: QueueCore { running.core }
    private var buffers: OutputQueueCore { running.buffers }

    /// Opens a queue for packets of one format, until another is stated (``beginStream(_:magicCookie:packetTable:)``).
    /// - Parameters:
    ///   - magicCookie: the codec's own setup, empty where it has none.
    ///   - packetTable: priming frames at the front of the stream, and where its audible frames end; neither is heard.
    ///   - output: an opened device, not started yet. The queue starts and stops it.
    ///   - bufferHeard: takes back each buffer, emptied, when its last frame was heard or dropped, in the order in which
    ///     they were enqueued. Called, as `events` is, on the queue's own thread, one call at a time.
    /// - Throws: where the device does not start. A format that cannot be decoded is told by
    ///   ``OutputQueueEvent/decodingFailed(_:)``.
    public init(
        _ format: AudioStreamFormat, magicCookie: [UInt8] = [], packetTable: AudioPacketTableInfo? = nil,
        output: any OutputDevice, decoders: DecoderCatalog = .builtIn,
        bufferHeard: @escaping @Sendable (consuming OutputBuffer) -> Void,
        events: @escaping @Sendable (OutputQueueEvent) -> Void = { _ in }
    ) throws(TimelineQueueError) {
        running = try RunningOutput(
            OutputQueueStream(format: format, magicCookie: magicCookie, table: packetTable), output, decoders,
            onReturn: bufferHeard, onEvent: events)
    }

    deinit { running.close() }

    /// Stops at once, without a fade, and ends the queue; no callback comes after this returns, and buffers that are
    /// enqueued go with it.
    public consuming func dispose() {}

    /// What the output is.
    public var device: OutputDeviceDescription { running.output.description }

    // MARK: Buffers

    /// Makes a buffer. Its memory lives until its holder, or the queue that it is enqueued in, lets it go.
    public func makeBuffer(_ size: AudioBufferSize) -> OutputBuffer { OutputBuffer(BufferStorage(size)) }

    /// Enqueues a buffer, to be heard after those before it. An empty one is handed back in its turn.
    public func enqueue(_ buffer: consuming OutputBuffer) {
        buffers.enqueue(buffer.storage)
    }

    /// Buffers that are enqueued and were not handed back.
    public var enqueuedBufferCount: Int { buffers.enqueuedBufferCount }

    // MARK: Transport

    /// Decodes what is enqueued, on the calling thread, so that a start has nothing to wait for. The one method that waits
    /// for a decoder.
    /// - Parameter frameCount: enough is as many; the queue decodes two seconds ahead at most.
    /// - Returns: frames that are decoded and not heard.
    @discardableResult
    public func prime(frameCount: Int = .max) -> Int { core.prime(frameCount) }

    /// Starts, or goes on after ``pause()`` with the first frame that was not heard.
    /// - Parameter instant: when the first frame of the stream leaves the DAC, to a tenth of a frame; nil, or an instant
    ///   that has passed: as soon as the device allows. The device's clock must be known by then, which takes 0.1 to
    ///   0.6 s from when the queue was made. Not looked at after a pause.
    public func start(at instant: HostTime? = nil) { buffers.start(at: instant) }

    /// Fades out over 10 ms as soon as the device allows, then is silent. What is enqueued is kept.
    public func pause() { buffers.pause() }

    /// States that what is enqueued is the end of a stream: it is heard to its last frame. What is enqueued later is
    /// a stream of its own (the decoder starts afresh), and begins when this one was heard.
    public func flush() { buffers.flush(thenStop: false) }

    /// As ``flush()``, and what is enqueued later is of another format. Where that cannot be decoded, an event says so.
    public func beginStream(
        _ format: AudioStreamFormat, magicCookie: [UInt8] = [], packetTable: AudioPacketTableInfo? = nil
    ) {
        buffers.enqueue(OutputQueueStream(format: format, magicCookie: magicCookie, table: packetTable))
    }

    /// Stops.
    /// - Parameter immediately: fades out over 10 ms as soon as the device allows, and hands all buffers back.
    ///   Otherwise what is enqueued is heard to its last frame first.
    public func stop(immediately: Bool) {
        if immediately { buffers.stop() } else { buffers.flush(thenStop: true) }
    }

    /// Drops what is enqueued, with a short fade, and hands it back. A queue that runs plays what is enqueued next.
    /// - Parameters:
    ///   - frame: of what is enqueued next, the first frame to be heard: where the stream goes on after a seek. It
    ///     comes in with a short fade if it is not the beginning.
    ///   - nextPacket: where the packet begins that is enqueued next, `frame` or before; what it has before `frame` warms
    ///     the decoder up. Nil for the stream's first.
    public func reset(to frame: FramePosition = .zero, nextPacketAt nextPacket: FramePosition? = nil) {
        buffers.reset(to: frame, nextPacketAt: nextPacket)
    }

    // MARK: Parameters

    /// Changes the gain, linearly over `ramp`. 1 leaves samples untouched; 0...4.
    public func setVolume(_ gain: Float, ramp: TimeSpan = .milliseconds(20)) {
        core.control.setVolume(gain, ramp: ramp)
    }

    /// Silences or restores over 10 ms without forgetting the volume.
    public func setMuted(_ isMuted: Bool) { core.control.setMuted(isMuted) }

    // MARK: Properties

    /// Whether it was started and neither paused nor stopped.
    public var isRunning: Bool { buffers.phase == .running }

    /// The frame of the present stream that leaves the DAC now: the first until that is heard.
    public var position: FractionalFramePosition { buffers.position(at: .now()) }

    /// The device's own time: frames since it was opened, those of silence too, and the host time at which it was read;
    /// nil while its clock is not known.
    public var deviceTime: (frame: Double, host: HostTime)? {
        let now = HostTime.now()
        return core.control.snapshot.deviceFrame(at: now).map { (frame: $0, host: now) }
    }

    /// How the queue stands, in full.
    public var snapshot: TimelineQueueSnapshot { core.snapshot }
}

/// A device with a queue on it, from start to stop.
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
