/// One song of the corpus, as a line of its manifest describes it.
struct Song: Hashable, Sendable, CustomStringConvertible {
    var name: String
    var container: String
    /// As ffprobe calls it, but AAC with spectral band replication is "he_aac", with parametric stereo too "he_aac_v2".
    var codec: String
    /// Frames per second before encoding.
    var rate: Int
    var channels: Int
    /// Frames before encoding; nil where decoding need not give as many back.
    var frames: Int64?
    /// How it was encoded.
    var variant: String

    var path: String { Corpus.directory + "/" + name }
    var description: String { "\(name) (\(container), \(variant))" }

    init(line: Substring) {
        let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        precondition(fields.count == 7, "a line of the manifest has seven fields")
        (name, container, codec) = (fields[0], fields[1], fields[2])
        (rate, channels, frames, variant) = (Int(fields[3])!, Int(fields[4])!, Int64(fields[5]), fields[6])
    }

    /// HE-AAC: a decoder without its extensions plays the core alone, at half the rate.
    var isHEAAC: Bool { codec.hasPrefix("he_aac") }

    var isMPEG4: Bool { ["m4a", "mp4", "mp4-tail", "mp4-fragmented", "3gp", "3g2", "mov"].contains(container) }

    /// The same packets in a form that other programs can read: of free-format MPEG audio, for example, frames that
    /// state their bit rate.
    var readableTwinPath: String { Corpus.directory + "/." + name.prefix(3) + ".twin" }

    /// Whether it consists of samples or blocks of one size, so that readers may differ in how many make a packet.
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
