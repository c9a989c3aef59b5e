import AudioCore
import TuttiRuntime

extension StartTimeline {
    /// For people, one line.
    var sentence: String {
        "start: " + marks.map { "\($0.stage.words) \(Int($0.span.milliseconds.rounded())) ms" }.joined(separator: ", ")
    }
}

extension StartTimeline.Stage {
    fileprivate var words: String {
        switch self {
        case .device: "device open"
        case .ports: "ports open"
        case .discovery: "mDNS answers"
        case .found: "found"
        case .connected: "connected"
        case .authenticated: "authenticated"
        case .joined: "joined"
        case .song: "song begins"
        case .clock: "clock known"
        case .ready: "ready"
        case .decided: "start decided"
        case .sound: "first sound"
        }
    }
}
