import AudioCore
import AudioDecoding
import Songs

/// A notice about a song or its source.
public enum SongNotice: Hashable, Sendable {
    /// A station's current title.
    case title(String)
    /// One of several songs cannot be played.
    case passedOver(RuntimeFailure)
    /// What part of a directory or a playlist cannot be played, and why.
    case listProblem(String)
    /// Bytes of the file were skipped.
    case damaged(AudioStreamProblem)
    /// The song cannot be read further; what there is of it is played.
    case cutShort(SongFailure)
    case notSeekable(SongFailure)
    /// A player is silent until there is enough of the song, which goes by the name that the user gave.
    case tooSlow(name: String)
    /// A listener has no decoder for the song.
    case undecodable(AudioDecodingError)
    case decodingFailed(AudioDecodingError)
    /// A remark of the source, for example that it reconnects.
    case remark(NoticeLevel, String)

    public var level: NoticeLevel {
        switch self {
        case .title, .notSeekable: .info
        case .passedOver, .listProblem, .damaged, .cutShort, .tooSlow, .undecodable, .decodingFailed: .warning
        case .remark(let level, _): level
        }
    }
}
