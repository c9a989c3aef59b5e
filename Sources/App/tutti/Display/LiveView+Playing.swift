import AudioCore
import TerminalIO
import TuttiRuntime

extension LiveView {
    func playing(_ status: PlayStatus, _ size: Size) -> [StyledLine] {
        var left = StyledLine(status.state.rawValue, status.state.style)
        left.append("  \(status.volume.reading(isMuted: status.isMuted))", .faint)
        let lines = [heading(left, remark: status.song.format, size)] + songLines(status.song, size)
        guard status.state != .ended else { return lines }
        return lines + [StyledLine("space pauses   left right seek   + - volume   m mutes   n p   q ends", .faint)]
    }
}

extension PlayStatus.State {
    fileprivate var style: StyledLine.Style {
        switch self {
        case .playing: .good
        case .paused, .ended: .plain
        case .starving: .warning
        }
    }
}
