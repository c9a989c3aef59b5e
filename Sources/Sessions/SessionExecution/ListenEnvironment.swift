import AudioCore
import HostSystem
import Listening
import WireProtocol

/// What a ``ListenExecutor`` needs besides transport and outlet: a clock, a timer and somebody to notify, real or
/// simulated.
///
/// Every method is called where the executor is called.
public protocol ListenEnvironment: AnyObject {
    /// This machine's clock.
    var now: HostTime { get }
    /// The reading that shows whether this machine slept.
    var sleepReading: SleepReading { get }

    /// Requests one call of ``ListenExecutor/timerDidFire()`` after `span`, which replaces any earlier request.
    func startTimer(_ span: TimeSpan)

    /// Changes how the loudspeakers play, as somebody asked for.
    func set(_ operation: ListenerOperation)
    /// Scales the loudspeakers' volume by the group's.
    func setGroupVolume(_ volume: VolumeSetting)
    /// Passes on the broadcaster's answer to those at this machine who asked.
    func listenerDidHear(_ answer: ControlMessage)
    /// Tells the user.
    func listenerDidTell(_ notice: ListenNotice)
    /// Reports the end, after the last sound was heard; nothing is asked for after this.
    func listenerDidFinish(_ outcome: ListenOutcome)
}
