import AudioCore
import HostSystem
import Listening

/// What a ``ListenExecutor`` needs besides transport and outlet: a clock, a timer, and somebody to tell. Of a real
/// machine or of a simulated one.
///
/// Every method is called where the executor is called.
public protocol ListenEnvironment: AnyObject {
    /// This machine's clock.
    var now: HostTime { get }
    /// By which it knows that it slept.
    var sleepReading: SleepReading { get }

    /// Asks for one call of ``ListenExecutor/timerDidFire()`` after so long; what was asked for before is void.
    func startTimer(_ span: TimeSpan)

    /// For people.
    func listenerDidTell(_ notice: ListenNotice)
    /// It is over, and its last sound was heard. Nothing is asked for after this.
    func listenerDidFinish(_ outcome: ListenOutcome)
}
