import MusicLibrary
import ProgrammeJSON
import WireProtocol

/// Paths that searches have found: the only files of this machine that a page can have queued. Otherwise a guest could
/// have any file of it opened.
struct FoundPaths {
    /// The newest that are kept.
    static let limit = 20_000

    private var known: Set<String> = []
    /// In the order in which they came; a ring once it is full.
    private var order: [String] = []
    private var oldest = 0

    /// Takes what a search has found.
    mutating func note(_ bytes: [UInt8]) {
        for song in FoundSong.songs(found: bytes) where known.insert(song.path).inserted {
            guard order.count == Self.limit else {
                order.append(song.path)
                continue
            }
            known.remove(order[oldest])
            order[oldest] = song.path
            oldest = (oldest + 1) % Self.limit
        }
    }

    /// Returns the first file that an operation would open and that no search has found.
    func firstUnknown(in operation: CommandOperation) -> String? {
        switch operation {
        case .programme(.add(let sources)), .programme(.insert(let sources, _)):
            for case .file(let path) in sources where !known.contains(path) { return path }
            return nil
        default: return nil
        }
    }
}
