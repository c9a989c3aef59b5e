import AudioCore
import TerminalIO
import WireProtocol

// How the player looks.

extension PlayerModel {
    /// Returns all lines of the terminal, from the top; as many as it has.
    public mutating func frame(_ size: ScreenSize, now: HostTime, glyphs: Glyphs) -> [StyledLine] {
        if let note, now - note.since >= Self.noteTime { forgetNote() }
        let layout = ScreenLayout(size, page, hasPicture: hasPicture)
        var lines = header(layout, now, glyphs) + pageLines(layout, now, glyphs)
        let footer = footerLines(layout)
        let room = max(0, size.height - footer.count)
        lines = Array(lines.prefix(room))
        lines += [StyledLine](repeating: StyledLine(), count: max(0, room - lines.count))
        return (lines + footer).prefix(size.height).map { $0.truncated(to: size.width) }
    }

    // MARK: What plays

    private mutating func header(_ layout: ScreenLayout, _ now: HostTime, _ glyphs: Glyphs) -> [StyledLine] {
        var lines = [headline(layout)]
        if let current = broadcast?.state.status.current {
            lines.append(StyledLine(current.headline, .strong))
            lines.append(progress(current, layout, now, glyphs))
        } else {
            lines.append(StyledLine(broadcast == nil ? "b begins one here" : "nothing plays", .faint))
            lines.append(StyledLine())
        }
        if layout.isRoomy {
            let next = broadcast?.state.status.next
            lines.append(StyledLine(next.map { "next: \($0.headline)" } ?? "", .faint))
            lines.append(meter(layout, now, glyphs))
        }
        return lines.map { $0.truncated(to: layout.headerWidth) } + [tabs(layout)]
    }

    private func headline(_ layout: ScreenLayout) -> StyledLine {
        guard let broadcast else { return StyledLine("looking for a broadcast", .faint) }
        let state = broadcast.state
        var line = StyledLine(broadcast.name, .strong)
        line.append("  \(state.status.transport)")
        let sending = sendingCount > 0 ? "sending \(sendingCount)" : ""
        let remarks = [
            sending, state.modes.reading, "volume \(state.volume.isMuted ? "off" : "\(state.volume.level)")",
        ]
        let remark = remarks.filter { !$0.isEmpty }.joined(separator: "  ")
        let room = layout.headerWidth - line.cellWidth - remark.cellWidth
        guard room >= 2 else { return line }
        line.append(String(repeating: " ", count: room))
        line.append(remark, .faint)
        return line
    }

    private mutating func progress(
        _ item: QueueItem, _ layout: ScreenLayout, _ now: HostTime, _ glyphs: Glyphs
    ) -> StyledLine {
        let elapsed = broadcast?.elapsed(now)
        guard let duration = item.duration, duration > .zero else {
            return StyledLine((elapsed?.clockReading ?? "") + (item.isLive ? " live" : ""))
        }
        let width = layout.barWidth(elapsed: elapsed ?? .zero, of: duration)
        let fraction = min(1, max(0, (elapsed ?? .zero).seconds / duration.seconds))
        let done = min(width, Int((Double(width) * fraction).rounded()))
        var line = StyledLine()
        if !glyphs.heights.isEmpty, let heights = waveform(columns: width) {
            let bars = heights.map { glyphs.heights[$0 - 1] }
            line.append(String(bars.prefix(done)), .good)
            line.append(String(bars.dropFirst(done)), .faint)
        } else {
            line.append(String(repeating: glyphs.barDone, count: done), .good)
            line.append(String(repeating: glyphs.barLeft, count: width - done), .faint)
        }
        line.append(ScreenLayout.times(elapsed ?? .zero, duration))
        return line
    }

    /// The peaks of both sides, now.
    private func meter(_ layout: ScreenLayout, _ now: HostTime, _ glyphs: Glyphs) -> StyledLine {
        guard let broadcast, broadcast.isMoving, let elapsed = broadcast.elapsed(now), let waveform = details?.waveform
        else { return StyledLine() }
        let (left, right) = waveform.meter(at: elapsed)
        let width = layout.meterWidth
        var line = StyledLine()
        for (name, share) in [("L ", left), ("  R ", right)] {
            let cells = Int((share * Double(width)).rounded())
            line.append(name, .faint)
            line.append(String(repeating: glyphs.barDone, count: cells), share >= 1 ? .warning : .good)
            line.append(String(repeating: " ", count: width - cells))
        }
        return line
    }

    private func tabs(_ layout: ScreenLayout) -> StyledLine {
        var line = StyledLine()
        for tab in layout.tabs {
            line.append(String(repeating: " ", count: tab.column - line.cellWidth))
            line.append(tab.text, tab.page == page ? .selected : .plain)
        }
        return line
    }

    // MARK: Pages

    private mutating func pageLines(_ layout: ScreenLayout, _ now: HostTime, _ glyphs: Glyphs) -> [StyledLine] {
        switch page {
        case .queue: queueLines(layout)
        case .library: libraryLines(layout)
        case .listeners: listenerLines(layout, glyphs)
        case .lyrics: lyricsLines(layout, now)
        case .keys: visibleKeys(layout)
        }
    }

    private mutating func queueLines(_ layout: ScreenLayout) -> [StyledLine] {
        guard let broadcast else { return [] }
        guard broadcast.state.itemCount > 0 else {
            return [StyledLine("the queue is empty: / finds music in the library", .faint)]
        }
        let window = visibleQueue(layout.listHeight)
        let numberWidth = "\(broadcast.items.count)".count
        return window.map { index in
            let item = broadcast.items[index]
            let isCurrent = item.id == broadcast.state.status.current?.id
            var line = StyledLine(isCurrent ? "> " : "  ")
            line.append("\(index + 1)".padded(to: numberWidth, alignment: .right) + " ", .faint)
            let length = item.isLive ? "live" : item.duration?.clockReading ?? ""
            let room = layout.size.width - line.cellWidth - length.cellWidth - 1
            let title = item.headline.terminalSafe + (item.hasFailed ? " (cannot be played)" : "")
            line.append(title.padded(to: max(1, room)), item.hasFailed ? .warning : isCurrent ? .strong : .plain)
            line.append(" " + length)
            return index == queueCursor.selected ? line.restyled(.selected) : line
        }
    }

    private mutating func listenerLines(_ layout: ScreenLayout, _ glyphs: Glyphs) -> [StyledLine] {
        let listeners = broadcast?.state.listeners ?? []
        guard !listeners.isEmpty else {
            return [StyledLine("nobody listens: run 'tutti join' on a machine with loudspeakers", .faint)]
        }
        let window = visibleListeners(layout.listHeight, listeners.count)
        var table = Table(columns: [
            .init(title: "listener", dropOrder: 0), .init(title: "state", dropOrder: 2),
            .init(title: "volume", alignment: .right, dropOrder: 1),
            .init(title: "role", dropOrder: 4),
            .init(title: "offset", alignment: .right, dropOrder: 5),
            .init(title: "error", alignment: .right, dropOrder: 3),
        ])
        table.rows = listeners[window].map { listener in
            [
                .init(text: listener.name.terminalSafe.truncated(to: 30)),
                .init(text: listener.state.rawValue, style: listener.state.style),
                .init(text: listener.settings.map { $0.volume.isMuted ? "off" : "\($0.volume.level)" } ?? ""),
                .init(text: listener.settings.flatMap { $0.role == .stereo ? nil : "\($0.role)" } ?? ""),
                .init(text: listener.settings.flatMap { $0.offset == .zero ? nil : $0.offset.reading(glyphs) } ?? ""),
                .init(text: listener.timing.map { $0.error.reading(within: $0.bound, glyphs) } ?? ""),
            ]
        }
        let lines = table.lines(width: layout.size.width)
        return lines.prefix(1)
            + zip(window, lines.dropFirst()).map { index, line in
                index == listenerCursor.selected ? line.padded(to: layout.size.width).restyled(.selected) : line
            }
    }

    // MARK: The last rows

    private func footerLines(_ layout: ScreenLayout) -> [StyledLine] {
        let note = self.note.map { StyledLine($0.text, .warning) }
        guard layout.isRoomy else { return [note ?? helpLine] }
        return [note ?? StyledLine(), helpLine]
    }

    private var helpLine: StyledLine {
        let text =
            switch page {
            case .library where library.isTyping: "enter adds  esc ends typing  tab next page"
            case .library where library.query.isEmpty:
                "? keys  q quits  enter adds the album  i next  o now  / types  space pauses"
            case .library: "? keys  q quits  enter adds  a all  i next  o now  / types  space pauses"
            case .queue: "? keys  q quits  enter plays  space pauses  / finds music  d removes  + - volume"
            case .listeners: "? keys  q quits  + - volume of one  m mutes it  [ ] offset  x role"
            case .lyrics: "? keys  q quits  up down scroll  space pauses"
            case .keys: "? back  q quits  up down scroll"
            }
        return StyledLine(text, .faint)
    }

    static let keyLines: [StyledLine] = [
        ("space", "pauses and goes on"), ("left right", "10 s back and forth"), ("n p", "next and previous song"),
        ("s", "stops"), ("+ - m", "volume and mute: of all, or of the selected listener"),
        ("[ ] { }", "listeners: earlier and later by 1 ms, by 10 ms"), ("x", "listeners: which channel"),
        ("r z", "repeat, shuffle"), ("tab 1 to 4", "queue, library, listeners, lyrics (l)"), ("/", "finds music"),
        ("enter", "plays the song of the queue, adds that of the library, or the album"),
        ("b", "begins a broadcast here, where none is found"),
        ("a i o", "library: adds all, plays next, plays now"),
        ("d J K c", "queue: removes, moves down and up, empties"),
        ("j k pgup", "moves the selection, as the arrow keys do"), ("q", "quits"),
    ].map { keys, meaning in
        var line = StyledLine(keys.padded(to: 11), .strong)
        line.append(meaning)
        return line
    }
}

extension PlayModes {
    fileprivate var reading: String {
        let words = [repeats == .off ? nil : repeats == .one ? "repeat one" : "repeat", isShuffled ? "shuffle" : nil]
        return words.compactMap(\.self).joined(separator: " ")
    }
}

extension ListenerState {
    fileprivate var style: StyledLine.Style {
        switch self {
        case .playing: .good
        case .starving: .warning
        case .connecting, .preparing, .ready, .paused, .finished: .plain
        }
    }
}
