import AudioCore
import TuttiRuntime

extension LiveView {
    func listening(
        _ status: ListenerStatus, _ song: SongStatus?, _ broadcaster: String?, _ size: Size
    ) -> [StyledLine] {
        var left = StyledLine(status.name, .strong)
        left.append("  ")
        guard let broadcaster else {
            left.append("waiting for a broadcast")
            return [heading(left, remark: "Ctrl-C ends", size)]
        }
        left.append(status.state.rawValue, status.state.style)
        left.append(status.state == .playing ? " from \(broadcaster)" : ", broadcaster \(broadcaster)")
        var lines = [heading(left, remark: song?.format ?? "", size)]
        if let song { lines += songLines(song, size) }
        return lines + [readings(status)] + counters(status)
    }

    private func readings(_ status: ListenerStatus) -> StyledLine {
        var line = StyledLine("buffer \(status.buffered.bufferReading)")
        guard let timing = status.timing else { return line }
        line.append("   error \(timing.errorReading(glyphs))")
        line.append("   clock \(timing.clockSkew.reading)   card \(timing.deviceSkew.reading)", .faint)
        return line
    }

    private func counters(_ status: ListenerStatus) -> [StyledLine] {
        let text = status.counters.reading
        return text.isEmpty ? [] : [StyledLine(text, .warning)]
    }
}
