import AudioCore
import Glibc
import Songs
import Testing
import TuttiRuntime

@testable import tutti

/// Playlists on the disk.
@Suite(.timeLimit(.minutes(5))) struct SavedPlaylistsTests {
    private let temporary = TemporaryDirectory()
    private var playlists: SavedPlaylists {
        SavedPlaylists(directory: StateDirectory(path: temporary.path + "/a/playlists"))
    }

    private func plain(_ addresses: [String]) -> [PlaylistSong] {
        addresses.map { PlaylistSong(address: $0, title: "t") }
    }

    private func failure(_ body: () throws(RuntimeFailure) -> Void) -> RuntimeFailure? {
        do throws(RuntimeFailure) { try body() } catch { return error }
        return nil
    }

    @Test func whatIsSavedIsThereTheNextTime() throws {
        #expect(try playlists.names().isEmpty)
        let (party, quiet) = (try PlaylistName("Party, 80%"), try PlaylistName("evening"))
        let songs = ["/m/a.mp3", "http://radio.example/b?c#d", "/m/with\nbreak"]
        #expect(try playlists.save(plain(songs), as: party, .refused) == 3)
        try playlists.save(plain([]), as: quiet, .refused)
        #expect(try playlists.songs(of: party) == songs)
        #expect(try playlists.songs(of: quiet).isEmpty)
        #expect(try playlists.names().map(\.text) == ["evening", "Party, 80%"])
        #expect(try playlists.save(plain(["/m/z"]), as: party, .appending) == 4)
        #expect(try playlists.songs(of: party) == songs + ["/m/z"])
        try playlists.save(plain(["/m/y"]), as: party, .replacing)
        #expect(try playlists.songs(of: party) == ["/m/y"])
        try playlists.remove(party)
        #expect(try playlists.names() == [quiet])
        #expect(TemporaryDirectory.names(in: playlists.directory.path) == ["evening.m3u8"])
    }

    @Test func nothingIsReplacedUnasked() throws {
        let name = try PlaylistName("x")
        try playlists.save(plain(["/m/a"]), as: name, .refused)
        let refusal = failure { () throws(RuntimeFailure) in
            try playlists.save(plain(["/m/b"]), as: name, .refused)
        }
        #expect(refusal?.kind == .cannotCreate && refusal?.sentence.contains("--force") == true)
        #expect(try playlists.songs(of: name) == ["/m/a"])
    }

    @Test func unknownOnesAreToldWithWhatWasMeant() throws {
        try playlists.save(plain([]), as: PlaylistName("evening"), .refused)
        let refusals = [
            failure { () throws(RuntimeFailure) in try playlists.remove(name("evning")) },
            failure { () throws(RuntimeFailure) in _ = try playlists.songs(of: name("evning")) },
            failure { () throws(RuntimeFailure) in _ = try playlists.songsThere(of: name("evning")) },
        ]
        for refusal in refusals {
            #expect(refusal?.sentence == "there is no playlist 'evning'; did you mean 'evening'?")
            #expect(refusal?.kind == .missingInput)
        }
    }

    private func name(_ text: String) throws(RuntimeFailure) -> PlaylistName {
        do throws(UsageError) { return try PlaylistName(text) } catch {
            throw RuntimeFailure(.usage, .other(error.message))
        }
    }

    /// What is in it may come from another program: relative names are of the list's own directory.
    @Test func whatOthersPutThereIsUsed() throws {
        try playlists.directory.write(Array("../b.mp3\n-\nrtsp://x/y\n".utf8), to: "own.m3u8")
        try playlists.directory.write([1, 2], to: "own.txt")
        try playlists.directory.write([], to: "\u{1B}[31m.m3u8")
        #expect(try playlists.names().map(\.text) == ["own"])
        let path = playlists.directory.path
        #expect(try playlists.songs(of: PlaylistName("own")) == ["\(path)/../b.mp3", "\(path)/-", "rtsp://x/y"])
    }

    @Test func songsThatAreGoneAreLeftOut() throws {
        let there = temporary.path + "/song.mp3"
        close(open(there, O_CREAT | O_WRONLY, 0o600))
        let name = try PlaylistName("x")
        try playlists.save(plain(["/none/a.mp3", there, "http://a/b"]), as: name, .refused)
        #expect(try playlists.songsThere(of: name) == [there, "http://a/b"])
        try playlists.save(plain(["/none/a.mp3", "/none/b.mp3"]), as: name, .replacing)
        let refusal = failure { () throws(RuntimeFailure) in _ = try playlists.songsThere(of: name) }
        #expect(refusal?.kind == .missingInput && refusal?.sentence.contains("'/none/a.mp3'") == true)
        try playlists.save(plain([]), as: name, .replacing)
        #expect(failure { () throws(RuntimeFailure) in _ = try playlists.songsThere(of: name) } != nil)
    }

    @Test func aListThatCouldNotBeReadIsNotWritten() throws {
        let name = try PlaylistName("x")
        try playlists.save(plain(["/m/a"]), as: name, .refused)
        let songs = [String](repeating: "/" + String(repeating: "x", count: 4_000), count: 1_100)
        let refusal = failure { () throws(RuntimeFailure) in
            try playlists.save(plain(songs), as: name, .appending)
        }
        #expect(refusal?.kind == .unusableInput)
        #expect(try playlists.songs(of: name) == ["/m/a"])
    }

    @Test func whatIsAppendedToStaysAsItIs() throws {
        let name = try PlaylistName("radio")
        let old = "#EXTM3U\r\n#PLAYLIST:Stations\r\n#EXTINF:-1 tvg-id=\"a,b\",One\r\nhttp://radio.example/1"
        try playlists.directory.write(Array(old.utf8), to: "radio.m3u8")
        #expect(try playlists.save(plain(["/m/a"]), as: name, .appending) == 2)
        let text = try String(decoding: playlists.directory.read("radio.m3u8") ?? [], as: UTF8.self)
        #expect(text == old + "\n#EXTINF:-1,t\n/m/a\n")
        #expect(try playlists.entries(of: name).map(\.title) == ["One", "t"])
    }

    /// A list may be kept elsewhere, and be a link here.
    @Test func whatALinkLeadsToIsWritten() throws {
        let elsewhere = StateDirectory(path: temporary.path + "/elsewhere")
        try elsewhere.write(Array("/m/a\n".utf8), to: "list.m3u", mode: 0o640)
        try playlists.directory.makeDirectory()
        let link = playlists.directory.path(of: "x.m3u8")
        #expect(symlink(elsewhere.path(of: "list.m3u"), link) == 0)
        try playlists.save(plain(["/m/b"]), as: name("x"), .appending)
        let text = try String(decoding: elsewhere.read("list.m3u") ?? [], as: UTF8.self)
        #expect(text == "/m/a\n#EXTINF:-1,t\n/m/b\n")
        var status = stat()
        #expect(lstat(link, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
        #expect(stat(link, &status) == 0 && status.st_mode & 0o777 == 0o640)
        try elsewhere.remove("list.m3u")
        let refusal = failure { () throws(RuntimeFailure) in
            try playlists.save(plain(["/m/b"]), as: name("x"), .replacing)
        }
        #expect(refusal?.kind == .cannotCreate, "what the link leads to may come back")
        #expect(lstat(link, &status) == 0 && status.st_mode & S_IFMT == S_IFLNK)
    }

    @Test func aListThatCannotBeReadSaysWhy() throws {
        #expect(mkdir(temporary.path + "/a", 0o700) == 0 && mkdir(playlists.directory.path, 0o700) == 0)
        #expect(mkdir(playlists.directory.path(of: "x.m3u8"), 0o700) == 0)
        let unread = failure { () throws(RuntimeFailure) in _ = try playlists.songs(of: name("x")) }
        #expect(unread?.kind == .missingInput && unread?.sentence.hasPrefix("cannot read ") == true)
        let tooMuch = [UInt8](repeating: UInt8(ascii: "a"), count: Playlist.byteCountLimit + 1)
        try playlists.directory.write(tooMuch, to: "y.m3u8")
        let tooLarge = failure { () throws(RuntimeFailure) in _ = try playlists.songs(of: name("y")) }
        #expect(tooLarge?.kind == .unusableInput)
        #expect(tooLarge?.sentence == "playlist 'y' has more than 4 MiB, too large for a list")
    }

    @Test func aPlaceThatCannotBeWrittenSaysSo() throws {
        let file = StateDirectory(path: temporary.path)
        try file.write([1], to: "file")
        let playlists = SavedPlaylists(directory: StateDirectory(path: file.path(of: "file") + "/playlists"))
        let refusal = failure { () throws(RuntimeFailure) in
            try playlists.save(plain(["/m/a"]), as: name("x"), .refused)
        }
        #expect(refusal?.kind == .cannotCreate)
        #expect(refusal?.sentence.contains(file.path(of: "file")) == true)
    }

    @Test func processesThatAddAtTheSameMomentLoseNothing() async throws {
        let (playlists, name) = (playlists, try PlaylistName("x"))
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<32 {
                group.addTask {
                    _ = try? playlists.save([PlaylistSong(address: "/m/\(index)", title: "")], as: name, .appending)
                }
            }
        }
        #expect(try Set(playlists.songs(of: name)).count == 32)
    }

    @Test(arguments: ["a", "Ärger & 80%", "-x", "a.m3u8", String(repeating: "x", count: 200)])
    func namesOfLists(text: String) throws {
        #expect(try PlaylistName(text).text == text)
        try playlists.save(plain(["/m/a"]), as: PlaylistName(text), .refused)
        #expect(try playlists.names().map(\.text) == [text])
    }

    @Test(arguments: [
        "", " ", ".", "..", ".a", "a/b", "/", "a\nb", "a\u{1B}[1m", "a\u{202E}b", String(repeating: "x", count: 201),
    ])
    func noNamesOfLists(text: String) {
        #expect(throws: UsageError.self) { try PlaylistName(text) }
    }
}
