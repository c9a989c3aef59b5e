import ALSAOutput
import AudioCore
import AudioDecoding
import AudioQueue
import MPEGDecoding
import Playout
import VirtualOutput
import WorkerDecoding

extension OutputSelection {
    /// Opens the device; it does not run yet.
    /// - Parameter rateHint: what is remembered of a sound card's rate.
    func open(
        rateHint: (OutputDeviceDescription) -> PartsPerMillion? = { _ in nil }
    ) throws(RuntimeFailure) -> any OutputDevice {
        do throws(OutputDeviceError) {
            switch self {
            case .device(let name): return try ALSAOutput(deviceName: name, rateHint: rateHint)
            case .null: return try VirtualOutput.null()
            case .file(let path): return try VirtualOutput.file(path: path)
            }
        } catch {
            let kind: RuntimeFailure.Kind = if case .cannotWrite = error { .cannotCreate } else { .unavailable }
            throw RuntimeFailure(kind, "\(error)")
        }
    }

    /// What opens the device and puts a queue on it, with every decoder that this program has.
    func queueMaker(_ recollection: Recollection) -> ListenDriver.QueueMaker {
        { (events) throws(RuntimeFailure) in
            let device = try self.open(rateHint: recollection.rateHint)
            do throws(AudioQueueError) {
                return try AudioQueue(output: device, decoders: .complete, events: events)
            } catch {
                throw RuntimeFailure(.unavailable, "\(error)")
            }
        }
    }
}

extension DecoderCatalog {
    /// Every decoder that this program is linked with, and those of libavcodec if that is installed.
    static var complete: DecoderCatalog {
        var catalog = DecoderCatalog.builtIn
        catalog.registerMPEG()
        catalog.registerForeign()
        return catalog
    }
}
