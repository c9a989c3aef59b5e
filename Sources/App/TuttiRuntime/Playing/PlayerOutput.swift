import AudioCore
import AudioDecoding
import AudioQueueServices
import Playout

/// A player's sound device with its queue and buffers; stays open from song to song. Used by the player's thread.
final class PlayerOutput {
    private let selection: OutputSelection
    private let inbox: PlayerInbox
    /// Opened for the first song that can be played, at its rate if the device has that.
    private var queue: OutputQueue?
    private let pool: OutputBufferPool
    /// Size of the present song's buffers.
    private var size = AudioBufferSize(byteCount: 0, packetCount: 0)
    /// Frames to put into one buffer: about a second.
    private(set) var framesPerBuffer = 0

    private static let bufferCount = 3
    /// No other machine waits for this one, so a sound card's thread may sleep for half of its buffer.
    private static let wakeInterval = TimeSpan.milliseconds(75)
    /// A second of the largest linear PCM needs more; its buffers are shorter.
    private static let byteLimit = 8 << 20
    private static let packetLimit = 4_096

    init(_ selection: OutputSelection, inbox: PlayerInbox) {
        self.selection = selection
        self.inbox = inbox
        pool = OutputBufferPool(wake: inbox.wake)
    }

    /// Prepares for a song: its format, and buffers that hold about a second of it and any packet.
    func begin(_ summary: AudioStreamSummary, _ format: AudioStreamFormat, gain: Float) throws(RuntimeFailure) {
        if queue == nil {
            try open(summary, format, gain)
        } else {
            queue?.beginStream(
                format, magicCookie: summary.magicCookie, packetTable: summary.packetTable, gain: gain)
        }
        framesPerBuffer = Int(min(max(format.sampleRate, 1), Limits.sampleRateRange.upperBound))
        size = AudioBufferSize(
            byteCount: max(Limits.packetByteCount, min(framesPerBuffer * format.bytesPerFrame, Self.byteLimit)),
            packetCount: Self.packetLimit)
        for _ in 0..<Self.bufferCount {
            if let buffer = queue?.makeBuffer(size) { pool.put(buffer) }
        }
    }

    private func open(
        _ summary: AudioStreamSummary, _ format: AudioStreamFormat, _ gain: Float
    ) throws(RuntimeFailure) {
        let rates = Limits.sampleRateRange
        let rate = min(max(format.sampleRate, rates.lowerBound), rates.upperBound)
        let device = try selection.open(sampleRate: rate, wakeInterval: Self.wakeInterval)
        let (inbox, pool) = (inbox, pool)
        do throws(TimelineQueueError) {
            queue = try OutputQueue(
                format, magicCookie: summary.magicCookie, packetTable: summary.packetTable, gain: gain, output: device,
                decoders: .complete, bufferHeard: { pool.put($0) }, events: { inbox.post($0) })
        } catch {
            throw RuntimeFailure(.unavailable, .queue(error))
        }
    }

    // MARK: Buffers

    /// Returns a free buffer; releases those of the previous song.
    func takeBuffer() -> OutputBuffer? {
        while let buffer = pool.take() {
            if buffer.byteCapacity == size.byteCount { return buffer }
        }
        return nil
    }

    func enqueue(_ buffer: consuming OutputBuffer) { queue?.enqueue(buffer) }

    // MARK: Transport

    /// Starts, with the first quarter of a second already decoded.
    func start(_ format: AudioStreamFormat) {
        queue?.prime(frameCount: Int(format.sampleRate / 4))
        queue?.start()
    }

    func resume() { queue?.start() }

    func pause() { queue?.pause() }

    /// Plays what is enqueued to its last frame.
    func drain() { queue?.stop(immediately: false) }

    func reset(to frame: FramePosition, nextPacketAt nextPacket: FramePosition) {
        queue?.reset(to: frame, nextPacketAt: nextPacket)
    }

    /// Fades out and waits for the fade, if sound is heard.
    func fallSilent() {
        guard queue?.isRunning ?? false else { return }
        queue?.stop(immediately: true)
        for _ in 0..<30 where !inbox.takeEvents().contains(.runningChanged(false)) {
            inbox.wake.wait(atMost: .milliseconds(10))
        }
    }

    func setVolume(_ gain: Float, isMuted: Bool, ramp: TimeSpan) {
        queue?.setVolume(gain, ramp: ramp)
        queue?.setMuted(isMuted, ramp: ramp)
    }

    /// The frame that leaves the DAC now.
    var position: FramePosition { FramePosition(Int64(queue?.position.frames ?? 0)) }
}
