import TuttiRuntime

/// Songs beside those that are named by their files: those of saved playlists, and by what they say of themselves.
struct SongFlags: Hashable {
    static let playlist = CommandSyntax.Option.value(
        "--playlist", "NAME", repeats: true, candidates: .names(.playlists),
        "The songs of a saved playlist: 'tutti playlist' lists them.")
    static let choose = CommandSyntax.Option.flag(
        "--choose", "On a terminal: show what these options find, numbered, and ask which songs to take.")
    static let options = MusicFlags.options + [playlist, choose]
    static let names = (MusicFlags.options + [playlist]).map(\.name).joined(separator: ", ")

    private let playlists: [PlaylistName]
    private let music: MusicFlags?
    private let isChosen: Bool

    /// Returns nil if none was given.
    /// - Parameter canAsk: whether there is a terminal to ask on.
    init?(
        _ arguments: CommandArguments, canAsk: Bool = SongQuestion.isPossible
    ) throws(UsageError) {
        var playlists: [PlaylistName] = []
        for name in arguments.values(of: Self.playlist) {
            do throws(UsageError) {
                playlists.append(try PlaylistName(name))
            } catch {
                throw UsageError(valueOf: Self.playlist.name, error.message)
            }
        }
        self.playlists = playlists
        music = try MusicFlags(arguments)
        isChosen = arguments.has(Self.choose)
        guard !playlists.isEmpty || music != nil else {
            guard !isChosen else {
                throw UsageError("--choose is for what is found by \(Self.names)", unfitting: [Self.choose])
            }
            return nil
        }
        guard isChosen else { return }
        guard !arguments.operands.contains("-") else {
            throw UsageError(
                "--choose takes its answer from standard input, where the song comes from", unfitting: [Self.choose])
        }
        guard canAsk else {
            throw UsageError("--choose asks on a terminal, and there is none", unfitting: [Self.choose])
        }
    }

    /// Returns paths and URLs: the playlists', then what is found, as albums are played. Blocks while the music folders
    /// are read, and while the user is
    /// asked.
    /// - Throws: if nothing is found or, with exit code 1, if the user takes nothing of it.
    func paths() throws(RuntimeFailure) -> [String] {
        var paths: [String] = []
        for name in playlists { paths += try SavedPlaylists.standard().songsThere(of: name) }
        paths += try music?.paths() ?? []
        return isChosen ? try Self.choose(paths) : paths
    }

    private static func choose(_ paths: [String]) throws(RuntimeFailure) -> [String] {
        switch SongQuestion(list: ChoiceList(songs: KnownSongs().choices(of: paths))).ask() {
        case .all: return paths
        case .some(let positions): return positions.map { paths[$0] }
        case .none: throw RuntimeFailure(.general, .other("no song was taken"))
        }
    }

    /// Runs a session of songs, these behind those that were named. What finds none, fails before it.
    static func run(_ paths: [String], _ songs: SongFlags?, _ session: ([String]) -> Int32) -> Int32 {
        do throws(RuntimeFailure) {
            return session(try paths + (songs?.paths() ?? []))
        } catch {
            SessionRunner.report(error)
            return error.kind.rawValue
        }
    }
}
