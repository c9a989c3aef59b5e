import AudioCore
import HostSystem
import Listening

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

    /// Tells the user.
    func listenerDidTell(_ notice: ListenNotice)
    /// Reports the end, after the last sound was heard; nothing is asked for after this.
    func listenerDidFinish(_ outcome: ListenOutcome)
}
