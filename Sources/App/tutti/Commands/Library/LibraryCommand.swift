import AudioCore
import Glibc
import MusicLibrary
import TerminalIO
import TuttiRuntime

/// `tutti library [add FOLDER... | remove FOLDER... | update]`
struct LibraryCommand: Command {
    static let syntax = CommandSyntax(
        name: "library",
        summary: "Lists the music folders, and changes which they are.",
        operands: [
            .init(
                name: "WORDS", isRequired: false, repeats: true,
                help:
                    "Nothing: list the folders and how many songs are in them. add FOLDER...: search these, too. remove "
                    + "FOLDER...: no longer. update: read what is new or changed now.",
                candidates: .verbs([.init("add", .folders), .init("remove", .folders), .init("update")]))
        ],
        options: [DisplayFlags.json, .help],
        notes: [
            "Without a folder of your own the desktop's is searched, by default ~/Music. The first folder that is added takes "
                + "its place.",
            "What the songs say of themselves, and where their pictures are, is kept in an index in the cache directory. It "
                + "can be deleted at any time, and is made anew. Songs of a folder that is not there now, as of a share, stay in it.",
            "Exit code: 0; 64 for a wrong command line, 66 for a folder that is none, 69 without SQLite, 73 where the list of "
                + "folders cannot be written, or update cannot write the index, 74 for a failing disk, 75 if the index is "
                + "in use.",
        ],
        examples: [
            .init(command: "tutti library", meaning: "which folders are searched"),
            .init(command: "tutti library add /srv/music", meaning: "this one, and those that were added before"),
            .init(command: "tutti library update", meaning: "after songs came; 'tutti search' does it once a minute"),
        ])

    enum Request: Hashable {
        case list
        case add([String])
        case remove([String])
        case update
    }

    let request: Request
    let isJSON: Bool

    init(_ arguments: CommandArguments) throws(UsageError) {
        request = try Self.request(arguments.operands)
        isJSON = arguments.has(DisplayFlags.json)
        guard request == .list || !isJSON else {
            throw UsageError("--json is for the list", unfitting: [DisplayFlags.json])
        }
    }

    static func request(_ words: [String]) throws(UsageError) -> Request {
        let rest = Array(words.dropFirst())
        switch (words.first, rest.isEmpty) {
        case (nil, _): return .list
        case ("update", true): return .update
        case ("add", false) where !rest.contains(""): return .add(rest)
        case ("remove", false) where !rest.contains(""): return .remove(rest)
        default: throw UsageError("write: tutti library, alone or with add FOLDER, remove FOLDER or update")
        }
    }

    func run() -> Int32 {
        SessionRunner.exitCode { () throws(RuntimeFailure) in
            switch request {
            case .list: try list()
            case .add(let names): try add(names)
            case .remove(let names): try remove(names)
            case .update: try update()
            }
        }
    }

    private func list(afterChange isChanged: Bool = false) throws(RuntimeFailure) {
        let library = try UserLibrary()
        try library.refresh(after: isChanged ? 0 : UserLibrary.freshSeconds)
        var counts: [(folder: String, count: Int)] = []
        for folder in library.folders { counts.append((folder, try library.songCount(in: folder))) }
        if isJSON {
            ListOutput.write(
                counts.map { .object(["folder": .string($0.folder), "songCount": .integer(Int64($0.count))]) })
        } else {
            ListOutput.write(Self.table(counts))
            if !isChanged, let line = PlayCounts.known()?.summary { StandardStream.output.write(line + "\n") }
        }
    }

    static func table(_ counts: [(folder: String, count: Int)]) -> Table {
        var table = Table(columns: [
            .init(title: "songs", alignment: .right, dropOrder: 1), .init(title: "folder", dropOrder: 0),
        ])
        table.rows = counts.map { [.init(text: "\($0.count)"), .init(text: $0.folder.terminalSafe, style: .strong)] }
        return table
    }

    private func update() throws(RuntimeFailure) {
        let library = try UserLibrary()
        let outcome = try library.update()
        let pictures =
            outcome.pictureCount == 0 ? "" : "; pictures in folders: \(outcome.pictureCount) new, changed or gone"
        StandardStream.output.write(
            "\(try library.songCount()) songs: \(outcome.addedCount) new, \(outcome.changedCount) changed, "
                + "\(outcome.removedCount) gone\(pictures)\n")
    }

    // MARK: Folders

    private func add(_ names: [String]) throws(RuntimeFailure) {
        var paths: [String] = []
        for name in names { paths.append(try Self.folder(name)) }
        var isFull = false
        try change { folders in
            var longer = folders
            for path in paths where !longer.contains(path) { longer.append(path) }
            isFull = longer.count > MusicFolders.countLimit
            if !isFull { folders = longer }
        }
        guard isFull else { return try list(afterChange: true) }
        throw RuntimeFailure(
            .cannotCreate, .other("there may be \(MusicFolders.countLimit) music folders; add the one above them"))
    }

    private func remove(_ names: [String]) throws(RuntimeFailure) {
        var unknown: String?
        try change { folders in
            // As it is listed, or as it is found today.
            let paths = names.map { name in
                folders.first { $0 == name.trimmingSlash } ?? Self.realPath(name) ?? name
            }
            unknown = zip(names, paths).first { !folders.contains($0.1) }?.0
            if unknown == nil { folders.removeAll { paths.contains($0) } }
        }
        guard let unknown else { return try list(afterChange: true) }
        throw RuntimeFailure(
            .missingInput,
            .other(
                "'\(unknown)' was not added, so it cannot be removed; 'tutti library' lists the folders, and without one "
                    + "of your own the desktop's"))
    }

    private func change(_ body: (inout [String]) -> Void) throws(RuntimeFailure) {
        guard let directory = StateDirectory.standard() else {
            throw RuntimeFailure(.cannotCreate, .other("HOME is not set: there is no place for the list of folders"))
        }
        do throws(StateError) {
            try MusicFolders(directory: directory).update(body)
        } catch {
            throw RuntimeFailure(.cannotCreate, .other("\(error)"))
        }
    }

    private static func folder(_ name: String) throws(RuntimeFailure) -> String {
        guard let resolved = realpath(name, nil) else {
            throw RuntimeFailure(.missingInput, .other("'\(name)': \(String(cString: strerror(errno))); name a folder"))
        }
        defer { free(resolved) }
        guard let path = String(validatingCString: resolved), !path.contains("\n") else {
            throw RuntimeFailure(.missingInput, .other("'\(name)' lies in a folder whose name is not plain text"))
        }
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
            throw RuntimeFailure(.missingInput, .other("'\(name)' is no folder; name the one that holds the music"))
        }
        return path
    }

    /// Returns the path without links and relative parts; nil if there is nothing.
    private static func realPath(_ name: String) -> String? {
        guard let path = realpath(name, nil) else { return nil }
        defer { free(path) }
        return String(validatingCString: path)
    }
}

extension String {
    fileprivate var trimmingSlash: String { count > 1 && hasSuffix("/") ? String(dropLast()) : self }
}
