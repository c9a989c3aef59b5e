import AudioCore
import CALSA
import Glibc
import Playout
import Synchronization

// The real-time loop of one playback PCM.
//
// The device wakes us every 400 ms, or 200 if its buffer is short; every 50 if it does not give frames back, its
// pointer moves in bursts that no search finds, or little sound is there to be rendered; every 10 while its clock is
// still being learned, or if it is a sound server; or a period sooner (see ``PCMPaces``, ``WakeStagger``). While its
// clock is not known well, we also look from time to time. If its pointer moves in bursts, we are there when one comes:
// five times a second, and at first for each of them.
// We read its status: the frames writable, the delay, and the time of both. The last two make a reading of the DAC
// clock for the renderer. Then we render what is to be filled: up to 55 ms at a time if 60 ms are left, otherwise a
// period at a time, so that the first frames arrive early. Where wakes are few, the status is also read after each of
// these blocks: a pointer counts whole frames, so several readings, some part of a frame apart, tell more than one.
//
// For a command that should be heard before the buffer has played out (a stop, a new epoch), the renderer asks for
// earlier frames. We then take back all but the next 12 ms from the device, and render them again. Such a command wakes
// us by itself: it does not wait for the device.
//
// After an xrun or a suspend we prepare the device again, fill its buffer and start it; the frame count continues.
// Frames that were rendered but could not be written count as written: nobody hears them, and a frame has one index.
//
// Nothing here allocates, locks, retains or throws, except libasound itself. No error makes this loop spin: every
// failure is followed by progress, by sleep, or by the end.

/// Renders into a PCM until it is told to stop or the device is gone. Made and run on its own thread.
struct ALSALoop: ~Copyable {
    private var renderer: Renderer
    private let pcm: OpaquePointer
    private let status: OpaquePointer
    private let configuration: PCMConfiguration
    private var wakes: PCMWakes
    private let samples: UnsafeMutableBufferPointer<Float>
    private let bytes: UnsafeMutableRawPointer
    /// The capacity of `samples` and `bytes` in frames.
    private let blockFrameCount: Int
    /// Frames rendered so far, and the index of the next one.
    private var written: Int64 = 0
    /// After a failed write, the first frame that did not reach the device.
    private var unwritten: DeviceFrame?
    private var timestampValidator: TimestampValidator
    private var delayValidator: DelayValidator
    private var rewinder: PCMRewinder
    private var wait: PCMWait
    private var stagger: WakeStagger
    private var recovery = PCMRecovery()

    /// The most that is rendered in one go.
    private static let longestBlock = TimeSpan.milliseconds(55)
    /// Where less than this is left, frames must arrive early.
    private static let shortReserve = TimeSpan.milliseconds(60)

    /// - Parameters:
    ///   - status: an allocated status, which the caller frees.
    ///   - rateHint: the rate of the device's clock as remembered from an earlier run.
    ///   - command: signalled for commands, and for ``run(until:)`` to look whether it is told to stop. Must outlive
    ///     this.
    init(
        _ pcm: OpaquePointer, _ configuration: PCMConfiguration, control: PlayoutControl, status: OpaquePointer,
        wakes: consuming PCMWakes, rateHint: PartsPerMillion?, command: WakeSignal
    ) {
        self.pcm = pcm
        self.status = status
        self.configuration = configuration
        self.wakes = wakes
        wait = PCMWait(pcm, orCommand: command.poll)
        timestampValidator = TimestampValidator(clock: configuration.timestampClock, period: configuration.period)
        delayValidator = DelayValidator(periodFrameCount: configuration.periodFrameCount)
        rewinder = PCMRewinder(pcm, rate: configuration.rate)
        stagger = WakeStagger(
            seed: UInt64(bitPattern: HostTime.now().nanoseconds), period: configuration.periodFrameCount,
            buffer: configuration.bufferFrameCount)
        renderer = Renderer(
            control: control, deviceRate: configuration.rate, channels: configuration.channelCount,
            maximumFrameCount: configuration.bufferFrameCount, rateHint: rateHint,
            wake: { command.signal() })
        renderer.deviceKeepsFrames = true
        blockFrameCount = max(
            configuration.periodFrameCount,
            min(Int(configuration.rate * Self.longestBlock.seconds), configuration.bufferFrameCount / 2))
        samples = .allocate(capacity: blockFrameCount * configuration.channelCount)
        samples.initialize(repeating: 0)
        bytes = .allocate(byteCount: blockFrameCount * configuration.bytesPerFrame, alignment: 16)
    }

    deinit {
        samples.deallocate()
        bytes.deallocate()
    }

    /// The loop's working memory, to be locked.
    var workingMemory: [UnsafeMutableRawBufferPointer] {
        [
            UnsafeMutableRawBufferPointer(samples),
            UnsafeMutableRawBufferPointer(
                start: bytes, count: blockFrameCount * configuration.bytesPerFrame),
        ]
    }

    /// Runs the loop. Returns 0 when told to stop, or the error that ended the device.
    mutating func run(until stop: borrowing Atomic<Bool>) -> Int32 {
        var code = start()
        while !stop.load(ordering: .acquiring) {
            if code < 0 { code = recover(from: code, stop) }
            if code < 0 { return code }
            code = turn()
        }
        return 0
    }

    // MARK: A turn

    private mutating func turn() -> Int32 {
        setPace()
        let now = HostTime.now()
        let search = renderer.burstSearch(after: now)
        let wake = wait.wait(readingEvery: search.map { $0.begin - now } ?? renderer.readingInterval)
        if wake == .reading, let search { return look(for: search) }
        if case .failed(let code) = wake { return code }
        guard wake != .command || renderer.wantsEarlierFrame else { return 0 }

        var code: Int32 = 0
        guard let reading = takeReading(&code) else { return code }
        note(reading, wake == .device ? .wake : .poll)
        guard wake != .reading else { return 0 }

        var buffered = configuration.bufferFrameCount - min(max(reading.available, 0), configuration.bufferFrameCount)
        renderer.filledFrameCount = max(wakes.filledFrameCount, buffered)
        if renderer.wantsEarlierFrame { buffered -= takeBack(buffered: buffered) }
        let missing = wakes.filledFrameCount - buffered
        guard missing > 0 else { return recovery.noteEmptyTurn() }
        let withheld = stagger.withheld(of: missing)
        code = fill(missing - withheld, above: buffered)
        if code > 0 { testRewinds(buffered: wakes.filledFrameCount - withheld) }
        recovery.noteTurn(code)
        return code
    }

    private mutating func setPace() {
        if !renderer.mayWakeSeldom {
            wakes.set(.frequent)
        } else {
            wakes.set(rewinder.deviceGivesBack && renderer.mayRenderFarAhead ? .deep : .seldom)
        }
    }

    @inline(__always)
    private mutating func takeReading(_ code: inout Int32) -> PCMReading? {
        PCMReading.take(
            pcm, .playback, bufferFrameCount: configuration.bufferFrameCount, into: status,
            validator: &timestampValidator, code: &code)
    }

    private mutating func note(_ reading: PCMReading, _ occasion: ReadingOccasion) {
        guard reading.instant.isTimely, abs(reading.delay) <= configuration.longestDelayFrameCount else { return }
        let waiting = configuration.bufferFrameCount - reading.available
        guard delayValidator.isCredible(delay: reading.delay, waiting: waiting, at: reading.instant.host) else {
            return
        }
        renderer.note(
            DeviceClockReading(
                frame: DeviceFrame(index: written &- Int64(reading.delay)), host: reading.instant.host,
                occasion: occasion, slack: reading.instant.slack))
    }

    /// Reads the status again and again, until the burst is there or the time for it is over.
    private mutating func look(for search: BurstSearch) -> Int32 {
        var code: Int32 = 0
        while let reading = takeReading(&code) {
            note(reading, .search)
            guard renderer.isSearching, HostTime.now() < search.end else { return 0 }
        }
        return code
    }

    /// Takes back what is written beyond the next 12 ms (or two periods). Returns the number of frames.
    private mutating func takeBack(buffered: Int) -> Int {
        let kept = max(Int(configuration.rate * 0.012), 2 * configuration.periodFrameCount)
        let taken = rewinder.take(buffered - kept)
        noteRewinds()
        guard taken > 0 else { return 0 }
        written -= Int64(taken)
        renderer.rewind(to: DeviceFrame(index: written))
        return taken
    }

    /// Finds out whether the device, which holds so many frames, gives frames back.
    private mutating func testRewinds(buffered: Int) {
        rewinder.test(buffered: buffered)
        noteRewinds()
    }

    private mutating func noteRewinds() {
        renderer.deviceKeepsFrames = !rewinder.deviceGivesBack
        if rewinder.deviceIgnoresRewinds { renderer.treatReadingsAsGuesses() }
    }

    /// Renders and writes `frameCount` frames.
    /// - Parameter buffered: how many the device still holds.
    private mutating func fill(_ frameCount: Int, above buffered: Int) -> Int32 {
        let isShort = Double(buffered) < configuration.rate * Self.shortReserve.seconds
        let longest = isShort ? configuration.periodFrameCount : blockFrameCount
        var remaining = frameCount
        while remaining > 0 {
            let count = min(remaining, longest)
            let block = UnsafeMutableBufferPointer(rebasing: samples[..<(count * configuration.channelCount)])
            renderer.render(into: block, from: DeviceFrame(index: written))
            configuration.format.encode(UnsafeBufferPointer(block), to: bytes)
            let code = write(count)
            guard code > 0 else { return code }
            remaining -= count
            if wakes.pace == .deep { readAgain() }
        }
        return 1
    }

    /// Takes one more reading of the clock. If the device refuses, the next turn finds out why.
    private mutating func readAgain() {
        var code: Int32 = 0
        if let reading = takeReading(&code) { note(reading, .poll) }
    }

    /// Writes the first `count` frames of `bytes`. Positive if all were taken, 0 if the device is full.
    private mutating func write(_ count: Int) -> Int32 {
        var done = 0
        while done < count {
            let start = bytes + done * configuration.bytesPerFrame
            let taken = Int(snd_pcm_writei(pcm, start, snd_pcm_uframes_t(count - done)))
            if taken == -Int(EINTR) { continue }
            if taken == -Int(EAGAIN) || taken == 0 {
                written += Int64(done)
                renderer.rewind(to: DeviceFrame(index: written))
                return 0
            }
            guard taken > 0 else {
                unwritten = DeviceFrame(index: written &+ Int64(done))
                written += Int64(count)
                return Int32(taken)
            }
            done += taken
        }
        written += Int64(count)
        return 1
    }

    // MARK: Starting and recovering

    private mutating func start() -> Int32 {
        var code = snd_pcm_prepare(pcm)
        wakes.set(.frequent)
        renderer.filledFrameCount = wakes.filledFrameCount
        if code >= 0 { code = fill(wakes.filledFrameCount, above: 0) }
        if code >= 0 { code = snd_pcm_start(pcm) }
        if code >= 0 { testRewinds(buffered: wakes.filledFrameCount) }
        return code
    }

    /// Handles an error of a turn. Negative if there is nothing left to try.
    private mutating func recover(from code: Int32, _ stop: borrowing Atomic<Bool>) -> Int32 {
        switch recovery.step(after: code, of: pcm, until: stop) {
        case .goOn: return 0
        case .end: return code
        case .restart:
            renderer.deviceDidRestart(at: DeviceFrame(index: written), unheardFrom: unwritten)
            unwritten = nil
            return start()
        }
    }
}
