import AudioCore
import WireProtocol

/// When a broadcaster is told how it goes: twice a second, when the state changes, and while it sends a good deal at
/// once, of which it sends more as it hears that it came.
struct ReportSchedule {
    private var last: (sent: HostTime, state: ListenerState, received: FramePosition)?

    /// Whether this report is to be sent; it is then taken as sent.
    /// - Parameter rate: the song's frames a second.
    mutating func isDue(_ report: ListenerReport, rate: Double, now: HostTime) -> Bool {
        if let last, last.state == report.state, now - last.sent < ListenLimits.reportInterval,
            TimeSpan(seconds: Double(report.received - last.received) / rate) < ListenLimits.receiptOfNote
        {
            return false
        }
        last = (now, report.state, report.received)
        return true
    }
}
