import AudioCore
import TerminalIO
import TuttiRuntime

extension LiveView {
    func listening(
        _ status: ListenerStatus, _ song: SongStatus?, _ broadcaster: String?, _ size: Size
    ) -> [StyledLine] {
        var left = StyledLine(status.name, .strong)
        left.append("  ")
        guard let broadcaster else {
            left.append("waiting for a broadcast")
            append(status.loudspeakerReading, to: &left)
            let keys = status.loudspeakers == nil ? "" : "+ - volume   m mutes   "
            return [heading(left, remark: keys + "Ctrl-C ends", size)]
        }
        left.append(status.stateReading, status.state.style)
        left.append(status.state == .playing ? " from \(broadcaster)" : ", broadcaster \(broadcaster)")
        append(status.loudspeakerReading, to: &left)
        var lines = [heading(left, remark: song?.format ?? "", size)]
        if let song { lines += songLines(song, size) }
        lines += nextLine(status.next)
        if status.isRecorder { return lines + counters(status) }
        return lines + [readings(status)] + details(status) + counters(status)
    }

    /// Appends how this machine's loudspeakers play.
    func append(_ loudspeakerReading: String?, to line: inout StyledLine) {
        if let loudspeakerReading { line.append("  \(loudspeakerReading)", .faint) }
    }

    private func readings(_ status: ListenerStatus) -> StyledLine {
        var line = StyledLine("buffer \(status.buffered.bufferReading)")
        guard let timing = status.timing else { return line }
        line.append("   error \(timing.errorReading(glyphs))")
        line.append("   clock \(timing.clockSkew.reading)   card \(timing.deviceSkew.reading)", .faint)
        return line
    }

    /// Returns the lines that explain the readings.
    private func details(_ status: ListenerStatus) -> [StyledLine] {
        guard let timing = status.timing, status.state == .playing else { return [] }
        var parts = ["correction \(timing.correction.reading)", "round trip \(timing.roundTrip.reading(glyphs))"]
        if let lowWater = status.lowWater { parts.append("low water \(lowWater.lowWaterReading)") }
        return [StyledLine(parts.joined(separator: "   "), .faint)]
    }

    private func counters(_ status: ListenerStatus) -> [StyledLine] {
        let text = status.counters.reading
        return text.isEmpty ? [] : [StyledLine(text, .warning)]
    }
}
