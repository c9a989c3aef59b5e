import AudioCore
import Glibc
import Songs
import StreamTestKit
import Synchronization
import Testing
import TuttiRuntime

/// What a broadcast says of a song that it cannot play, or not all of; the kind of a failure is the exit code.
@Suite(.serialized, .timeLimit(.minutes(5))) struct BadSongTests {
    /// A directory that goes away with what is in it.
    private final class SongFolder {
        let directory = String(cString: mkdtemp(strdup("/tmp/tutti-songs-XXXXXX")))
        private var names: [String] = []

        deinit {
            for name in names { unlink(directory + "/" + name) }
            rmdir(directory)
        }

        func put(_ bytes: [UInt8], as name: String) -> String {
            names.append(name)
            let path = directory + "/" + name
            let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
            _ = write(file, bytes, bytes.count)
            close(file)
            return path
        }
    }

    /// How it ended, and what was said besides.
    private func broadcast(_ path: String) -> (result: Result<RuntimeOutcome, RuntimeFailure>, notices: [RuntimeNotice])
    {
        var options = BroadcastOptions()
        options.start = .now
        options.network.port = freePort()
        options.network.usesDiscovery = false
        let notices = Mutex<[RuntimeNotice]>([])
        let broadcaster = Broadcaster(songs: [path], options: options, identity: .test("study"))
        let result = Result<RuntimeOutcome, RuntimeFailure> { () throws(RuntimeFailure) in
            try broadcaster.run { event in
                guard case .notice(let notice) = event, notice.concernsThisBroadcast else { return }
                notices.withLock { $0.append(notice) }
            }
        }
        return (result, notices.withLock { $0 })
    }

    private func expect(
        _ path: String, fails kind: SongFailure.Kind, _ text: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let (result, notices) = broadcast(path)
        // The same line as `tutti inspect` has.
        let failure = SongFailure(kind, "'\(path)' \(text)")
        #expect(SongTools.inspect(path: path).failure == failure, sourceLocation: sourceLocation)
        #expect(result == .failure(RuntimeFailure(failure)), sourceLocation: sourceLocation)
        // One line, and no other.
        #expect(notices.isEmpty && !text.contains("\n"), "\(notices)", sourceLocation: sourceLocation)
    }

    @Test func exitCodesAreThoseOfSysexits() {
        #expect(RuntimeFailure.Kind.unusableInput.rawValue == EX_DATAERR)
        #expect(RuntimeFailure.Kind.missingInput.rawValue == EX_NOINPUT)
    }

    @Test func whatIsNoFile() {
        let songFolder = SongFolder()
        let song = songFolder.put([1], as: "song.mp3")
        expect(songFolder.directory + "/none.mp3", fails: .missing, "does not exist; check the path")
        expect(song + "/none.mp3", fails: .missing, "does not exist; check the path")
        // A broadcast takes the songs in it.
        let directory = SongFailure(.missing, "'\(songFolder.directory)' is a directory; name a song in it")
        #expect(SongTools.inspect(path: songFolder.directory).failure == directory)
        expect("/dev/null", fails: .missing, "is not a file; name a song")
    }

    private static let unknown =
        "is not a song that Tutti knows (MP3, AAC, MPEG-4, FLAC, WAVE, AIFF, CAF, AU, Ogg, AC-3 or AMR)"
    /// A tag that says of itself that it is 100 bytes long, before anything else.
    private static let tag = Array("ID3".utf8) + [4, 0, 0, 0, 0, 0, 100] + [UInt8](repeating: 0, count: 100)
    private static let waveHead = Array("RIFF".utf8) + [36, 0, 0, 0] + Array("WAVEfmt ".utf8)
    private static let format: [UInt8] = [16, 0, 0, 0, 1, 0, 1, 0, 0x40, 0x1F, 0, 0, 0x80, 0x3E, 0, 0, 2, 0, 16, 0]
    private static func data(_ statedByteCount: UInt8, _ byteCount: Int) -> [UInt8] {
        Array("data".utf8) + [statedByteCount, 0, 0, 0] + [UInt8](repeating: 5, count: byteCount)
    }

    private static let unplayable: [(name: String, bytes: [UInt8], line: String)] = [
        ("empty", [], "is empty; choose a song"),
        ("one byte", [0xFF], unknown),
        ("text", Array("Dear diary, nothing sounded today.\n".utf8), unknown),
        (
            "picture", [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + [UInt8](repeating: 0x55, count: 9_000),
            unknown
        ),
        ("zeros", [UInt8](repeating: 0, count: 300_000), unknown),
        ("Ogg", Array("OggS".utf8) + [UInt8](repeating: 0, count: 100), "holds no audio"),
        ("a tag alone", tag, "holds no audio"),
        ("half a tag", Array(tag.prefix(50)), "holds no audio"),
        ("the head of a WAVE", waveHead, "holds no audio"),
        ("half a format", waveHead + format.prefix(9), "holds no audio"),
        ("a WAVE without data", waveHead + format, "holds no audio"),
        ("a WAVE of no frames", waveHead + format + data(0, 0), "holds no audio"),
        (
            "data before their format", Array("RIFF".utf8) + [36, 0, 0, 0] + Array("WAVE".utf8) + data(4, 4),
            "is damaged: WAVE's data at byte 12 come before their format"
        ),
        (
            "compressed WAVE", waveHead + [16, 0, 0, 0, 0x02, 0] + format.dropFirst(6) + data(4, 4),
            "holds audio that cannot be played: WAVE with Microsoft ADPCM"
        ),
    ]

    @Test(arguments: unplayable.indices) func whatIsNoSong(index: Int) {
        let song = Self.unplayable[index]
        let songFolder = SongFolder()
        expect(songFolder.put(song.bytes, as: song.name), fails: .unusable, song.line)
    }

    /// As far as it goes it is played.
    @Test func aSongThatIsCutOffIsPlayedAndSaidToBe() {
        let songFolder = SongFolder()
        let whole = Self.waveHead + Self.format + Array("data".utf8) + [0x00, 0xFA, 0, 0]
        let (result, notices) = broadcast(songFolder.put(whole + [UInt8](repeating: 0, count: 16_000), as: "song.wav"))
        #expect(result == .success(.completed))
        let isTold = notices.contains {
            guard case .broadcast(.songCutOff(seconds: 1, of: 4, let problem?)) = $0 else { return false }
            return "\(problem)" == "cut off at byte 16044, 48000 bytes missing"
        }
        #expect(notices.count == 1 && isTold, "\(notices)")
    }

    private static let sound = waveHead + format + data(250, 250)

    /// How a broadcast ended, what was said besides, and how many songs were heard.
    private func broadcast(
        _ paths: [String]
    ) -> (result: Result<RuntimeOutcome, RuntimeFailure>, notices: [RuntimeNotice], playedCount: Int) {
        var options = BroadcastOptions()
        options.start = .now
        options.network.port = freePort()
        options.network.usesDiscovery = false
        let notices = Mutex<[RuntimeNotice]>([])
        let titles = Mutex<[String]>([])
        let broadcaster = Broadcaster(songs: paths, options: options, identity: .test("study"))
        let result = Result<RuntimeOutcome, RuntimeFailure> { () throws(RuntimeFailure) in
            try broadcaster.run { event in
                switch event {
                case .notice(let notice) where notice.concernsThisBroadcast: notices.withLock { $0.append(notice) }
                case .broadcast(let status):
                    guard let title = status.song?.title else { return }
                    titles.withLock { if $0.last != title { $0.append(title) } }
                default: break
                }
            }
        }
        return (result, notices.withLock { $0 }, titles.withLock(\.count))
    }

    /// Of several songs those that cannot be played are told of, each with its own line, and the others are played.
    @Test func theNextSongFollowsABrokenOne() {
        let songFolder = SongFolder()
        let paths = [
            songFolder.put(Array("diary".utf8), as: "text"), songFolder.put(Self.sound, as: "one.wav"),
            songFolder.directory + "/none", songFolder.put(Self.sound, as: "two.wav"),
        ]
        let (result, notices, playedCount) = broadcast(paths)
        #expect(result == .failure(RuntimeFailure(.unusableInput, .songsFailed(count: 2, of: 4))))
        let failures = [
            RuntimeFailure(SongFailure(.unusable, "'\(paths[0])' \(Self.unknown)")),
            RuntimeFailure(SongFailure(.missing, "'\(paths[2])' does not exist; check the path")),
        ]
        #expect(notices == failures.map { .song(.passedOver($0)) })
        #expect(playedCount == 2)
    }

    @Test func theSongsOfADirectoryAndAPlaylistArePlayed() {
        let songFolder = SongFolder()
        _ = songFolder.put(Self.sound, as: "one.wav")
        _ = songFolder.put(Self.sound, as: "two.wav")
        _ = songFolder.put(Array("diary".utf8), as: "text")
        let list = songFolder.put(Array("one.wav\nftp://x/y.mp3\n".utf8), as: "list.m3u")
        let (result, notices, playedCount) = broadcast([songFolder.directory, list])
        #expect(result == .success(.completed))
        let problem = "'\(list)' names 'ftp://x/y.mp3': ftp URLs cannot be played; files, http and https URLs can"
        #expect(notices == [.song(.listProblem(problem))])
        #expect(playedCount == 3)
    }

    @Test func aDirectoryWithoutSongsIsNotBroadcast() {
        let songFolder = SongFolder()
        _ = songFolder.put(Array("diary".utf8), as: "text")
        let (result, notices, _) = broadcast([songFolder.directory])
        let text =
            "'\(songFolder.directory)' holds no songs, nor do its subdirectories; name another directory, or a song"
        #expect(result == .failure(RuntimeFailure(SongFailure(.missing, text))))
        #expect(notices.isEmpty)
    }

    @Test func aBroadcastThatWasStoppedPlaysNothing() {
        let songFolder = SongFolder()
        let path = songFolder.put(Self.sound, as: "one.wav")
        for paths in [[path, path], [songFolder.directory]] {
            let broadcaster = Broadcaster(songs: paths, options: BroadcastOptions(), identity: .test("study"))
            broadcaster.stop()
            #expect((try? broadcaster.run { _ in }) == .interrupted)
        }
    }
}
