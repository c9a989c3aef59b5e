import AudioCore
import MusicLibrary
import TerminalIO
import WireProtocol

// How the player looks.

extension PlayerModel {
    /// Returns all lines of the terminal, from the top; as many as it has.
    public mutating func frame(_ size: ScreenSize, now: HostTime, glyphs: Glyphs) -> [StyledLine] {
        if let note, now - note.since >= Self.noteTime { forgetNote() }
        let layout = ScreenLayout(size, page)
        var lines = header(layout, now, glyphs) + pageLines(layout, glyphs)
        let footer = footerLines(layout)
        let room = max(0, size.height - footer.count)
        lines = Array(lines.prefix(room))
        lines += [StyledLine](repeating: StyledLine(), count: max(0, room - lines.count))
        return (lines + footer).prefix(size.height).map { $0.truncated(to: size.width) }
    }

    // MARK: What plays

    private func header(_ layout: ScreenLayout, _ now: HostTime, _ glyphs: Glyphs) -> [StyledLine] {
        var lines = [headline(layout)]
        if let current = broadcast?.state.status.current {
            lines.append(StyledLine(current.title, .strong))
            lines.append(progress(current, layout, now, glyphs))
        } else {
            lines.append(StyledLine(broadcast == nil ? "b begins one here" : "nothing plays", .faint))
            lines.append(StyledLine())
        }
        if layout.isRoomy {
            let next = broadcast?.state.status.next
            lines.append(StyledLine(next.map { "next: \($0.title)" } ?? "", .faint))
            lines.append(StyledLine())
        }
        return lines + [tabs]
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
        let room = layout.size.width - line.cellWidth - remark.cellWidth
        guard room >= 2 else { return line }
        line.append(String(repeating: " ", count: room))
        line.append(remark, .faint)
        return line
    }

    private func progress(
        _ item: QueueItem, _ layout: ScreenLayout, _ now: HostTime, _ glyphs: Glyphs
    ) -> StyledLine {
        let elapsed = broadcast?.elapsed(now)
        guard let duration = item.duration, duration > .zero else {
            return StyledLine((elapsed?.clockReading ?? "") + (item.isLive ? " live" : ""))
        }
        let width = layout.barWidth(elapsed: elapsed ?? .zero, of: duration)
        let fraction = min(1, max(0, (elapsed ?? .zero).seconds / duration.seconds))
        let done = min(width, Int((Double(width) * fraction).rounded()))
        var line = StyledLine(String(repeating: glyphs.barDone, count: done), .good)
        line.append(String(repeating: glyphs.barLeft, count: width - done), .faint)
        line.append(ScreenLayout.times(elapsed ?? .zero, duration))
        return line
    }

    private var tabs: StyledLine {
        var line = StyledLine()
        for tab in ScreenLayout.tabs {
            if tab.column > 0 { line.append(String(repeating: " ", count: ScreenLayout.tabGap)) }
            line.append(tab.text, tab.page == page ? .selected : .plain)
        }
        return line
    }

    // MARK: Pages

    private mutating func pageLines(_ layout: ScreenLayout, _ glyphs: Glyphs) -> [StyledLine] {
        switch page {
        case .queue: queueLines(layout)
        case .library: libraryLines(layout)
        case .listeners: listenerLines(layout, glyphs)
        case .keys: Self.keyLines
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
            let title = item.title.terminalSafe + (item.hasFailed ? " (cannot be played)" : "")
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
            .init(title: "error", alignment: .right, dropOrder: 3),
        ])
        table.rows = listeners[window].map { listener in
            [
                .init(text: listener.name.terminalSafe.truncated(to: 30)),
                .init(text: listener.state.rawValue, style: listener.state.style),
                .init(text: listener.settings.map { $0.volume.isMuted ? "off" : "\($0.volume.level)" } ?? ""),
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
            case .library: "enter adds  a all  i next  o now  / types  space pauses  ? keys  q quits"
            case .queue: "enter plays  space pauses  / finds music  d removes  + - volume  ? keys  q quits"
            case .listeners: "+ - volume of one  m mutes it  space pauses  ? keys  q quits"
            case .keys: "? back  q quits"
            }
        return StyledLine(text, .faint)
    }

    private static let keyLines: [StyledLine] = [
        ("space", "pauses and goes on"), ("left right", "10 s back and forth"), ("n p", "next and previous song"),
        ("s", "stops"), ("+ - m", "volume and mute: of all, or of the selected listener"),
        ("r z", "repeat, shuffle"), ("tab 1 2 3", "queue, library, listeners"), ("/", "finds music"),
        ("enter", "plays the song of the queue, adds that of the library"),
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

extension LibraryPane {
    mutating func lines(_ layout: ScreenLayout) -> [StyledLine] {
        var query = StyledLine("find: ", .faint)
        query.append(self.query)
        if isTyping { query.append(" ", .selected) }
        let remark = reading
        let room = layout.size.width - query.cellWidth - remark.cellWidth
        if room >= 2 {
            query.append(String(repeating: " ", count: room))
            query.append(remark, .faint)
        }
        let window = cursor.window(height: layout.listHeight, in: songs.count)
        return [query]
            + window.map { index in
                line(songs[index], layout.size.width).restyled(index == cursor.selected ? .selected : nil)
            }
    }

    /// How many songs there are to find, or were found.
    private var reading: String {
        if isReading { return "reading music: \(songCount ?? 0) songs" }
        if !query.isEmpty {
            let more = songs.count >= PlayerModel.resultLimit ? "+" : ""
            return songs.count == 1 ? "1 song" : "\(songs.count)\(more) songs"
        }
        return songCount.map { $0 == 0 ? "no music: 'tutti library add FOLDER'" : "\($0) songs" } ?? ""
    }

    /// Title, artist and album in thirds where there is room, and the length.
    private func line(_ song: FoundSong, _ width: Int) -> StyledLine {
        let length = " " + (song.duration?.clockReading ?? "").padded(to: 6, alignment: .right)
        let room = max(4, width - length.cellWidth)
        var line = StyledLine()
        if room >= 60 {
            let part = room / 3
            line.append(song.title.terminalSafe.padded(to: room - 2 * part))
            line.append(" " + (song.artist ?? "").terminalSafe.padded(to: part - 1))
            line.append(" " + (song.album ?? "").terminalSafe.padded(to: part - 1), .faint)
        } else {
            let title = song.artist.map { "\(song.title) - \($0)" } ?? song.title
            line.append(title.terminalSafe.padded(to: room))
        }
        line.append(length)
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
