import AudioCore

/// What a running broadcaster or listener tells whoever shows it to a person.
public enum RuntimeEvent: Sendable {
    case notice(RuntimeNotice)
    case broadcast(BroadcastStatus)
    /// What this listener plays and from whom; nil broadcaster while it waits.
    case listening(ListenerStatus, song: SongStatus?, broadcaster: String?)
    case playing(PlayStatus)
}

/// How a broadcast or a listener ended.
public enum RuntimeOutcome: Hashable, Sendable {
    /// The last frame was heard.
    case completed
    /// Someone asked it to stop.
    case interrupted
}
