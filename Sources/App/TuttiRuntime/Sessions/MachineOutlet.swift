import AudioCore
import AudioQueueServices
import NIOCore
import Playout
import SessionExecution

/// An outlet of this machine: a sound device or a file.
protocol MachineOutlet: ListenOutlet {
    /// The sound device, where there is one.
    var device: OutputDeviceDescription? { get }
    func setVolume(_ gain: Float)
    /// Ends: sound at once, a recording when it has what came. No event comes afterwards.
    func close()
}

/// What an outlet tells its driver, from a thread of its own.
enum ListenOutletEvent: Sendable {
    case queue(TimelineQueueEvent)
    /// The last frame of the epoch was recorded.
    case recordedEnd(Epoch)
    /// All that was asked for was recorded.
    case isComplete
    case failed(RuntimeFailure)
}

/// Brings the outlet's events to the event loop; the driver is not yet made when the outlet is.
final class OutletEventRelay {
    private let loop: any EventLoop
    /// Set and read on the event loop only.
    weak var driver: ListenDriver?

    init(loop: any EventLoop) { self.loop = loop }

    func pass(_ event: ListenOutletEvent) {
        loop.execute { self.driver?.note(event) }
    }
}

// `loop` never changes, `driver` is touched on the event loop only.
extension OutletEventRelay: @unchecked Sendable {}
