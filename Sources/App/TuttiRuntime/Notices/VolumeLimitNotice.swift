import AudioCore

/// A notice about the highest volume of a listener's loudspeakers.
public enum VolumeLimitNotice: Hashable, Sendable {
    /// Quiet hours have begun, or other ones; `until` is nil if they never end.
    case quietHours(until: MinuteOfDay?, highest: Volume)
    /// They are over: this is the highest volume now.
    case quietHoursOver(highest: Volume)

    public var level: NoticeLevel { .info }

    /// Nil for a change that nobody need be told.
    /// - Parameter former: what held before; nil at first.
    init?(_ ceiling: VolumeCeiling, after former: VolumeCeiling?) {
        switch ceiling.hours {
        case .quiet(let until) where ceiling != former: self = .quietHours(until: until, highest: ceiling.volume)
        case .ordinary where former?.isQuiet == true: self = .quietHoursOver(highest: ceiling.volume)
        case .quiet, .ordinary: return nil
        }
    }
}
