import AudioCore
import Glibc
import Songs
import Testing
import TuttiRuntime

@testable import tutti

/// `tutti playlist`: its words, and the files that it exports.
@Suite(.timeLimit(.minutes(5))) struct PlaylistCommandTests {
    private let temporary = TemporaryDirectory()

    private func command(_ words: String...) throws(UsageError) -> PlaylistCommand {
        try PlaylistCommand(CommandArguments(words, syntax: PlaylistCommand.syntax))
    }

    private func refusal(_ words: String...) -> String? {
        do throws(UsageError) {
            _ = try PlaylistCommand(CommandArguments(words, syntax: PlaylistCommand.syntax))
            return nil
        } catch {
            return error.message
        }
    }

    @Test func wordsAreRequests() throws {
        #expect(try command().request == .list)
        #expect(try command("--json").isJSON)
        let save = try command("save", "party", "a.mp3", "b", "--append")
        #expect(try save.request == .save(PlaylistName("party"), ["a.mp3", "b"]) && save.overwriting == .appending)
        #expect(try command("save", "x", "--artist", "Abba", "--force").music != nil)
        #expect(try command("show", "x", "--paths").showsPaths)
        #expect(try command("remove", "x").request == .remove(PlaylistName("x")))
        #expect(try command("export", "x").request == .export(PlaylistName("x"), file: nil))
        let export = try command("export", "x", "y.m3u8", "--relative", "--force")
        #expect(try export.request == .export(PlaylistName("x"), file: "y.m3u8") && export.isRelative)
        #expect(try command("import", "/a/b.c.pls").request == .import(file: "/a/b.c.pls", PlaylistName("b.c")))
        #expect(try command("import", "b.m3u", "x").request == .import(file: "b.m3u", PlaylistName("x")))
    }

    @Test func whatMakesNoSenseIsRefused() {
        #expect(refusal("save", "x")?.contains("--artist") == true)
        #expect(refusal("save", "x", "-") == "standard input cannot be saved")
        #expect(refusal("save", "x", "a", "--append", "--force") == "--append and --force exclude each other")
        #expect(refusal("show", "x", "--paths", "--json") == "--paths and --json exclude each other")
        for words in [
            ["save"], ["save", ""], ["save", "a/b", "c"], ["show"], ["show", "x", "y"], ["remove"], ["party"],
            ["export", "x", "y.pls"], ["export", "x", "y.mp3"], ["export", "x", "--relative"],
            ["export", "x", "y.m3u8", "--append"], ["import", "x"], ["import", "x.mp3"], ["import", ".m3u"],
            ["list"], ["--paths"], ["--relative"], ["--force"], ["--artist", "x"], ["show", "x", "--artist", "y"],
            ["save", "x", "a", "--json"], ["save", "x", "a", "--paths"], ["remove", "x", "--force"],
        ] {
            #expect(throws: UsageError.self, "\(words)") {
                try PlaylistCommand(CommandArguments(words, syntax: PlaylistCommand.syntax))
            }
        }
    }

    // MARK: Files

    private func export(_ path: String, isReplaced: Bool = false, isRelative: Bool = false) -> RuntimeFailure? {
        let songs = [PlaylistSong(address: temporary.path + "/song.mp3", title: "t")]
        do throws(RuntimeFailure) {
            try PlaylistFile(path: path, isReplaced: isReplaced).write(songs, isRelative: isRelative)
            return nil
        } catch {
            return error
        }
    }

    private func text(_ name: String) throws -> String {
        String(decoding: try StateDirectory(path: temporary.path).read(name) ?? [], as: UTF8.self)
    }

    @Test func filesAreExported() throws {
        let path = temporary.path + "/list.m3u8"
        #expect(export(path) == nil)
        #expect(try text("list.m3u8") == "#EXTM3U\n#EXTINF:-1,t\n\(temporary.path)/song.mp3\n")
        #expect(export(path, isRelative: true)?.sentence == "'\(path)' exists; --force replaces it")
        #expect(export(path, isReplaced: true, isRelative: true) == nil)
        #expect(try text("list.m3u8") == "#EXTM3U\n#EXTINF:-1,t\nsong.mp3\n")
        #expect(symlink("list.m3u8", temporary.path + "/link.m3u8") == 0)
        #expect(export(temporary.path + "/link.m3u8", isReplaced: true) == nil)
        #expect(try text("list.m3u8").contains("\(temporary.path)/song.mp3"), "not the link, but what it leads to")
        #expect(Set(TemporaryDirectory.names(in: temporary.path)) == ["list.m3u8", "link.m3u8"])
    }

    @Test func songsBelowTheDirectoryAreNamedFromThereWhicheverWayTheyAreNamed() throws {
        let path = temporary.path
        for name in ["music", "music/cd", "other"] { #expect(mkdir("\(path)/\(name)", 0o700) == 0) }
        #expect(symlink("music", path + "/link") == 0)
        #expect(symlink("../other", path + "/music/away") == 0)
        let songs = ["link/a", "music/b", "link/cd/c", "link/away/d", "other/e"].map {
            PlaylistSong(address: "\(path)/\($0)", title: "t")
        }
        let web = PlaylistSong(address: "http://radio.example/f", title: "t")
        for (directory, fourth) in [("link", "away/d"), ("music", "\(path)/link/away/d")] {
            let file = try PlaylistFile(path: "\(path)/\(directory)/list.m3u8", isReplaced: true)
            #expect(try file.write(songs + [web], isRelative: true) == (directory == "link" ? 1 : 2))
            let lines = try text("music/list.m3u8").split(separator: "\n").filter { !$0.hasPrefix("#") }
            #expect(lines == ["a", "b", "cd/c", "\(fourth)", "\(path)/other/e", "http://radio.example/f"])
        }
    }

    @Test func whatIsNoFileStays() {
        #expect(export("/dev/null", isReplaced: true)?.kind == .cannotCreate)
        #expect(export(temporary.path, isReplaced: true)?.kind == .cannotCreate)
        #expect(export(temporary.path + "/none/a.m3u8")?.sentence.contains("No such file") == true)
        #expect(TemporaryDirectory.names(in: temporary.path).isEmpty)
    }

    @Test func pathsAreMadeAbsolute() throws {
        #expect(AbsolutePath.of("/a//b/./c.mp3") == "/a/b/c.mp3")
        #expect(AbsolutePath.of("/none/../c.mp3") == "/none/../c.mp3", "nobody knows where that leads")
        #expect(mkdir(temporary.path + "/a", 0o700) == 0)
        #expect(symlink("a", temporary.path + "/b") == 0)
        #expect(AbsolutePath.of(temporary.path + "/b/c.mp3") == temporary.path + "/b/c.mp3")
        #expect(AbsolutePath.of(temporary.path + "/b/../c.mp3") == temporary.path + "/c.mp3")
        let own = try #require(getcwd(nil, 0))
        defer { free(own) }
        #expect(AbsolutePath.of("./c.mp3") == String(cString: own) + "/c.mp3")
    }
}
