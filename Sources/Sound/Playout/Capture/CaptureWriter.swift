import AudioCore
import Synchronization

// How many frames an xrun cost. Before it the line of the device's clock said when each frame was in the air; it also says
// when the first frame of the new run would have been, had nothing been lost. The new run's own line says when it was. The
// difference is a whole number of frames (of a card whose converter goes on), or rounded to one, and what was rounded away
// is carried over, so that many xruns do not add up to an error.
//
// The new line takes some 30 ms to be known at all, and longer to be known to a fraction of a frame. Until then the run's
// chunks wait in the ring.

/// Takes frames from a device's thread: the real-time side of a ``CaptureControl``.
///
/// Made and used on that thread. After `init` nothing here allocates, locks, retains or throws. Not thread-safe.
public struct CaptureWriter: ~Copyable {
    private let storage: UnsafeMutablePointer<CaptureRingStorage>
    private let rate: Double
    private var clock: DeviceClock
    /// The number of the next frame among those that were read.
    private var next: Int64 = 0
    private var run = 0
    /// The frames that were lost before this run; unknown while its clock is not known.
    private var shift = CaptureRingStorage.unknownShift
    /// Those that were lost before the run before, and what rounding owes.
    private var shiftBefore: Int64 = 0
    private var owed = 0.0
    private var runFirstFrame: Int64 = 0
    private var runFirstPosition = 0
    /// The clock of the run before, at its end.
    private var clockBefore: DeviceInstant?
    private var rawBefore: DeviceTimestamp?
    /// The newest reading, believed or not.
    private var raw: DeviceTimestamp?

    /// How well the clock must be known to count what was lost, in frames; and after how many seconds it is as good as
    /// it gets.
    private static let settledBound = 0.25
    private static let settlePatience = 0.5
    /// What a device that tells nothing of its clock is good for.
    private static let rawBound = TimeSpan.milliseconds(20)

    /// - Parameters:
    ///   - rate: nominal frames per second.
    ///   - rateHint: what is remembered of the device's rate.
    public init(control: CaptureControl, rate: Double, rateHint: PartsPerMillion? = nil) {
        storage = control.storage
        self.rate = rate
        clock = DeviceClock(rate: rate, rateHint: rateHint)
    }

    /// Whether many readings are worth their trouble.
    public var wantsReadings: Bool { clock.wantsReadings }

    /// The memory that the thread works in, to be locked.
    public var workingMemory: UnsafeMutableRawBufferPointer { storage.pointee.workingMemory }

    /// At most so many frames are given at a time.
    public var chunkFrameCount: Int { storage.pointee.chunkFrameCount }

    /// Where the next frames go, ``chunkFrameCount`` at most.
    public var memory: UnsafeMutableRawPointer { storage.pointee.nextMemory }

    /// Takes a reading of the device's clock.
    /// - Parameters:
    ///   - delay: frames that were in the air and are not read yet.
    ///   - isSound: whether instant and delay belong together; a reading that is not serves where there is none else.
    public mutating func note(
        delay: Int, host: HostTime, isPrompt: Bool, slack: TimeSpan, isSound: Bool
    ) {
        let reading = DeviceTimestamp(
            frame: DeviceFrame(index: next &+ Int64(delay)), host: host, isPrompt: isPrompt, slack: slack)
        if isSound || raw == nil { raw = reading }
        if isSound { clock.note(reading) }
    }

    /// Publishes the frames that were put to ``memory``.
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

    /// The device broke off and is started anew: frames were lost.
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

    /// No frames follow: what waits for a better clock waits no longer.
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

    /// Frames between the run before and this one.
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
