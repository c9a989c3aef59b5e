import AudioCore
import TuttiRuntime

extension VolumeLimitNotice {
    /// For people, one line.
    var sentence: String {
        switch self {
        case .quietHours(let until, .silent): "\(Self.quietHours(until: until)): silent"
        case .quietHours(let until, let highest): "\(Self.quietHours(until: until)): at most \(highest.percent) %"
        case .quietHoursOver(.full): "quiet hours are over"
        case .quietHoursOver(let highest): "quiet hours are over: at most \(highest.percent) %"
        }
    }

    /// `quiet hours until 07:00`
    static func quietHours(until end: MinuteOfDay?) -> String { "quiet hours" + (end.map { " until \($0)" } ?? "") }
}
