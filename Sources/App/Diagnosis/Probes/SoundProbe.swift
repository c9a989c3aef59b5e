import ALSADevices
import AudioCore
import HostSystem
import Playout
import RealtimeKitClient
import Synchronization

/// Opens the sound device as a listener does, and lets it play silence.
enum SoundProbe {
    /// Blocks for `span` and a moment.
    /// - Parameter span: zero opens the device only.
    static func look(at device: String, for span: TimeSpan) -> SoundFacts.Outcome {
        do throws(OutputDeviceError) {
            let output = try ALSAOutput(deviceName: device, realTimeSystem: .withRealtimeKit)
            guard span > .zero else {
                defer { output.stop() }
                return .opened(output.description, hasDriverStamps: output.hasDriverStamps)
            }
            return .ran(try run(output, for: span))
        } catch {
            return .notOpened(error)
        }
    }

    private static func run(_ output: ALSAOutput, for span: TimeSpan) throws(OutputDeviceError) -> SoundFacts.Run {
        let control = PlayoutControl()
        let loss = Loss()
        defer { output.stop() }
        try output.start(driving: control) { event in
            if case .lost(let error) = event { loss.error.withLock { $0 = error } }
        }
        let end = HostTime.now() + span
        var xrunCount = 0
        while HostTime.now() < end, loss.error.withLock({ $0 == nil }) {
            sleepThread(for: .milliseconds(50))
            control.takeEvents { if case .xrun = $0 { xrunCount += 1 } }
        }
        let snapshot = control.snapshot
        var run = SoundFacts.Run(
            device: output.description, hasDriverStamps: output.hasDriverStamps, span: span)
        run.xrunCount = max(snapshot.xrunCount, xrunCount)
        run.bound = snapshot.modelBound
        run.rate = snapshot.modelBound == nil ? nil : snapshot.dacRate
        run.impossibleRate = snapshot.impossibleRate
        run.loss = loss.error.withLock { $0 }
        return run
    }

    private final class Loss: Sendable {
        let error = Mutex<OutputDeviceError?>(nil)
    }
}
