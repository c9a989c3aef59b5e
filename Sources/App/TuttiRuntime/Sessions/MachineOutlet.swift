import AudioCore
import AudioQueueServices
import NIOCore
import Playout
import SessionExecution
import WireProtocol

/// An outlet of this machine: a sound device or a file.
protocol MachineOutlet: ListenOutlet {
    /// The sound device; nil for a file.
    var device: OutputDeviceDescription? { get }
    /// Applies volume, mute and channel role, scaled by the group's volume; of no effect on a file.
    func apply(_ settings: LoudspeakerSettings, group: VolumeSetting)
    /// Ends sound at once, or a recording after what came. No event follows.
    func close()
}

/// An event of an outlet, from a thread of its own.
enum ListenOutletEvent: Sendable {
    case queue(TimelineQueueEvent)
    /// The last frame of the epoch was recorded.
    case recordedEnd(Epoch)
    /// Everything that was asked for was recorded.
    case isComplete
    case failed(RuntimeFailure)
}

/// Brings the outlet's events to the event loop. Needed because the outlet is made before the driver.
final class OutletEventRelay {
    private let loop: any EventLoop
    /// Set and read on the event loop only.
    weak var driver: ListenDriver?

    init(loop: any EventLoop) { self.loop = loop }

    func pass(_ event: ListenOutletEvent) {
        loop.execute { self.driver?.note(event) }
    }
}

// `loop` never changes; `driver` is used on the event loop only.
extension OutletEventRelay: @unchecked Sendable {}
