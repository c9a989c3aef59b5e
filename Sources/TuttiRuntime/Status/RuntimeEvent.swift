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

/// Why a command failed: one line that says what to do, and the exit code that fits.
public struct RuntimeFailure: Error, Hashable, Sendable {
    /// Exit codes after BSD's sysexits.h, where one fits.
    public enum Kind: Int32, Hashable, Sendable {
        case general = 1
        /// Bad data in a song: EX_DATAERR.
        case unusableInput = 65
        /// A file is missing or unreadable: EX_NOINPUT.
        case missingInput = 66
        /// A named peer is nowhere: EX_NOHOST.
        case unknownPeer = 68
        /// Port, mDNS, sound device: EX_UNAVAILABLE.
        case unavailable = 69
        /// A file cannot be written: EX_CANTCREAT.
        case cannotCreate = 73
        /// The network or the other side failed: EX_IOERR.
        case lost = 74
    }

    public var kind: Kind
    public var message: String
    /// What is to be played instead: the input is a list of songs.
    var songs: [String] = []

    public init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }
}
