/// One song of the corpus, as the line of the manifest says.
struct Song: Hashable, Sendable, CustomStringConvertible {
    var name: String
    var container: String
    /// As ffprobe calls it; AAC with replication "he_aac", and with parametric stereo "he_aac_v2".
    var codec: String
    /// Frames a second of what was encoded.
    var rate: Int
    var channels: Int
    /// Frames that were encoded, where the file must give as many back.
    var frames: Int64?
    /// How it was made.
    var variant: String

    var path: String { Corpus.directory + "/" + name }
    var description: String { "\(name) (\(container), \(variant))" }

    init(line: Substring) {
        let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        precondition(fields.count == 7, "a line of the manifest has seven fields")
        (name, container, codec) = (fields[0], fields[1], fields[2])
        (rate, channels, frames, variant) = (Int(fields[3])!, Int(fields[4])!, Int64(fields[5]), fields[6])
    }

    /// Whether there is less in it for who does not know all of it.
    var isLayered: Bool { codec.hasPrefix("he_aac") }

    var isMPEG4: Bool { ["m4a", "mp4", "mp4-tail", "mp4-fragmented", "3gp", "3g2", "mov"].contains(container) }

    /// What others cannot read in a form that they can: of free format the same frames with their bit rate told.
    var readableTwinPath: String { Corpus.directory + "/." + name.prefix(3) + ".twin" }

    /// Samples, or blocks of one size: how many of them a reader takes at once is its own affair.
    var hasArbitraryPackets: Bool { codec.hasPrefix("pcm") || codec.hasPrefix("adpcm") }

    /// Whether every decoder must give the same samples, bit by bit.
    var isLossless: Bool {
        codec.hasPrefix("pcm") || ["alac", "flac", "adpcm_ima_qt", "adpcm_ima_wav"].contains(codec)
    }
}

/// The songs that `Scripts/make-corpus` writes; made on first use, kept until the script changes.
enum Corpus {
    static let root = #filePath.split(separator: "/").dropLast(4).map { "/\($0)" }.joined()
    static let directory = root + "/.build-corpus"

    static let songs: [Song] = {
        do {
            _ = try output(of: "\(quoted(root + "/Scripts/make-corpus")) \(quoted(directory))")
            let manifest = String(decoding: try contents(of: directory + "/manifest.tsv"), as: UTF8.self)
            return manifest.split(separator: "\n").map(Song.init)
        } catch {
            fatalError("the corpus cannot be made: \(error)")
        }
    }()

    static let containers: [String] = songs.reduce(into: []) { known, song in
        if !known.contains(song.container) { known.append(song.container) }
    }

    static func songs(in container: String) -> [Song] { songs.filter { $0.container == container } }
}
