import AudioCore
import ProgrammeJSON
import Songs
import TerminalIO
import TuttiRuntime

extension InspectCommand {
    static let lyrics = CommandSyntax.Option.flag("--lyrics", "Write the song's lyrics instead.")
    static let artwork = CommandSyntax.Option.flag(
        "--artwork", "Write the song's picture instead: JPEG, PNG, WebP or GIF, as it is.")
    static let levels = CommandSyntax.Option.flag(
        "--levels", "Write how loud the song is over its time instead: bytes, or numbers with --json.")
    static let partOptions = [lyrics, artwork, levels]

    static let lyricsNote =
        "--lyrics takes NAME.lrc beside NAME.mp3, else the song's tags (ID3's USLT and SYLT, Vorbis comments, MPEG-4, "
        + "APE), those with times first, and writes LRC, or plain lines if they have no times."
    static let artworkNote =
        "--artwork takes the first picture in the song, else a file beside it: cover, folder, front, album or "
        + "albumart, in any case, with .jpg, .jpeg, .png, .webp or .gif, of "
        + "\(Limits.artworkByteCount / 1_048_576) MiB at most."
    static let levelsNote =
        "--levels decodes the song, which may last 24 hours. Bytes: TLEV, a version, channels (1 or 2; of more the "
        + "left and the right ones are taken together), milliseconds of an interval (2 bytes, the high one first), "
        + "number of intervals (4 bytes); then for each interval and channel peak and root mean square, 0 for silence, "
        + "else (byte - 255) / 2 dBFS. 1 MiB at most: an interval is 50 ms, in songs of hours longer. With --json: "
        + "intervalSeconds, peak and rms, these with an array for each channel, in dBFS, null for silence."

    /// What is written of a song instead of an explanation.
    enum Part: Hashable, Sendable {
        case lyrics, artwork
        case levels(asJSON: Bool)

        /// Whether it is nothing for a terminal.
        fileprivate var isBinary: Bool {
            switch self {
            case .lyrics, .levels(asJSON: true): false
            case .artwork, .levels(asJSON: false): true
            }
        }
    }

    /// - Returns: nil if the song is to be explained.
    static func part(_ arguments: CommandArguments) throws(UsageError) -> Part? {
        let given = partOptions.filter(arguments.has)
        guard let option = given.first else { return nil }
        guard given.count == 1 else {
            throw UsageError(exclusive: given)
        }
        guard arguments.operands.count == 1 else {
            throw UsageError("\(option.name) takes one FILE", unfitting: [option])
        }
        let isJSON = arguments.has(DisplayFlags.json)
        if option.name == levels.name { return .levels(asJSON: isJSON) }
        guard !isJSON else { throw UsageError(exclusive: [option, DisplayFlags.json]) }
        return option.name == lyrics.name ? .lyrics : .artwork
    }

    /// Writes a part of what is known of a song to standard output; returns the exit code.
    static func write(_ part: Part, of path: String) -> Int32 {
        if part.isBinary, StandardStream.output.isTerminal {
            StandardStream.error.write("tutti: standard output is a terminal; redirect it to a file or a pipe\n")
            return RuntimeFailure.Kind.cannotCreate.rawValue
        }
        do throws(RuntimeFailure) {
            switch part {
            case .lyrics: return try writeLyrics(of: path)
            case .artwork: return try writeArtwork(of: path)
            case .levels(let asJSON):
                let levels = try SongTools.levels(path: path)
                let bytes = asJSON ? Array((levels.json.text + "\n").utf8) : levels.encoded
                return code(written: StandardStream.output.write(bytes))
            }
        } catch {
            SessionRunner.report(error)
            return error.kind.rawValue
        }
    }

    private static func writeLyrics(of path: String) throws(RuntimeFailure) -> Int32 {
        do throws(SongFailure) { _ = try SongFile(path: path) } catch { throw RuntimeFailure(error) }
        guard let lyrics = Lyrics(ofSong: path) else {
            throw RuntimeFailure(
                .general,
                .other("'\(path.withoutCredentials)' has no lyrics, nor has a file .lrc of its name beside it"))
        }
        return code(written: StandardStream.output.write(lyrics.lrc))
    }

    private static func writeArtwork(of path: String) throws(RuntimeFailure) -> Int32 {
        guard let artwork = try SongTools.artwork(path: path) else {
            throw RuntimeFailure(.general, .other("'\(path)' has no picture, and there is none beside it"))
        }
        return code(written: StandardStream.output.write(artwork.bytes))
    }

    private static func code(written: Bool) -> Int32 { written ? 0 : RuntimeFailure.Kind.lost.rawValue }
}
