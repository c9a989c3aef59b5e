import AudioCore
import WireProtocol

/// When to report to the broadcaster: twice a second, when the state changes, and for every larger amount of song that
/// came, because the broadcaster sends more as it hears of it.
struct ReportSchedule {
    private var last: (sent: HostTime, state: ListenerState, received: FramePosition)?

    /// Returns whether to send this report, and takes it as sent.
    /// - Parameter rate: the song's frames per second.
    mutating func isDue(_ report: ListenerReport, rate: Double, now: HostTime) -> Bool {
        if let last, last.state == report.state, now - last.sent < ListenLimits.reportInterval,
            TimeSpan(seconds: Double(report.received - last.received) / rate) < ListenLimits.receiptThreshold
        {
            return false
        }
        last = (now, report.state, report.received)
        return true
    }
}
