import AudioCore
import TerminalIO
import WireProtocol

extension CommandOperation {
    /// As its command is written: `pause`, `seek 1:30`. The name in it may be anybody's.
    public var reading: String {
        switch self {
        case .programme(let operation): operation.reading
        case .listeners(.volume(let change), let target): "volume\(target.reading) \(change.reading)"
        case .listeners(.offset(let offset), let target):
            "offset\(target.reading) \(offset.microseconds.fixed(0))"
        case .listeners(.role(let role), let target): "role\(target.reading) \(role)"
        case .unknown: "unknown"
        }
    }
}

extension ProgrammeOperation {
    fileprivate var reading: String {
        switch self {
        case .play, .pause, .resume, .toggle, .stop, .next, .previous: "\(self)"
        case .seek(let time): "seek \(time.clockReading)"
        case .skip(let span): "seek \(span < .zero ? "-" : "+")\(span.magnitude.clockReading)"
        case .jump: "queue play"
        case .add(let sources): "queue add (\(sources.count))"
        case .insert(let sources, _): "queue insert (\(sources.count))"
        case .remove: "queue remove"
        case .move: "queue move"
        case .clear: "queue clear"
        case .setRepeat(let mode): "queue repeat \(mode)"
        case .setShuffle(let isOn): "queue shuffle \(isOn ? "on" : "off")"
        }
    }
}

extension ListenerTarget {
    fileprivate var reading: String { if case .named(let name) = self { " \(name)" } else { "" } }
}

extension VolumeChange {
    fileprivate var reading: String {
        switch self {
        case .level(let level): "\(level)"
        case .step(let step): step < 0 ? "\(step)" : "+\(step)"
        case .mute: "mute"
        case .unmute: "unmute"
        case .toggleMute: "mute or unmute"
        }
    }
}
