import AudioCore
import CALSA
import Glibc
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
    private var wait: PCMWait
    private var recovery = PCMRecovery()

    /// - Parameter status: an allocated status, which the caller frees.
    init(
        _ pcm: OpaquePointer, _ configuration: PCMConfiguration, control: CaptureControl, status: OpaquePointer
    ) {
        self.pcm = pcm
        self.status = status
        wait = PCMWait(pcm)
        self.configuration = configuration
        writer = CaptureWriter(control: control, rate: configuration.rate)
        chunkFrameCount = writer.chunkFrameCount
        timestampValidator = TimestampValidator(clock: configuration.timestampClock, period: configuration.period)
        padded =
            configuration.format == .integer24
            ? .allocate(byteCount: chunkFrameCount * configuration.bytesPerFrame, alignment: 16) : nil
    }

    deinit { padded?.deallocate() }

    /// The loop's working memory, to be locked.
    var workingMemory: [UnsafeMutableRawBufferPointer] { [writer.workingMemory] }

    /// Runs the loop. Returns 0 when told to stop, or the error that ended the device.
    mutating func run(until stop: borrowing Atomic<Bool>) -> Int32 {
        var code = start()
        while !stop.load(ordering: .acquiring) {
            if code < 0 { code = recover(from: code, stop) }
            if code < 0 { break }
            code = turn()
        }
        writer.finish()
        return stop.load(ordering: .acquiring) ? 0 : code
    }

    // MARK: A turn

    private mutating func turn() -> Int32 {
        let wake = wait.wait(readingEvery: writer.readingInterval)
        if case .failed(let code) = wake { return code }

        var code: Int32 = 0
        guard
            let reading = PCMReading.take(
                pcm, .capture, bufferFrameCount: configuration.bufferFrameCount, into: status,
                validator: &timestampValidator, code: &code)
        else { return code }
        note(reading, wake == .device ? .wake : .poll)
        guard wake == .device else { return 0 }
        guard reading.available >= chunkFrameCount else { return recovery.noteEmptyTurn() }
        code = read(reading.available)
        recovery.noteTurn(code)
        return code
    }

    private mutating func note(_ reading: PCMReading, _ occasion: ReadingOccasion) {
        guard abs(reading.delay) <= configuration.longestDelayFrameCount else { return }
        writer.note(
            delay: reading.delay, host: reading.instant.host, occasion: occasion, slack: reading.instant.slack,
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
    private mutating func recover(from code: Int32, _ stop: borrowing Atomic<Bool>) -> Int32 {
        switch recovery.step(after: code, of: pcm, until: stop) {
        case .goOn: return 0
        case .end: return code
        case .restart:
            writer.deviceDidRestart()
            return start()
        }
    }
}
