import AudioCore

/// An event of a running broadcaster or listener, for whoever shows it to the user.
public enum RuntimeEvent: Sendable {
    case notice(RuntimeNotice)
    case broadcast(BroadcastStatus)
    /// What this listener plays and from whom; `broadcaster` is nil while it waits.
    case listening(ListenerStatus, song: SongStatus?, broadcaster: String?)
    case playing(PlayStatus)
}

/// How a broadcast or a listener ended.
public enum RuntimeOutcome: Hashable, Sendable {
    /// The last frame was heard.
    case completed
    /// The user asked it to stop.
    case interrupted
}
