import AudioCore
import Synchronization

/// The door between the real-time thread of a device that captures and whoever takes its frames: one start's frames, each
/// with its number and its instant.
///
/// Frames are counted from the first captured one; those that were lost count too, so a frame's number tells its time. The
/// device's thread never waits: when nobody takes frames, the newest are lost, and the next ones tell by their numbers.
public final class CaptureControl {
    let storage: UnsafeMutablePointer<CaptureRingStorage>
    /// Frames of the oldest chunk that were taken.
    private var taken = 0

    /// Memory for this much of the sound.
    public static let span = TimeSpan.seconds(2)
    /// A device that reads a second at a time still has a few chunks.
    private static let byteLimit = 32 << 20

    /// - Parameter device: what will fill it.
    public init(for device: InputDeviceDescription) {
        let chunk = max(1, device.chunkFrameCount)
        let chunkBytes = chunk * device.format.bytesPerFrame
        let wanted = Int(Self.span.seconds * device.format.sampleRate) / chunk
        storage = .allocate(capacity: 1)
        storage.initialize(
            to: CaptureRingStorage(
                slotCount: min(wanted, Self.byteLimit / chunkBytes), chunkFrameCount: chunk,
                bytesPerFrame: device.format.bytesPerFrame))
    }

    deinit {
        storage.deinitialize(count: 1)
        storage.deallocate()
    }

    /// How often the device broke off and was started anew.
    public var restartCount: Int { storage.pointee.restartCount.load(ordering: .relaxed) }
    /// Frames that were lost because nobody took those before them.
    public var overflowFrameCount: Int64 { storage.pointee.overflowFrameCount.load(ordering: .relaxed) }

    /// Shows the oldest frames that were not taken, without a gap among them, and takes as many as `body` says.
    ///
    /// One thread at a time; not the device's.
    /// - Returns: false where there are none yet.
    public func take(_ body: (CapturedFrames) -> Int) -> Bool {
        guard let chunk = storage.pointee.peek() else { return false }
        let bytesPerFrame = storage.pointee.bytesPerFrame
        let count = chunk.header.frameCount - taken
        let read = DeviceFrame(index: chunk.header.frame + Int64(taken))
        let clock = storage.pointee.newestClock(ofRun: chunk.header.run)
        let frames = CapturedFrames(
            frame: read.index &+ chunk.shift, frameCount: count, run: chunk.header.run,
            bytes: UnsafeRawBufferPointer(start: chunk.bytes + taken * bytesPerFrame, count: count * bytesPerFrame),
            instant: clock.map {
                DeviceInstant(
                    frame: read + chunk.shift, host: $0.host(of: read), secondsPerFrame: $0.secondsPerFrame,
                    bound: $0.bound)
            })
        taken += min(max(0, body(frames)), count)
        if taken == chunk.header.frameCount {
            taken = 0
            storage.pointee.pop()
        }
        return true
    }
}

/// Frames on their way out of a ``CaptureControl``; valid within the call that shows them.
public struct CapturedFrames {
    /// The first one's number.
    public var frame: Int64
    public var frameCount: Int
    /// Counts the starts of the device: where it differs from that of the frames before, the device broke off.
    public var run: Int
    public var bytes: UnsafeRawBufferPointer
    /// When the first one was in the air, by what is known now. Nil of a device that tells nothing of its clock.
    public var instant: DeviceInstant?
}

// The pointer is set once; what it points to is written by one side each, and handed over by atomics. `taken` is the
// taker's, of whom there is one at a time.
extension CaptureControl: @unchecked Sendable {}
