import AudioCore
import ProgrammeJSON
import TerminalIO
import TuttiRuntime

// What people are told of a programme.

extension ProgrammeState {
    /// For people; what listeners do is not among it.
    var lines: [String] {
        var lines = ["\(status.reading(at: sent))"]
        if let next = status.next { lines.append("next: \(next.headline)") }
        var queue = "queue: \(itemCount) song\(itemCount == 1 ? "" : "s")"
        switch modes.repeats {
        case .off: break
        case .one: queue += ", this one again and again"
        case .all: queue += ", again and again"
        }
        if modes.isShuffled { queue += ", in random order" }
        lines.append(queue)
        if volume != VolumeSetting() { lines.append("volume of the group: \(volume.reading)") }
        return lines
    }
}

extension TransportStatus {
    /// `playing: Title - Artist, 1:23 of 4:56`; `waiting: Title - Artist` while its first listener or its source is not
    /// there.
    func reading(at instant: SessionTime) -> String {
        let word =
            switch transport {
            case .idle: "idle"
            case .playing: position == nil && current != nil ? "waiting" : "playing"
            case .paused: "paused"
            case .stopped: "stopped"
            }
        guard let current else { return word }
        var text = "\(word): \(current.headline)"
        if current.isLive {
            text += ", live"
        } else if let position {
            text += ", \(position.time(at: instant).clockReading)"
            if let duration = current.duration { text += " of \(duration.clockReading)" }
        }
        return text
    }
}

extension ProgrammeChange {
    /// For people; none for what they need not see.
    /// - Parameter former: the state before this change.
    func lines(after former: ProgrammeState?) -> [String] {
        switch kind {
        case .status(let status): lines(of: status, after: former?.status)
        case .item(let item): lines(of: item, after: former?.status)
        case .listenerGone(let instance):
            ["\(former?.listeners.first { $0.instance == instance }?.name ?? "a listener") left"]
        default: line.map { [$0] } ?? []
        }
    }

    private func lines(of item: QueueItem, after former: TransportStatus?) -> [String] {
        if item.hasFailed { return ["\(item.title): cannot be played"] }
        guard let next = former?.next, next.id == item.id, next.headline != item.headline else { return [] }
        return ["next: \(item.headline)"]
    }

    /// Returns the status, and what plays next, as far as they changed.
    private func lines(of status: TransportStatus, after former: TransportStatus?) -> [String] {
        var others = status
        others.next = former?.next
        let isShown = others != former
        let next: String? =
            if status.next == former?.next {
                nil
            } else if let item = status.next {
                "next: \(item.headline)"
            } else {
                // A song that begins as the last one needs no remark.
                isShown ? nil : "next: nothing"
            }
        return (isShown ? [status.reading(at: effect)] : []) + (next.map { [$0] } ?? [])
    }

    private var line: String? {
        switch kind {
        case .status, .item, .listenerGone: nil
        case .modes(let modes): "repeat \(modes.repeats), shuffle \(modes.isShuffled ? "on" : "off")"
        case .queue(_, let count): "queue: \(count) song\(count == 1 ? "" : "s")"
        case .volume(let volume): "volume of the group: \(volume.reading)"
        case .listener(let listener):
            "\(listener.name): \(listener.state.rawValue)"
                + (listener.settings.map { ", volume \($0.volume.reading)" } ?? "")
        case .command(let entry): "\(entry.who): \(entry.operation.reading)"
        case .unknown: nil
        }
    }
}

extension VolumeSetting {
    /// `40`, or `40 muted`
    var reading: String { isMuted ? "\(level) muted" : "\(level)" }
}
