import AudioCore
import Broadcasting

extension BroadcastStatus {
    /// - Parameters:
    ///   - position: the song's position; stays when all is over. Nil if no song is to be shown.
    ///   - path: where the song lies on this machine.
    init(name: String, _ session: BroadcastSession, position: FramePosition?, path: String?, isOver: Bool) {
        let readiness = session.readiness
        let state: State =
            if isOver {
                .ended
            } else {
                switch session.transport {
                case .idle, .stopped: .idle
                case .paused: .paused
                case .playing where !session.isPlaying: .waiting(ready: readiness.ready, wanted: readiness.wanted)
                case .playing: session.isFinishing ? .finishing : .playing
                }
            }
        let listeners = session.listeners.map { view in
            var status =
                view.report.map { ListenerStatus(name: view.name, report: $0) }
                ?? ListenerStatus(name: view.name, state: .connecting, buffered: .zero, timing: nil)
            status.isSentPCM = view.isSentPCM
            return status
        }
        self.init(
            name: name, state: state,
            song: position.map {
                SongStatus(session.summary, elapsed: $0, end: session.length, path: path)
            }, listeners: listeners,
            refusedCount: session.refusedCount)
        if !isOver { next = session.nextTitle }
        modes = session.modes
        groupVolume = session.volume
    }
}
