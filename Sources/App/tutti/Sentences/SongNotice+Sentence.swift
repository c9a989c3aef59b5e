import AudioCore
import TuttiRuntime

extension SongNotice {
    /// For people, one line.
    var sentence: String {
        switch self {
        case .title(let title): "on the air: \(title)"
        case .passedOver(let failure): failure.sentence
        case .listProblem(let text): text
        case .damaged(let problem): "the file is damaged: \(problem)"
        case .cutShort(let failure), .notSeekable(let failure): failure.sentence
        case .tooSlow(let name): "\(name.quotedSong) is too slow: silent until enough is buffered"
        case .undecodable(let error): "this song cannot be played here: \(error)"
        case .decodingFailed(let error): "the rest of this song cannot be played: \(error)"
        case .remark(_, let text): text
        }
    }
}

extension String {
    /// A song's name as the user gave it, quoted for a sentence.
    var quotedSong: String { self == "-" ? "standard input" : "'\(withoutCredentials)'" }
}
