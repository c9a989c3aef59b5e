import AudioCore
import AudioFileWriting
import AudioQueueServices
import HostSystem
import Playout
import Synchronization

// The queue's thread only passes buffers on; the thread that runs the recording writes them. So a disk may stall for as
// long as the buffers, and the ring behind them, last.

/// Records what a device captures into a file.
///
/// Frame n of the file was in the air n frames after the first one, on the device's own clock: lost frames become
/// silence of the same length. The file is whole at any moment (see `AudioFileWriter`).
public final class DeviceRecording: Sendable {
    private let input: any InputDevice
    private let writer: Mutex<RecordingWriter?>
    private let mailbox = Mailbox()
    private let wake: WakeSignal

    /// Buffers of a tenth of a second each, which bound how long a disk may stall.
    private static let bufferCount = 60
    private static let buffersPerSecond = 10.0
    private static let tick = TimeSpan.seconds(1)

    /// Creates the file; the device does not run yet.
    /// - Parameters:
    ///   - input: an opened device, which the recording now owns.
    ///   - path: its extension chooses the kind of file.
    ///   - replaces: whether to replace an existing file.
    ///   - samples: the sample format; nil writes what the device gives.
    ///   - duration: the length; nil records until ``stop()``.
    public init(
        input: any InputDevice, path: String, replaces: Bool = false, samples: SampleFormat? = nil,
        duration: TimeSpan? = nil
    ) throws(DeviceRecordingError) {
        self.input = input
        do {
            wake = try WakeSignal()
        } catch {
            throw .outOfResources(code: error.code)
        }
        do throws(AudioFileWritingError) {
            writer = Mutex(
                try RecordingWriter(
                    path: path, source: input.description.format, samples: samples, replaces: replaces,
                    duration: duration))
        } catch {
            throw .file(error)
        }
    }

    /// Records until it is stopped or has recorded its duration; blocks the calling thread. Call once.
    /// - Parameter handler: called on the calling thread for every event.
    /// - Returns: what is in the file, which is whole.
    /// - Throws: why recording could not begin or go on; see ``DeviceRecordingError/recorded`` for what is in the file.
    public func run(
        _ handler: (DeviceRecordingEvent) -> Void
    ) throws(DeviceRecordingError) -> DeviceRecordingSummary {
        guard var writer = writer.withLock({ $0.take() }) else { return DeviceRecordingSummary() }
        let failure = record(&writer, handler)
        var summary = writer.summary
        do throws(AudioFileWritingError) {
            try writer.finish()
        } catch {
            summary = writer.summary
            throw .interrupted(.file(error), summary)
        }
        if let failure { throw summary.frameCount > 0 ? .interrupted(failure, summary) : failure.error }
        return summary
    }

    /// Stops: everything that was in the air until now is recorded. Any thread may call it, also before ``run(_:)``.
    public func stop() {
        mailbox.requestStop()
        wake.signal()
    }

    // MARK: The recording

    private func record(
        _ writer: inout RecordingWriter, _ handler: (DeviceRecordingEvent) -> Void
    ) -> DeviceRecordingError.Cause? {
        let (mailbox, wake) = (mailbox, wake)
        do {
            let queue = try InputQueue(input: input) { event in
                mailbox.post(.event(event))
                wake.signal()
            } handler: { buffer in
                mailbox.post(.buffer(HeldBuffer(buffer)))
                wake.signal()
                return nil
            }
            let frames = Int(queue.format.sampleRate / Self.buffersPerSecond)
            for _ in 0..<Self.bufferCount { queue.enqueue(queue.makeBuffer(frameCapacity: frames)) }
            try queue.start()
            return follow(queue, &writer, handler)
        } catch let error as InputDeviceError {
            return .device(error)
        } catch let TimelineQueueError.outOfResources(code) {
            return .outOfResources(code: code)
        } catch {
            return .outOfResources(code: 0)
        }
    }

    /// Writes what comes, until the queue has stopped.
    private func follow(
        _ queue: borrowing InputQueue, _ writer: inout RecordingWriter, _ handler: (DeviceRecordingEvent) -> Void
    ) -> DeviceRecordingError.Cause? {
        var failure: DeviceRecordingError.Cause?
        while true {
            if mailbox.takeStopRequest() { queue.stop(.drained) }
            guard let item = mailbox.next() else {
                wake.wait(atMost: Self.tick)
                continue
            }
            switch item {
            case .event(.runningChanged(true)): handler(.began(input.description))
            case .event(.runningChanged(false)): return failure
            case .event(.framesLost(let frame, let count, let cause)):
                handler(.lost(at: writer.position(of: frame), count: count, cause))
            case .event(.deviceLost(let error)): failure = failure ?? .device(error)
            case .event(.notice(let line)): handler(.notice(line))
            case .buffer(let held):
                guard let buffer = held.take() else { continue }
                guard failure == nil, !writer.isComplete else { continue }
                do throws(AudioFileWritingError) {
                    try writer.append(buffer)
                } catch {
                    failure = .file(error)
                }
                queue.enqueue(buffer)
                if failure != nil || writer.isComplete { queue.stop(.immediate) }
            }
        }
    }
}

/// What the queue's thread passes to the recording's.
private enum Item {
    case buffer(HeldBuffer)
    case event(InputQueueEvent)
}

/// Items in order, bounded by the number of buffers and by what happens between two of them.
private final class Mailbox: Sendable {
    private let state = Mutex<(items: [Item], stops: Bool)>(([], false))

    func post(_ item: Item) { state.withLock { $0.items.append(item) } }
    func next() -> Item? { state.withLock { $0.items.isEmpty ? nil : $0.items.removeFirst() } }
    func requestStop() { state.withLock { $0.stops = true } }

    /// Returns true once if a stop was requested.
    func takeStopRequest() -> Bool {
        state.withLock { state in
            defer { state.stops = false }
            return state.stops
        }
    }
}

/// Boxes a buffer where a copyable value is needed.
private final class HeldBuffer: Sendable {
    private let buffer: Mutex<InputBuffer?>

    init(_ buffer: consuming InputBuffer) { self.buffer = Mutex(buffer) }

    func take() -> InputBuffer? { buffer.withLock { $0.take() } }
}
