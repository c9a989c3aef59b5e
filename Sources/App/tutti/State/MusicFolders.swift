import Glibc

/// The folders with this user's music: those that were named by `tutti library add`, one on each line of a file in the
/// state directory; or else the one of the desktop (xdg-user-dirs), by default `~/Music`.
struct MusicFolders {
    static let fileName = "music-folders"

    /// The most folders that are kept.
    static let countLimit = 256
    /// For as many paths as long as the system allows.
    private static let byteCountLimit = countLimit * Int(PATH_MAX)

    let directory: StateDirectory

    /// Absolute paths.
    func folders() throws(StateError) -> [String] {
        let named = try named()
        return named.isEmpty ? Self.ofDesktop().map { [$0] } ?? [] : named
    }

    /// Those that the user has named; empty where the desktop's is searched.
    func named() throws(StateError) -> [String] {
        let bytes = try directory.read(Self.fileName, limit: Self.byteCountLimit) ?? []
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
            .filter { $0.hasPrefix("/") }
    }

    /// Takes the folders that the user has named, and stores what `change` makes of them.
    func update(_ change: (inout [String]) -> Void) throws(StateError) {
        try directory.exclusively { () throws(StateError) in
            let named = try named()
            var folders = named
            change(&folders)
            guard folders != named else { return }
            guard !folders.isEmpty else { return try directory.remove(Self.fileName) }
            try directory.write(Array(folders.map { $0 + "\n" }.joined().utf8), to: Self.fileName)
        }.get()
    }

    // MARK: The desktop's

    private static func ofDesktop() -> String? {
        guard let home = StateDirectory.home() else { return nil }
        let configuration = StateDirectory.environment("XDG_CONFIG_HOME").flatMap { $0.hasPrefix("/") ? $0 : nil }
        let directory = StateDirectory(path: configuration ?? home + "/.config")
        let bytes = (try? directory.read("user-dirs.dirs")) ?? nil
        return music(in: String(decoding: bytes ?? [], as: UTF8.self), home: home) ?? home + "/Music"
    }

    /// Returns what a file of xdg-user-dirs gives: `XDG_MUSIC_DIR="$HOME/Musik"`, or an absolute path (its man page).
    static func music(in text: String, home: String) -> String? {
        for line in text.split(separator: "\n") where line.hasPrefix("XDG_MUSIC_DIR=\"") && line.hasSuffix("\"") {
            let value = line.dropFirst("XDG_MUSIC_DIR=\"".count).dropLast()
            let path = value.hasPrefix("$HOME/") ? home + value.dropFirst("$HOME".count) : String(value)
            // The home directory itself says that there is none.
            if path.hasPrefix("/"), path != home, path != home + "/" { return path }
        }
        return nil
    }
}
