import AudioCore
import Broadcasting
import Programmes

/// What is shown of a broadcast: nothing before its first song is open, and what was last so when it is over.
struct BroadcastDisplay {
    private enum Stage {
        /// The first song is not open.
        case hidden
        /// The position is nil while there is no song.
        case shown(FramePosition?)
    }

    private static let interval = TimeSpan.milliseconds(200)
    /// The same for each listener, a second at most: a status lists them all, and there may be thousands.
    private static let intervalPerListener = TimeSpan.milliseconds(1)
    private static let longestInterval = TimeSpan.seconds(1)

    private var stage = Stage.hidden
    /// How the own loudspeakers play; nil if there are none.
    private var loudspeakers: LoudspeakerSettings?
    /// The song that is heard, and the file that it is.
    private var heard: (location: ItemLocation, path: String?)?
    private var nextStatus = HostTime(nanoseconds: 0)
    /// How many listeners were shown last.
    private var listenerCount = 0

    var isShown: Bool { if case .shown = stage { true } else { false } }

    /// Returns whether to show the song's progress, which takes it as shown.
    mutating func isDue(_ now: HostTime) -> Bool {
        guard now >= nextStatus else { return false }
        let interval = max(Self.interval, Self.intervalPerListener * Double(listenerCount))
        nextStatus = now + min(interval, Self.longestInterval)
        return true
    }

    /// Returns what to show; nil before there is something.
    /// - Parameter loudspeakers: how the own ones play; nil once they are closed.
    mutating func status(
        of session: BroadcastSession, name: String, loudspeakers: LoudspeakerSettings?, now: HostTime
    ) -> BroadcastStatus? {
        let (isIdle, isReady) = (session.transport == .idle, session.summary.isReady)
        guard isShown || isReady || isIdle else { return nil }
        let position = isReady && !isIdle ? session.playPosition(now) : nil
        stage = .shown(position)
        return status(of: session, name: name, loudspeakers, position, isOver: false)
    }

    /// Returns what is shown of the broadcast when it is over; nil if its first song was never open.
    /// - Parameter end: where it came to if it was played out.
    mutating func lastStatus(
        of session: BroadcastSession, name: String, loudspeakers: LoudspeakerSettings?, end: FramePosition?
    ) -> BroadcastStatus? {
        let position: FramePosition?
        switch stage {
        case .hidden:
            guard session.summary.isReady else { return nil }
            position = end
        case .shown(let last): position = end ?? last
        }
        stage = .shown(position)
        return status(of: session, name: name, loudspeakers, position, isOver: true)
    }

    private mutating func status(
        of session: BroadcastSession, name: String, _ settings: LoudspeakerSettings?, _ position: FramePosition?,
        isOver: Bool
    ) -> BroadcastStatus {
        loudspeakers = settings ?? loudspeakers
        var status = BroadcastStatus(
            name: name, session, position: position, path: path(of: session.location), isOver: isOver)
        status.loudspeakers = loudspeakers
        listenerCount = status.listeners.count
        return status
    }

    /// Returns the file of this machine that its user named; nil for anything else. Asks a disk, which may hang, once
    /// for each song.
    mutating func path(of location: ItemLocation?) -> String? {
        guard case .local(let name)? = location, let location else { return nil }
        if let heard, heard.location == location { return heard.path }
        let path = SongSource.path(ofFile: name)
        heard = (location, path)
        return path
    }
}
