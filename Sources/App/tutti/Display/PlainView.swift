import AudioCore
import TerminalIO
import TuttiRuntime
import WireProtocol

/// Events as lines of plain text, for pipes and logs: changes at once, and a status line every few seconds. Pure.
struct PlainView: Sendable {
    struct Line: Hashable, Sendable {
        var stream: StandardStream
        var text: String

        /// Takes text from any source; removes what could steer a terminal.
        init(_ text: String, to stream: StandardStream = .output) {
            self.text = text.terminalSafe
            self.stream = stream
        }
    }

    static let statusInterval = TimeSpan.seconds(5)

    let level: DisplayFlags.Level
    /// Whether a status is shown every ``statusInterval``.
    var repeatsStatus = true
    private let glyphs = Glyphs.ascii
    private var song: String?
    private var next: String?
    private var state: String?
    private var listeners: [ListenerKey: ListenerLine] = [:]
    private var loudspeakers: String?
    private var nextStatus: HostTime?

    /// Distinguishes listeners of one name by their order.
    private struct ListenerKey: Hashable {
        var name: String
        var ordinal = 0
    }

    /// What was last shown of a listener.
    private struct ListenerLine: Hashable {
        var state: ListenerStatus.State
        var counters: ListenerCounters
    }

    init(level: DisplayFlags.Level) { self.level = level }

    /// Returns the lines to write for an event.
    mutating func lines(for event: DisplayEvent, now: HostTime) -> [Line] {
        switch event {
        case .warning(let text): sentence(text, .warning)
        case .page(let notice): sentence(notice.sentence, notice.level)
        case .service(let notice): sentence(notice.sentence, notice.level)
        case .lines(let lines): lines.map { Line($0) }
        case .runtime(.notice(let notice)): sentence(notice.sentence, notice.level)
        case .runtime where level == .quiet: []
        case .runtime(.broadcast(let status)): broadcast(status, now)
        case .runtime(.listening(let status, let song, let broadcaster)): listening(status, song, broadcaster, now)
        case .runtime(.playing(let status)): playing(status, now)
        }
    }

    private func sentence(_ text: String, _ noticeLevel: NoticeLevel) -> [Line] {
        switch noticeLevel {
        case .warning: [Line("tutti: warning: \(text)", to: .error)]
        case .info: level == .quiet ? [] : [Line(text)]
        case .detail: level == .verbose ? [Line(text)] : []
        }
    }

    // MARK: Broadcaster

    private mutating func broadcast(_ status: BroadcastStatus, _ now: HostTime) -> [Line] {
        var lines = songChange(status.song) + nextChange(status.next) + stateChange(status.state.reading)
        var present: Set<ListenerKey> = []
        for listener in status.listeners {
            var key = ListenerKey(name: listener.name)
            while !present.insert(key).inserted { key.ordinal += 1 }
            lines += change(of: listener, key)
        }
        // Notices report who joins and leaves.
        listeners = listeners.filter { present.contains($0.key) }
        guard status.listeners.contains(where: { $0.state == .playing }), isStatusDue(now) else { return lines }
        lines.append(Line(summary(status)))
        if level == .verbose { lines += status.listeners.map { Line("  \($0.name): \(reading($0) + details($0))") } }
        return lines
    }

    private func summary(_ status: BroadcastStatus) -> String {
        let playing = status.listeners.filter { $0.state == .playing }
        var parts = ["\(status.song?.timeReading ?? "-")  \(playing.count) of \(status.listeners.count) playing"]
        // A recorder does not buffer.
        if let least = playing.filter({ $0.timing != nil }).map(\.buffered).min() {
            parts.append("buffer at least \(least.bufferReading)")
        }
        if let worst = status.worstPair {
            parts.append("worst pair \(worst.first) and \(worst.second) within \(worst.distance.reading(glyphs))")
        } else if playing.count == 1, let timing = playing[0].timing {
            parts.append("error \(timing.errorReading(glyphs))")
        }
        if status.refusedCount > 0 { parts.append("\(status.refusedCount) connections refused") }
        return parts.joined(separator: ", ")
    }

    // MARK: Listener

    private mutating func listening(
        _ status: ListenerStatus, _ song: SongStatus?, _ broadcaster: String?, _ now: HostTime
    ) -> [Line] {
        let settingsLines = loudspeakerChange(status)
        guard let broadcaster else {
            (self.song, next) = (nil, nil)
            listeners = [:]
            // Only once, at the beginning: a notice reports how each broadcast ended.
            return settingsLines + (state == nil ? stateChange("waiting for a broadcast") : [])
        }
        // A notice reports the broadcaster it joined.
        state = broadcaster
        var lines = settingsLines + (song == nil ? [] : songChange(song)) + nextChange(status.next)
        lines += change(of: status, ListenerKey(name: status.name))
        guard status.state == .playing || status.state == .starving, isStatusDue(now) else { return lines }
        if status.isRecorder {
            lines.append(Line("\(song?.timeReading ?? "-")  \(status.stateReading)"))
            return lines
        }
        let details = level == .verbose ? details(status) : ""
        lines.append(Line("\(song?.timeReading ?? "-")  \(status.state.rawValue), \(reading(status) + details)"))
        return lines
    }

    /// Not the first settings, unless a limit is why: they were asked for, or a notice reports that they were
    /// remembered.
    private mutating func loudspeakerChange(_ status: ListenerStatus) -> [Line] {
        let reading = status.loudspeakerReading
        defer { loudspeakers = reading }
        guard let reading, reading != loudspeakers, loudspeakers != nil || status.limitReading != nil else { return [] }
        return [Line(reading)]
    }

    // MARK: Player

    private mutating func playing(_ status: PlayStatus, _ now: HostTime) -> [Line] {
        var lines = songChange(status.song)
        // The start of the first song is not reported.
        if state != nil || status.state != .playing { lines += stateChange(status.state.rawValue) }
        state = status.state.rawValue
        guard status.state == .playing, isStatusDue(now) else { return lines }
        lines.append(Line(status.song.timeReading))
        return lines
    }

    // MARK: All

    private mutating func songChange(_ status: SongStatus?) -> [Line] {
        guard let status else {
            song = nil
            return []
        }
        let parts = [status.headline, status.format, status.total?.clockReading ?? ""]
        let text = "song: " + parts.filter { !$0.isEmpty }.joined(separator: ", ")
        guard text != song else { return [] }
        song = text
        return [Line(text)]
    }

    private mutating func nextChange(_ title: String?) -> [Line] {
        guard title != next else { return [] }
        next = title
        return title.map { [Line("next: \($0)")] } ?? []
    }

    private mutating func stateChange(_ text: String) -> [Line] {
        guard text != state else { return [] }
        state = text
        return [Line(text)]
    }

    private mutating func change(of listener: ListenerStatus, _ key: ListenerKey) -> [Line] {
        let line = ListenerLine(state: listener.state, counters: listener.counters)
        guard listeners.updateValue(line, forKey: key) != line else { return [] }
        let counters = listener.counters.reading
        return [Line("\(listener.name): \(listener.stateReading)\(counters.isEmpty ? "" : ", \(counters)")")]
    }

    private mutating func isStatusDue(_ now: HostTime) -> Bool {
        guard repeatsStatus else { return false }
        if let nextStatus, now < nextStatus { return false }
        nextStatus = now + Self.statusInterval
        return true
    }

    /// Returns everything else that a listener reports.
    private func details(_ listener: ListenerStatus) -> String {
        var parts: [String] = []
        if let timing = listener.timing {
            parts.append("correction \(timing.correction.reading)")
            parts.append("round trip \(timing.roundTrip.reading(glyphs))")
            parts.append("asymmetry limit \(timing.asymmetryLimit.reading(glyphs))")
        }
        if let lowWater = listener.lowWater { parts.append("low water \(lowWater.lowWaterReading)") }
        let counters = listener.counters.reading
        if !counters.isEmpty { parts.append(counters) }
        let causes = listener.counters.causeReading
        if !causes.isEmpty { parts[parts.count - 1] += " (\(causes))" }
        return parts.map { ", \($0)" }.joined()
    }

    private func reading(_ listener: ListenerStatus) -> String {
        var parts = listener.isSentPCM ? ["PCM"] : []
        parts.append("buffer \(listener.buffered.bufferReading)")
        if let timing = listener.timing {
            parts.append("error \(timing.errorReading(glyphs))")
            parts.append("clock \(timing.clockSkew.reading)")
            parts.append("card \(timing.deviceSkew.reading)")
        }
        return parts.joined(separator: ", ")
    }
}

extension SongStatus {
    /// `1:23 / 3:45`
    var timeReading: String { elapsed.clockReading + (total.map { " / \($0.clockReading)" } ?? "") }
}
