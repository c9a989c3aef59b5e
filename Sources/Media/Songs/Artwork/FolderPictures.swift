/// The files of a directory that are called like an album's cover, best first. Nothing is known of their contents.
///
/// Regular files only, and links to such: a pipe or a device found by chance is not opened. Of a directory with more
/// names than a ``DirectoryListing`` has, the picture may be hidden.
public struct FolderPictures: Hashable, Sendable {
    /// The most files that are worth a try.
    static let countLimit = 16

    public let names: [String]

    /// Chooses among the files of a directory.
    public init(among files: [String]) {
        var best: [CoverName] = []
        for name in files {
            guard let cover = CoverName(name) else { continue }
            guard best.count < Self.countLimit || best.last.map({ cover < $0 }) == true else { continue }
            best.insert(cover, at: best.firstIndex { cover < $0 } ?? best.endIndex)
            if best.count > Self.countLimit { best.removeLast() }
        }
        names = best.map(\.name)
    }

    /// Returns the paths of those in a song's directory.
    static func paths(besideSong song: String) -> [String] {
        let directory = FileName.directory(of: song)
        guard let listing = try? DirectoryListing(directory.isEmpty ? "." : directory) else { return [] }
        return FolderPictures(among: listing.files).names.map { FileName.join(directory, $0) }
    }
}

/// A file's name that says that it is an album's cover. The better one comes first.
struct CoverName: Comparable {
    let name: String
    /// What it is ordered by, in turn.
    private let rank: [Int]

    /// In the order in which they are preferred.
    private static let stems = ["cover", "folder", "front", "album", "albumart"].map { Array($0.utf8) }
    private static let extensions = ["jpg", "jpeg", "png", "webp", "gif"].map { Array($0.utf8) }
    /// Windows Media Player writes AlbumArt_{...}_Large.jpg and AlbumArtSmall.jpg.
    private static let (openStem, smallEnding) = (Array("albumart".utf8), Array("small".utf8))

    /// - Returns: nil if it does not say so. Case does not matter.
    init?(_ name: String) {
        // Bytes, since a directory may have many names, and almost none is one of these.
        let bytes = name.utf8.map(\.lowercasedASCII)
        guard let dot = bytes.lastIndex(of: UInt8(ascii: ".")),
            let type = Self.extensions.firstIndex(where: { $0[...] == bytes[(dot + 1)...] })
        else { return nil }
        let stem = bytes[..<dot]
        if let place = Self.stems.firstIndex(where: { $0[...] == stem }) {
            rank = [place, 0, type]
        } else if stem.starts(with: Self.openStem) {
            rank = [Self.stems.count, stem.suffix(Self.smallEnding.count) == Self.smallEnding[...] ? 1 : 0, type]
        } else {
            return nil
        }
        self.name = name
    }

    static func < (a: CoverName, b: CoverName) -> Bool {
        a.rank == b.rank ? a.name < b.name : a.rank.lexicographicallyPrecedes(b.rank)
    }
}

extension UInt8 {
    fileprivate var lowercasedASCII: UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(self) ? self | 0x20 : self
    }
}
