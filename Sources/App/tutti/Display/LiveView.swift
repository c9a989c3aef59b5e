import AudioCore
import TerminalIO
import TuttiRuntime

/// The live display's lines: the latest status of a broadcast or a listener. Pure.
struct LiveView: Sendable {
    struct Size: Hashable, Sendable {
        var width: Int
        var height: Int
    }

    var glyphs = Glyphs.unicode
    private var status: RuntimeEvent?

    init(glyphs: Glyphs = .unicode) { self.glyphs = glyphs }

    /// Takes an event. Notices are not kept: they scroll by above the live lines.
    mutating func receive(_ event: RuntimeEvent) {
        if case .notice = event { return }
        status = event
    }

    /// Shows that the session is over, for a listener that played to the end. (A broadcaster's last status says it
    /// already.)
    mutating func finish(_ result: SessionResult) {
        guard case .listening(var status, var song, let broadcaster) = self.status, result == .completed else { return }
        // A recording that the user ended is whole, too.
        guard !status.isRecorder else { return }
        status.state = .finished
        status.buffered = .zero
        status.next = nil
        if let total = song?.total { song?.elapsed = total }
        self.status = .listening(status, song: song, broadcaster: broadcaster)
    }

    /// Returns the lines for a terminal of this size, at most one less than its height.
    func frame(_ size: Size) -> [StyledLine] {
        let lines: [StyledLine] =
            switch status {
            case .broadcast(let status): broadcast(status, size)
            case .listening(let status, let song, let broadcaster): listening(status, song, broadcaster, size)
            case .playing(let status): playing(status, size)
            case .notice, nil: []
            }
        return lines.prefix(max(1, size.height - 1)).map { $0.truncated(to: size.width) }
    }

    // MARK: Lines that both roles share

    /// Returns text at the left, and a remark at the right end if there is room for it.
    func heading(_ left: StyledLine, remark: String, _ size: Size) -> StyledLine {
        let room = size.width - left.cellWidth - remark.terminalSafe.cellWidth
        guard room >= 2, !remark.isEmpty else { return left }
        var line = left
        line.append(String(repeating: " ", count: room))
        line.append(remark, .faint)
        return line
    }

    /// Returns title and progress.
    func songLines(_ song: SongStatus, _ size: Size) -> [StyledLine] {
        [StyledLine(song.headline, .strong), progressLine(song, size)]
    }

    /// Returns the line of what follows, if anything does.
    func nextLine(_ title: String?) -> [StyledLine] { title.map { [StyledLine("next: \($0)", .faint)] } ?? [] }

    private func progressLine(_ song: SongStatus, _ size: Size) -> StyledLine {
        guard let total = song.total else { return StyledLine(song.elapsed.clockReading) }
        let times = " \(song.elapsed.clockReading) / \(total.clockReading)"
        let width = max(0, size.width - times.cellWidth)
        let fraction = total > .zero ? min(1, max(0, song.elapsed.seconds / total.seconds)) : 0
        let done = min(width, Int((Double(width) * fraction).rounded()))
        var line = StyledLine(String(repeating: glyphs.barDone, count: done), .good)
        line.append(String(repeating: glyphs.barLeft, count: width - done), .faint)
        line.append(times)
        return line
    }
}

extension SongStatus {
    /// `Title - Artist`
    var headline: String { String(headline: title, by: artist) }
}
