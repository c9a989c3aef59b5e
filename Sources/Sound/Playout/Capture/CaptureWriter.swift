import AudioCore
import Synchronization

// How many frames did an xrun cost? The device's clock line before it predicts when the first frame of the new run
// would have been at the microphone, had nothing been lost. The new run's own line says when it was. The difference is
// a whole number of frames (for a card whose converter runs on), or is rounded to one; the rounding error is carried
// over, so that many xruns do not accumulate an error.
//
// The new line takes some 30 ms to be known at all, and longer to be known to a fraction of a frame. Until then the
// run's chunks wait in the ring.

/// Takes frames on a device's thread: the real-time side of a ``CaptureControl``.
///
/// Made and used on that thread. After `init` nothing here allocates, locks, retains or throws. Not thread-safe.
public struct CaptureWriter: ~Copyable {
    private let storage: UnsafeMutablePointer<CaptureRingStorage>
    private let rate: Double
    private var clock: DeviceClock
    /// The number of the next frame among those read.
    private var next: Int64 = 0
    private var run = 0
    /// The frames lost before this run; unknown until its clock is known.
    private var shift = CaptureRingStorage.unknownShift
    /// The frames lost before the previous run, and the rounding error carried over.
    private var shiftBefore: Int64 = 0
    private var owed = 0.0
    private var runFirstFrame: Int64 = 0
    private var runFirstPosition = 0
    /// The previous run's clock, at its end.
    private var clockBefore: DeviceInstant?
    private var rawBefore: DeviceClockReading?
    /// The newest reading, believed or not.
    private var raw: DeviceClockReading?

    /// The error bound, in frames, at which the clock is good enough to count lost frames; and the seconds after which
    /// it is taken as it is.
    private static let settledBound = 0.25
    private static let settlePatience = 0.5
    /// The error bound for a device that shows nothing of its clock.
    private static let rawBound = TimeSpan.milliseconds(20)

    /// - Parameters:
    ///   - rate: nominal frames per second.
    ///   - rateHint: the device's rate as remembered from an earlier run.
    public init(control: CaptureControl, rate: Double, rateHint: PartsPerMillion? = nil) {
        storage = control.storage
        self.rate = rate
        clock = DeviceClock(rate: rate, rateHint: rateHint)
    }

    /// How often readings are worthwhile, beside those of wakes; nil if they are not.
    public var readingInterval: TimeSpan? { clock.readingInterval }

    /// The thread's working memory, to be locked.
    public var workingMemory: UnsafeMutableRawBufferPointer { storage.pointee.workingMemory }

    /// The most frames to commit at a time.
    public var chunkFrameCount: Int { storage.pointee.chunkFrameCount }

    /// Where to read the next frames into; at most ``chunkFrameCount``.
    public var memory: UnsafeMutableRawPointer { storage.pointee.nextMemory }

    /// Takes a reading of the device's clock.
    /// - Parameters:
    ///   - delay: frames that were at the microphone and are not read yet.
    ///   - isTimely: whether instant and delay belong together; other readings serve only if there is no better one.
    public mutating func note(
        delay: Int, host: HostTime, occasion: ReadingOccasion, slack: TimeSpan, isTimely: Bool
    ) {
        let reading = DeviceClockReading(
            frame: DeviceFrame(index: next &+ Int64(delay)), host: host, occasion: occasion, slack: slack)
        if isTimely || raw == nil { raw = reading }
        if isTimely { clock.note(reading) }
    }

    /// Publishes the frames read into ``memory``.
    public mutating func commit(_ frameCount: Int) {
        guard frameCount > 0 else { return }
        if storage.pointee.isFull {
            storage.pointee.overflowFrameCount.wrappingAdd(Int64(frameCount), ordering: .relaxed)
        } else {
            var header = ChunkHeader(frame: next, frameCount: frameCount, run: run)
            if let instant = instant(of: next) {
                header.clock = instant
                header.hasClock = true
            }
            storage.pointee.push(header, shift: shift)
        }
        next &+= Int64(frameCount)
        settleIfKnown()
    }

    /// Begins a new run: the device was interrupted and restarts, and frames were lost.
    public mutating func deviceDidRestart() {
        if shift == CaptureRingStorage.unknownShift { settle() }
        clockBefore = clock.instant(of: DeviceFrame(index: next))
        rawBefore = raw
        raw = nil
        clock.restart()
        run += 1
        storage.pointee.restartCount.wrappingAdd(1, ordering: .relaxed)
        shiftBefore = shift
        shift = CaptureRingStorage.unknownShift
        runFirstFrame = next
        runFirstPosition = storage.pointee.writePosition
    }

    /// Ends the last run: frames that wait for a better clock are published with what is known.
    public mutating func finish() {
        if shift == CaptureRingStorage.unknownShift { settle() }
    }

    // MARK: Runs

    private func instant(of frame: Int64) -> DeviceInstant? {
        let frame = DeviceFrame(index: frame)
        if let known = clock.instant(of: frame) { return known }
        guard let raw else { return nil }
        let distance = TimeSpan(seconds: Double(frame - raw.frame) / rate)
        return DeviceInstant(frame: frame, host: raw.host + distance, secondsPerFrame: 1 / rate, bound: Self.rawBound)
    }

    private mutating func settleIfKnown() {
        guard shift == CaptureRingStorage.unknownShift else { return }
        let isOld = Double(next &- runFirstFrame) > Self.settlePatience * rate
        let known = clock.instant(of: DeviceFrame(index: runFirstFrame))
        let isExact = known.map { run == 0 || $0.bound.seconds * rate < Self.settledBound } ?? false
        if isExact || isOld { settle() }
    }

    private mutating func settle() {
        shift = shiftBefore &+ lostFrameCount()
        storage.pointee.settle(from: runFirstPosition, shift: shift)
    }

    /// The number of frames lost between the previous run and this one.
    private mutating func lostFrameCount() -> Int64 {
        guard run > 0, let now = instant(of: runFirstFrame) else { return 0 }
        let expected: HostTime
        if let clockBefore {
            expected = clockBefore.host
        } else if let rawBefore {
            expected = rawBefore.host + TimeSpan(seconds: Double(runFirstFrame &- rawBefore.frame.index) / rate)
        } else {
            return 0
        }
        let secondsPerFrame = clockBefore?.secondsPerFrame ?? 1 / rate
        let lost = (now.host - expected).seconds / secondsPerFrame + owed
        guard lost > 0, lost < 1e15 else { return 0 }
        owed = lost - lost.rounded()
        return Int64(lost.rounded())
    }
}
