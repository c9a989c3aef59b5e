import ALSAInput
import AudioCore
import AudioFileWriting
import AudioQueue
import Capture
import DeviceRecording
import Synchronization

/// Records what a sound device captures into a file: `tutti record` without its terminal.
public final class DeviceRecorder: Sendable {
    private let options: DeviceRecordOptions
    private let state = Mutex<(recording: DeviceRecording?, isStopped: Bool)>((nil, false))

    public init(options: DeviceRecordOptions) {
        self.options = options
    }

    /// Runs until as much was recorded as was asked for, or ``stop()``; blocks the calling thread. What was recorded is told
    /// at the end, whatever that was.
    /// - Parameter handler: called for every event, one call at a time.
    /// - Throws: why it could not begin, or not go on. What was recorded by then is in the file.
    public func run(_ handler: @escaping @Sendable (RuntimeEvent) -> Void) throws(RuntimeFailure) -> RuntimeOutcome {
        let recording = try open()
        let isStopped = state.withLock { state in
            state.recording = recording
            return state.isStopped
        }
        if isStopped { recording.stop() }
        do throws(DeviceRecordingError) {
            let summary = try recording.run { handler($0.notice) }
            summary.notices.forEach { handler(.notice($0, $1)) }
            // Whoever stops a recording has it.
            return summary.frameCount > 0 ? .completed : .interrupted
        } catch {
            error.recorded?.notices.forEach { handler(.notice($0, $1)) }
            throw RuntimeFailure(error)
        }
    }

    /// Ends it: all that was in the air until now is recorded. From any thread, also before `run`.
    public func stop() {
        state.withLock { state in
            state.isStopped = true
            return state.recording
        }?.stop()
    }

    private func open() throws(RuntimeFailure) -> DeviceRecording {
        let input: ALSAInput
        do throws(InputDeviceError) {
            input = try ALSAInput(
                deviceName: options.deviceName, rate: options.rate, channelCount: options.channelCount)
        } catch {
            throw RuntimeFailure(.unavailable, "\(error)")
        }
        do throws(DeviceRecordingError) {
            return try DeviceRecording(
                input: input, path: options.path, replaces: options.replaces, samples: samples,
                duration: options.duration)
        } catch {
            throw RuntimeFailure(error)
        }
    }

    private var samples: SampleFormat? {
        switch options.samples {
        case .asTheyAre: nil
        case .integer(let bits): .integer(bits: bits)
        case .float: .float32
        }
    }
}

extension RuntimeFailure {
    fileprivate init(_ error: DeviceRecordingError) {
        switch error {
        case .device(let error): self.init(.unavailable, "\(error)")
        case .file(let error): self.init(error)
        case .outOfResources(let code): self = .outOfResources(code: code)
        case .interrupted(.device(let error), _): self.init(.lost, "\(error)")
        case .interrupted(.file(let error), _): self.init(error)
        case .interrupted(.outOfResources(let code), _): self = .outOfResources(code: code)
        }
    }
}

extension DeviceRecordingEvent {
    fileprivate var notice: RuntimeEvent {
        switch self {
        case .began(let device):
            .notice(.info, "recording '\(device.name)', \(device.format.recordingReading); Ctrl-C ends")
        case .lost(let frame, let count, .overrun):
            .notice(.warning, "the device broke off: \(count) frames from frame \(frame) on are silence")
        case .lost(let frame, let count, .noBuffer):
            .notice(.warning, "the disk is too slow: \(count) frames from frame \(frame) on are silence")
        case .notice(let line): .notice(.detail, line)
        }
    }
}

extension DeviceRecordingSummary {
    /// What a person wants to know of it.
    fileprivate var notices: [(NoticeLevel, String)] {
        guard frameCount > 0 else { return [(.info, "nothing was recorded")] }
        let seconds = (Double(frameCount) / sampleRate * 10).rounded() / 10
        var notices: [(NoticeLevel, String)] = [(.info, "recorded \(seconds) s (\(frameCount) frames) into '\(path)'")]
        if silentFrameCount > 0 {
            notices.append((.warning, "\(silentFrameCount) frames could not be had: silence"))
        }
        return notices
    }
}

extension AudioStreamFormat {
    /// `48000 Hz, 2 channels, 24-bit`
    fileprivate var recordingReading: String {
        let channels = channelsPerFrame == 1 ? "1 channel" : "\(channelsPerFrame) channels"
        let samples = pcm.contains(.float) ? "32-bit float" : "\(bitsPerChannel)-bit"
        return "\(Int(sampleRate.rounded())) Hz, \(channels), \(samples)"
    }
}
