import ALSAOutput
import AudioDecoding
import AudioQueue
import MPEGDecoding
import Playout
import VirtualOutput

extension OutputSelection {
    /// Opens the device; it does not run yet.
    func open() throws(RuntimeFailure) -> any OutputDevice {
        do throws(OutputDeviceError) {
            switch self {
            case .device(let name): return try ALSAOutput(deviceName: name)
            case .null: return try VirtualOutput.null()
            case .file(let path): return try VirtualOutput.file(path: path)
            }
        } catch {
            let kind: RuntimeFailure.Kind = if case .cannotWrite = error { .cannotCreate } else { .unavailable }
            throw RuntimeFailure(kind, "\(error)")
        }
    }

    /// Opens the device and puts a queue on it, with every decoder that this program has.
    func makeQueue(
        _ events: @escaping @Sendable (AudioQueueEvent) -> Void
    ) throws(RuntimeFailure) -> AudioQueue {
        let device = try open()
        do throws(AudioQueueError) {
            return try AudioQueue(output: device, decoders: .complete, events: events)
        } catch {
            throw RuntimeFailure(.unavailable, "\(error)")
        }
    }
}

extension DecoderCatalog {
    /// Every decoder that this program is linked with.
    static var complete: DecoderCatalog {
        var catalog = DecoderCatalog.builtIn
        catalog.registerMPEG()
        return catalog
    }
}
