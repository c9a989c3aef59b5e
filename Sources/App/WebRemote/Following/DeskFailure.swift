/// Why a page's request came to nothing, for people.
enum DeskFailure: Error, Hashable {
    /// There is no broadcast at the moment.
    case away
    case tooBusy
    case noAnswer
    /// The broadcast found nothing, for this reason.
    case nothingFound(String)
    /// The path of a song that no search has found.
    case unknownPath(String)

    var text: String {
        switch self {
        case .away: "the broadcast is not there at the moment; try again in a second"
        case .tooBusy: "too much is asked of the broadcast at once; try again in a second"
        case .noAnswer: "the broadcast did not answer in time; look whether it did what you asked, and try again"
        case .nothingFound(let reason): "nothing was found: \(reason)"
        case .unknownPath(let path): "'\(path)' is no song that a search has found; search for it first"
        }
    }
}
