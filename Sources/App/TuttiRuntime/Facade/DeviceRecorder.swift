import ALSADevices
import AudioCore
import AudioFileWriting
import AudioQueueServices
import HostSystem
import Playout
import RealtimeKitClient
import Recording
import Synchronization

/// Records what a sound device captures into a file: `tutti record` without its terminal.
public final class DeviceRecorder: Sendable {
    private let options: DeviceRecordOptions
    private let state = Mutex<(recording: DeviceRecording?, isStopped: Bool)>((nil, false))

    public init(options: DeviceRecordOptions) {
        self.options = options
    }

    /// Runs until the requested length was recorded, or ``stop()``; blocks the calling thread. Always reports at the
    /// end what was recorded.
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
            let summary = try recording.run { handler(.notice($0.notice)) }
            summary.notices.forEach { handler(.notice(.recording($0))) }
            // A recording that the user stops is complete.
            return summary.frameCount > 0 ? .completed : .interrupted
        } catch {
            error.recorded?.notices.forEach { handler(.notice(.recording($0))) }
            throw RuntimeFailure(error)
        }
    }

    /// Stops: everything that was in the air until now is recorded. Any thread may call it, also before `run`.
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
                deviceName: options.deviceName, rate: options.rate, channelCount: options.channelCount,
                realTimeSystem: .withRealtimeKit)
        } catch {
            throw RuntimeFailure(.unavailable, .input(error))
        }
        do throws(DeviceRecordingError) {
            return try DeviceRecording(
                input: input, path: options.path, replaces: options.replaces, samples: options.samples.format,
                duration: options.duration)
        } catch {
            throw RuntimeFailure(error)
        }
    }
}

extension RuntimeFailure {
    fileprivate init(_ error: DeviceRecordingError) {
        switch error {
        case .device(let error): self.init(.unavailable, .input(error))
        case .file(let error): self.init(error)
        case .outOfResources(let code): self = .outOfResources(code: code)
        case .interrupted(.device(let error), _): self.init(.lost, .input(error))
        case .interrupted(.file(let error), _): self.init(error)
        case .interrupted(.outOfResources(let code), _): self = .outOfResources(code: code)
        }
    }
}

extension DeviceRecordingEvent {
    fileprivate var notice: RuntimeNotice {
        switch self {
        case .began(let device): .recording(.began(device: device.name, device.format))
        case .lost(let frame, let count, let cause): .recording(.framesLost(at: frame, count: count, cause))
        case .notice(let text): .device(.remark(text))
        }
    }
}

extension DeviceRecordingSummary {
    /// The notices for the user.
    fileprivate var notices: [RecordingNotice] {
        guard frameCount > 0 else { return [.nothingRecorded] }
        let span = TimeSpan(seconds: Double(frameCount) / sampleRate)
        var notices: [RecordingNotice] = [
            .recorded(span, frameCount: frameCount, paths: [path], firstFrame: .zero)
        ]
        if silentFrameCount > 0 { notices.append(.framesMissing(count: silentFrameCount)) }
        return notices
    }
}
