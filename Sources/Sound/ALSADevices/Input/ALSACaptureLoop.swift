import AudioCore
import CALSA
import Glibc
import HostSystem
import Playout
import Synchronization

// The real-time loop of one capture PCM.
//
// The device wakes us once per period; while its clock is not known well, we also poll every millisecond. We read its
// status: the frames available, the delay, and the time of both. The last two make a reading of the ADC's clock. Then
// we read whole periods, each straight into the ring. After an xrun or a suspend we prepare the device again and start
// it.
//
// Nothing here allocates, locks, retains or throws, except libasound itself. No error makes this loop spin: every
// failure is followed by progress, by sleep, or by the end.

/// Reads from a PCM until it is told to stop or the device is gone. Made and run on its own thread.
struct ALSACaptureLoop: ~Copyable {
    private var writer: CaptureWriter
    private let pcm: OpaquePointer
    private let status: OpaquePointer
    private let configuration: PCMConfiguration
    /// Frames as the device gives them, if the ring stores them differently.
    private let padded: UnsafeMutableRawPointer?
    private let chunkFrameCount: Int
    private var timestampValidator: TimestampValidator
    /// Consecutive turns that failed, or found nothing to read.
    private var failures = 0
    private var emptyTurns = 0
    private var wait = PCMWait()

    private static let failureLimit = 8

    /// - Parameter status: an allocated status, which the caller frees.
    init(
        _ pcm: OpaquePointer, _ configuration: PCMConfiguration, control: CaptureControl, status: OpaquePointer
    ) {
        self.pcm = pcm
        self.status = status
        self.configuration = configuration
        writer = CaptureWriter(control: control, rate: configuration.rate)
        chunkFrameCount = writer.chunkFrameCount
        timestampValidator = TimestampValidator(
            clock: configuration.timestampClock,
            period: TimeSpan(seconds: Double(configuration.periodFrameCount) / configuration.rate))
        padded =
            configuration.format == .integer24
            ? .allocate(byteCount: chunkFrameCount * configuration.bytesPerFrame, alignment: 16) : nil
    }

    deinit { padded?.deallocate() }

    /// The loop's working memory, to be locked.
    var workingMemory: [UnsafeMutableRawBufferPointer] { [writer.workingMemory] }

    /// Runs the loop. Returns 0 when told to stop, or the error that ended the device.
    mutating func run(until stop: UnsafePointer<Atomic<Bool>>) -> Int32 {
        var code = start()
        while !stop.pointee.load(ordering: .acquiring) {
            if code < 0 { code = recover(from: code, stop) }
            if code < 0 { break }
            code = turn()
        }
        writer.finish()
        return stop.pointee.load(ordering: .acquiring) ? 0 : code
    }

    // MARK: A turn

    private mutating func turn() -> Int32 {
        let ready = wait.wait(for: pcm, isLearning: writer.wantsReadings)
        guard ready >= 0 else { return ready }

        var code: Int32 = 0
        guard let reading = PCMReading.take(pcm, into: status, validator: &timestampValidator, code: &code) else {
            return code
        }
        guard reading.state == SND_PCM_STATE_RUNNING else { return Self.error(of: reading.state) }
        note(reading, isWake: ready > 0)
        guard ready > 0 else { return 0 }
        guard reading.available >= chunkFrameCount else { return noteEmptyTurn() }
        emptyTurns = 0
        code = read(reading.available)
        if code >= 0 { failures = 0 }
        return code
    }

    private mutating func note(_ reading: PCMReading, isWake: Bool) {
        // No sound card has a delay of more than its buffer and a second.
        let farthest = configuration.bufferFrameCount + Int(configuration.rate)
        guard abs(reading.delay) <= farthest else { return }
        writer.note(
            delay: reading.delay, host: reading.instant.host, isWake: isWake, slack: reading.instant.slack,
            isTimely: reading.instant.isTimely)
    }

    /// Reads all whole chunks that are available.
    private mutating func read(_ available: Int) -> Int32 {
        var remaining = min(available, configuration.bufferFrameCount)
        while remaining >= chunkFrameCount {
            let memory = writer.memory
            let count = Int(snd_pcm_readi(pcm, padded ?? memory, snd_pcm_uframes_t(chunkFrameCount)))
            if count == -Int(EINTR) { continue }
            if count == -Int(EAGAIN) || count == 0 { return 0 }
            guard count > 0 else { return Int32(count) }
            if let padded { Self.pack(padded, count * configuration.channelCount, to: memory) }
            writer.commit(count)
            remaining -= count
        }
        return 0
    }

    /// Keeps the low three bytes of each four.
    private static func pack(_ padded: UnsafeRawPointer, _ sampleCount: Int, to memory: UnsafeMutableRawPointer) {
        for index in 0..<sampleCount { (memory + index &* 3).copyMemory(from: padded + index &* 4, byteCount: 3) }
    }

    // MARK: Starting and recovering

    private func start() -> Int32 {
        let code = snd_pcm_prepare(pcm)
        return code < 0 ? code : snd_pcm_start(pcm)
    }

    /// Handles an error of a turn. Negative if there is nothing left to try.
    private mutating func recover(from code: Int32, _ stop: UnsafePointer<Atomic<Bool>>) -> Int32 {
        switch -code {
        case EAGAIN, EINTR:
            sleepThread(for: .milliseconds(1))
            return 0
        case ENODEV, ENXIO, EBADF, -ALSACall.standstill:
            return code
        default:
            failures += 1
            guard failures <= Self.failureLimit || code == -EPIPE else { return code }
            // A single xrun is handled at once. A run of them means that the machine is overloaded: wait.
            if failures > 1 { sleepThread(for: .milliseconds(Int64(min(failures, 20)) * 5)) }
            if code == -ESTRPIPE { resume(stop) }
            writer.deviceDidRestart()
            return start()
        }
    }

    /// Waits until the suspended hardware has resumed. Devices that cannot resume are prepared again instead.
    private func resume(_ stop: UnsafePointer<Atomic<Bool>>) {
        while snd_pcm_resume(pcm) == -EAGAIN && !stop.pointee.load(ordering: .acquiring) {
            sleepThread(for: .milliseconds(10))
        }
    }

    /// Notes a wake without a period to read: some plugins do that now and then, a broken device for ever.
    private mutating func noteEmptyTurn() -> Int32 {
        emptyTurns += 1
        if emptyTurns > 8 { sleepThread(for: .milliseconds(5)) }
        return emptyTurns < 600 ? 0 : ALSACall.standstill
    }

    private static func error(of state: snd_pcm_state_t) -> Int32 {
        switch state {
        case SND_PCM_STATE_DISCONNECTED: -ENODEV
        case SND_PCM_STATE_SUSPENDED: -ESTRPIPE
        default: -EPIPE
        }
    }
}
