import AudioCore
import Synchronization

/// Passes the frames of one start from a capture device's real-time thread to their consumer.
///
/// Each frame has a number and an instant. Frames are counted from the first captured one; lost frames count too, so a
/// frame's number tells its time. The device's thread never waits: if nobody takes frames, the newest are lost, which
/// shows in the numbers of the next ones.
public final class CaptureControl {
    let storage: UnsafeMutablePointer<CaptureRingStorage>
    /// How many frames of the oldest chunk were taken.
    private var taken = 0

    /// How much sound the ring holds.
    public static let span = TimeSpan.seconds(2)
    /// Even a device that reads a second at a time gets a few chunks.
    private static let byteLimit = 32 << 20

    /// - Parameter device: the device that will fill it.
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

    /// How often the device was interrupted and restarted.
    public var restartCount: Int { storage.pointee.restartCount.load(ordering: .relaxed) }
    /// Frames lost because nobody took the earlier ones.
    public var overflowFrameCount: Int64 { storage.pointee.overflowFrameCount.load(ordering: .relaxed) }

    /// Passes the oldest frames not yet taken, without a gap, to `body`, and takes as many as that returns.
    ///
    /// One thread at a time; not the device's.
    /// - Returns: false if there are none yet.
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

/// Frames being read from a ``CaptureControl``; valid only within the call that passes them.
public struct CapturedFrames {
    /// The first frame's number.
    public var frame: Int64
    public var frameCount: Int
    /// Numbers the starts of the device: a change means that the device was interrupted.
    public var run: Int
    public var bytes: UnsafeRawBufferPointer
    /// When the first frame was at the microphone, as known now. Nil if the device shows nothing of its clock.
    public var instant: DeviceInstant?
}

// The pointer never changes. Each side writes only its own part of the memory, and hands it over by atomics. `taken`
// belongs to the consumer, one thread at a time.
extension CaptureControl: @unchecked Sendable {}
