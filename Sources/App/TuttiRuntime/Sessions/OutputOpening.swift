import ALSADevices
import AudioCore
import AudioDecoding
import AudioQueueServices
import HostSystem
import LibavcodecDecoding
import MPEGDecoding
import Playout
import RealtimeKitClient
import VirtualDevices

extension OutputSelection {
    /// Opens the device; it does not run yet.
    /// - Parameters:
    ///   - sampleRate: in hertz, in `Limits.sampleRateRange`; a sound card that lacks it takes the nearest one.
    ///   - wakeInterval: how often a sound card wakes its thread; nil for what listeners in step need.
    ///   - waits: whether to begin without a sound card that is not to be had, and to wait for it.
    ///   - rateHint: the remembered rate of a sound card.
    func open(
        sampleRate: Double = 48_000, wakeInterval: TimeSpan? = nil, waits: Bool = false,
        rateHint: (OutputDeviceDescription) -> PartsPerMillion? = { _ in nil }
    ) throws(RuntimeFailure) -> any OutputDevice {
        do throws(OutputDeviceError) {
            switch self {
            case .device(let name): return try openDevice(name, sampleRate, wakeInterval, waits, rateHint)
            case .null: return try VirtualOutput.null(rate: sampleRate)
            case .file(let path): return try VirtualOutput.file(path: path, rate: sampleRate)
            }
        } catch {
            let kind: RuntimeFailure.Kind = if case .cannotWrite = error { .cannotCreate } else { .unavailable }
            throw RuntimeFailure(kind, .output(error))
        }
    }

    /// Opens a sound card that may be unplugged and come back.
    private func openDevice(
        _ name: String, _ sampleRate: Double, _ wakeInterval: TimeSpan?, _ waits: Bool,
        _ rateHint: (OutputDeviceDescription) -> PartsPerMillion?
    ) throws(OutputDeviceError) -> ReconnectingOutput {
        let standIn: ReconnectingOutput.Opener = { () throws(OutputDeviceError) in try VirtualOutput.null() }
        func opener(_ hint: PartsPerMillion?) -> ReconnectingOutput.Opener {
            { () throws(OutputDeviceError) in
                try ALSAOutput(
                    deviceName: name, sampleRate: sampleRate, wakeInterval: wakeInterval,
                    realTimeSystem: .withRealtimeKit, rateHint: { _ in hint })
            }
        }
        var hint: PartsPerMillion?
        let device: ALSAOutput
        do throws(OutputDeviceError) {
            device = try ALSAOutput(
                deviceName: name, sampleRate: sampleRate, wakeInterval: wakeInterval, realTimeSystem: .withRealtimeKit
            ) {
                hint = rateHint($0)
                return hint
            }
        } catch {
            guard waits else { throw error }
            return try ReconnectingOutput(awaiting: error, standIn: standIn, open: opener(nil))
        }
        return try ReconnectingOutput(device, standIn: standIn, reopen: opener(hint))
    }

    /// Returns a closure that opens the device and puts a queue on it.
    /// - Parameter waits: see ``open(sampleRate:wakeInterval:waits:rateHint:)``.
    func queueMaker(
        _ rateStore: ClockRateStore, waits: Bool = false, decoders: DecoderCatalog = .complete
    ) -> ListenDriver.QueueMaker {
        { (events) throws(RuntimeFailure) in
            let device = try self.open(waits: waits, rateHint: rateStore.rateHint)
            do throws(TimelineQueueError) {
                return try TimelineQueue(output: device, decoders: decoders, events: events)
            } catch {
                throw RuntimeFailure(.unavailable, .queue(error))
            }
        }
    }
}

extension DecoderCatalog {
    /// Every decoder that this program is linked with, and those of libavcodec if that is installed and there are
    /// workers.
    static var complete: DecoderCatalog {
        var catalog = DecoderCatalog.builtIn
        catalog.registerMPEG()
        if DecodeWorkers.areThere { catalog.registerLibraryDecoders() }
        return catalog
    }
}
