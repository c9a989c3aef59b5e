import AudioCore
import AudioDecoding
import Songs

/// Of songs and where they come from.
public enum SongNotice: Hashable, Sendable {
    /// What a station plays now.
    case title(String)
    /// One of several cannot be played.
    case passedOver(RuntimeFailure)
    /// A directory or a playlist: what of it cannot be played, and why.
    case listProblem(String)
    /// Bytes of the file were passed over.
    case damaged(AudioStreamProblem)
    /// It cannot be read further; what there is of it is played.
    case cutShort(SongFailure)
    case notSeekable(SongFailure)
    /// A player is silent until there is enough of it. By the name that the user gave.
    case tooSlow(name: String)
    /// A listener has no decoder for it.
    case undecodable(AudioDecodingError)
    case decodingFailed(AudioDecodingError)
    /// The source's own remark, for example that it connects again.
    case remark(NoticeLevel, String)

    public var level: NoticeLevel {
        switch self {
        case .title, .notSeekable: .info
        case .passedOver, .listProblem, .damaged, .cutShort, .tooSlow, .undecodable, .decodingFailed: .warning
        case .remark(let level, _): level
        }
    }
}
