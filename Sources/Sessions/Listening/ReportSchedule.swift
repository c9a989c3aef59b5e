import AudioCore
import WireProtocol

/// When to report to the broadcaster: twice a second, when state or epoch changes, and for every larger amount of song
/// that came, because the broadcaster sends more as it hears of it.
public struct ReportSchedule {
    private var last: (sent: HostTime, report: ListenerReport)?
    /// When a report is due if nothing changes and nothing more comes; nil before the first one.
    public private(set) var nextDeadline: HostTime?

    public init() {}

    /// Returns whether to send this report, and takes it as sent.
    /// - Parameter rate: the song's frames per second.
    public mutating func isDue(_ report: ListenerReport, rate: Double, now: HostTime) -> Bool {
        if let last, last.report.state == report.state, last.report.epoch == report.epoch {
            let received = TimeSpan(seconds: Double(report.received - last.report.received) / rate)
            let interval = Self.interval(afterReceiving: received)
            guard now - last.sent >= interval else {
                nextDeadline = last.sent + interval
                return false
            }
        }
        last = (now, report)
        nextDeadline = now + ListenLimits.reportInterval
        return true
    }

    private static func interval(afterReceiving received: TimeSpan) -> TimeSpan {
        if received >= ListenLimits.receiptThreshold { return .zero }
        return received >= ListenLimits.trickleThreshold ? ListenLimits.trickleInterval : ListenLimits.reportInterval
    }
}
