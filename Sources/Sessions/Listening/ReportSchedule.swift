import AudioCore
import WireProtocol

/// When to report to the broadcaster: twice a second, when state or epoch changes, and for every larger amount of song
/// that came, because the broadcaster sends more as it hears of it.
struct ReportSchedule {
    private var last: (sent: HostTime, report: ListenerReport)?

    /// Returns whether to send this report, and takes it as sent.
    /// - Parameter rate: the song's frames per second.
    mutating func isDue(_ report: ListenerReport, rate: Double, now: HostTime) -> Bool {
        if let last, last.report.state == report.state, last.report.epoch == report.epoch {
            let elapsed = now - last.sent
            let received = TimeSpan(seconds: Double(report.received - last.report.received) / rate)
            let isTrickle = received >= ListenLimits.trickleThreshold && elapsed >= ListenLimits.trickleInterval
            guard isTrickle || elapsed >= ListenLimits.reportInterval || received >= ListenLimits.receiptThreshold
            else { return false }
        }
        last = (now, report)
        return true
    }
}
