import AudioCore
import TerminalIO
import TuttiRuntime

extension LiveView {
    /// Lines above and below the listeners' rows: heading, title, progress, a blank, column titles, worst pair, "more".
    private static let fixedLineCount = 7

    func broadcast(_ status: BroadcastStatus, _ size: Size) -> [StyledLine] {
        var left = StyledLine(status.name, .strong)
        left.append("  \(status.state.reading)")
        append(status.loudspeakers?.reading, to: &left)
        if status.groupVolume != VolumeSetting() { left.append("  group \(status.groupVolume.reading)", .faint) }
        if status.refusedCount > 0 { left.append("  \(status.refusedCount) refused") }
        var lines = [heading(left, remark: status.song?.format ?? "", size)]
        if let song = status.song { lines += songLines(song, size) }
        lines += nextLine(status.next)
        guard !status.listeners.isEmpty else { return lines }
        let room = max(1, size.height - 1 - Self.fixedLineCount - (status.next == nil ? 0 : 1))
        lines += [StyledLine()] + table(status.listeners.prefix(room)).lines(width: size.width)
        if status.listeners.count > room {
            lines.append(StyledLine("and \(status.listeners.count - room) more", .faint))
        }
        if let worst = status.worstPair {
            lines.append(
                StyledLine("worst pair: \(worst.first) and \(worst.second), within \(worst.distance.reading(glyphs))"))
        }
        return lines
    }

    private func table(_ listeners: some Collection<ListenerStatus>) -> Table {
        var table = Table(columns: [
            .init(title: "listener", dropOrder: 0),
            .init(title: "state", dropOrder: 1),
            // "PCM" for a listener that cannot decode the song itself. The column is empty, and so left out, if all
            // can.
            .init(title: "sent", dropOrder: 4),
            .init(title: "buffer", alignment: .right, dropOrder: 5),
            .init(title: "error", alignment: .right, dropOrder: 2),
            .init(title: "clock", alignment: .right, dropOrder: 7),
            .init(title: "card", alignment: .right, dropOrder: 6),
            .init(title: "correction", alignment: .right, dropOrder: 9),
            .init(title: "round trip", alignment: .right, dropOrder: 8),
            .init(title: "low water", alignment: .right, dropOrder: 10),
            .init(title: "", dropOrder: 3),
        ])
        table.rows = listeners.map(row)
        return table
    }

    private func row(_ listener: ListenerStatus) -> [Table.Cell] {
        [
            .init(text: listener.name.terminalSafe.truncated(to: 24)),
            .init(text: listener.state.rawValue, style: listener.state.style),
            .init(text: listener.isSentPCM ? "PCM" : ""),
            .init(text: listener.state == .finished ? "" : listener.buffered.bufferReading),
            .init(text: listener.timing?.errorReading(glyphs) ?? ""),
            .init(text: listener.timing?.clockSkew.reading ?? "", style: .faint),
            .init(text: listener.timing?.deviceSkew.reading ?? "", style: .faint),
            .init(text: listener.timing?.correction.reading ?? "", style: .faint),
            .init(text: listener.timing?.roundTrip.reading(glyphs) ?? "", style: .faint),
            .init(text: listener.lowWater?.lowWaterReading ?? "", style: .faint),
            .init(text: listener.counters.reading, style: .warning),
        ]
    }
}

extension BroadcastStatus.State {
    var reading: String {
        switch self {
        case .waiting(let ready, let wanted):
            "waiting for \(wanted) listener\(wanted == 1 ? "" : "s"), \(ready) ready"
        case .playing: "playing"
        case .paused: "paused"
        case .idle: "idle"
        case .finishing: "all sent, playing what is buffered"
        case .ended: "ended"
        }
    }
}

extension ListenerStatus.State {
    var style: StyledLine.Style {
        switch self {
        case .playing: .good
        case .starving: .warning
        case .connecting, .preparing, .ready, .paused, .finished: .plain
        }
    }
}
