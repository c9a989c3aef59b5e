import AudioCore
import WireProtocol

/// When to report to the broadcaster: twice a second or as rarely as it asks, when state or epoch changes, and for
/// every larger amount of song that came, because the broadcaster sends more as it hears of it.
public struct ReportSchedule {
    /// Between two reports while nothing changes.
    public var interval = ListenLimits.reportInterval
    private var last: (sent: HostTime, report: ListenerReport)?
    /// When a report is due if nothing changes and nothing more comes; nil before the first one.
    public private(set) var nextDeadline: HostTime?
    /// When a report is due for which a broadcaster may hold song back: of what came so soon after the last one that it
    /// must wait a moment. Nil if there is none, or if so much is held that nobody waits.
    public private(set) var awaited: HostTime?

    public init() {}

    /// Returns whether to send this report, and takes it as sent.
    /// - Parameter rate: the song's frames per second.
    public mutating func isDue(_ report: ListenerReport, rate: Double, now: HostTime) -> Bool {
        awaited = nil
        if let last, last.report.state == report.state, last.report.epoch == report.epoch {
            let received = TimeSpan(seconds: Double(report.received - last.report.received) / rate)
            let due = last.sent + wait(afterReceiving: received, holding: report.buffered)
            guard now >= due else {
                nextDeadline = due
                if received >= ListenLimits.trickleThreshold, report.buffered < ListenLimits.ampleBuffer {
                    awaited = due
                }
                return false
            }
        }
        last = (now, report)
        nextDeadline = now + interval
        return true
    }

    /// Returns how long after the last report the next one is due.
    private func wait(afterReceiving received: TimeSpan, holding buffered: TimeSpan) -> TimeSpan {
        if received >= ListenLimits.receiptThreshold { return .zero }
        guard received >= ListenLimits.trickleThreshold else { return interval }
        guard interval > ListenLimits.reportInterval else { return ListenLimits.trickleInterval }
        return buffered < ListenLimits.ampleBuffer ? ListenLimits.rareTrickleInterval : interval
    }
}
