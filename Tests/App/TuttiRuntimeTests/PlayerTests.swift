import AudioCore
import Glibc
import HostSystem
import StreamTestKit
import Synchronization
import Testing
import TuttiRuntime

/// Songs played into a file, as they would go to a sound card.
@Suite(.serialized, .timeLimit(.minutes(5))) struct PlayerTests {
    private let noiseFiles = NoiseFiles()

    // MARK: Whole songs

    /// The card is opened at the song's rate.
    @Test(arguments: [48_000, 44_100, 8_000]) func aSongIsHeardSampleForSample(rate: Int) throws {
        let song = try noiseFiles.make("a.wav", seconds: 1.3, rate: rate)
        let played = try Played([song.path], on: noiseFiles)
        #expect(try played.result.get() == .completed)
        #expect(played.sound == song.samples)
        #expect(played.states == [.playing, .ended] && played.warnings.isEmpty)
        #expect(played.statuses.last?.song.elapsed == .milliseconds(1_300))
        #expect(played.statuses.last?.song.title == "a.wav")
    }

    @Test func oneSongFollowsTheOther() throws {
        let songs = try ["a.wav", "b.wav", "c.wav"].map { try noiseFiles.make($0, seconds: 0.4) }
        let played = try Played(songs.map(\.path), on: noiseFiles)
        #expect(try played.result.get() == .completed)
        #expect(played.sound == songs.flatMap(\.samples))
        #expect(played.statuses.allSatisfy { $0.hasNext == ($0.song.title != "c.wav") })
        #expect(Set(played.statuses.compactMap(\.song.path)) == Set(songs.map(\.path)))
    }

    @Test func whatCannotBePlayedIsToldOfAndPassedOver() throws {
        let song = try noiseFiles.make("a.wav", seconds: 0.3)
        let broken = noiseFiles.path("broken.mp3")
        try Tool.run("head -c 5000 /dev/zero > broken.mp3", in: noiseFiles.directory)
        let played = try Played([broken, song.path, noiseFiles.path("missing.flac")], on: noiseFiles)
        #expect(played.sound == song.samples)
        let failures = played.warnings.compactMap { notice -> RuntimeFailure? in
            if case .song(.passedOver(let failure)) = notice { failure } else { nil }
        }
        #expect(failures.map(\.kind) == [.unusableInput, .missingInput] && played.warnings.count == 2)
        #expect(
            failures.allSatisfy {
                if case .song(let song) = $0.reason { song.message.contains("'/") } else { false }
            })
        guard case .failure(let failure) = played.result else {
            Issue.record("no failure")
            return
        }
        #expect(failure == RuntimeFailure(.unusableInput, .songsFailed(count: 2, of: 3)))
        let alone = try Played([broken], on: noiseFiles)
        #expect(alone.result == .failure(SongTools.inspect(path: broken).failure.map { RuntimeFailure($0) }!))
    }

    @Test func aPipeIsPlayedAsItComes() throws {
        let song = try noiseFiles.make("a.wav", seconds: 0.7)
        mkfifo(noiseFiles.path("fifo"), 0o600)
        let bytes = try Tool.readFile(song.path)
        let fifo = noiseFiles.path("fifo")
        // Faster than real time, but in pieces.
        let writer = try HostThread(name: "writer") {
            let file = open(fifo, O_WRONLY | O_CLOEXEC)
            defer { close(file) }
            for piece in [bytes.prefix(40_000), bytes.dropFirst(40_000)] {
                piece.withUnsafeBytes { _ = write(file, $0.baseAddress, $0.count) }
                sleepThread(for: .milliseconds(100))
            }
        }
        let played = try Played([fifo], on: noiseFiles)
        writer.join()
        // Nobody is told to open it.
        #expect(played.statuses.allSatisfy { $0.song.path == nil })
        #expect(try played.result.get() == .completed)
        #expect(played.sound == song.samples)
    }

    // MARK: Commands

    @Test func aPauseLosesNothing() throws {
        let song = try noiseFiles.make("a.wav", seconds: 1.5)
        let played = try Played(
            [song.path], on: noiseFiles,
            steps: [
                .init(at: .milliseconds(400), .togglePause),
                .init({ $0.state == .paused }, .togglePause),
            ])
        #expect(try played.result.get() == .completed)
        #expect(played.states == [.playing, .paused, .playing, .ended])
        // Faded or not, every frame is there once: zeros are in the pause only.
        #expect(played.sound.count == song.samples.count)
        let differing = zip(played.sound, song.samples).count(where: { $0 != $1 })
        #expect((1...2 * (480 + 240)).contains(differing), "\(differing) samples differ")
    }

    /// A closed lid and a call may both pause it.
    @Test func whatIsPausedTwiceStaysPaused() throws {
        let song = try noiseFiles.make("a.wav", seconds: 1.5)
        let played = try Played(
            [song.path], on: noiseFiles,
            steps: [
                .init(at: .milliseconds(400), .setPaused(true)), .init({ $0.state == .paused }, .setPaused(true)),
                .init({ $0.state == .paused }, .setPaused(false)),
            ])
        #expect(try played.result.get() == .completed)
        #expect(played.states == [.playing, .paused, .playing, .ended])
        #expect(played.sound.count == song.samples.count)
    }

    @Test func aSeekGoesOnAtThatFrame() throws {
        let song = try noiseFiles.make("a.wav", seconds: 9)
        let played = try Played(
            [song.path], on: noiseFiles, steps: [.init(at: .milliseconds(400), .seek(by: .seconds(8)))])
        #expect(try played.result.get() == .completed)
        let seconds = Double(played.sound.count) / 2 / 48_000
        #expect((0.8...2).contains(seconds), "\(seconds) s were heard")
        // From the end of the fade in on it is the song's end, whole.
        #expect(Array(played.sound.suffix(20_000)) == Array(song.samples.suffix(20_000)))
    }

    @Test func seeksAddUpAlsoBeforeTheFirstIsHeard() throws {
        let song = try noiseFiles.make("a.wav", seconds: 9)
        let played = try Played(
            [song.path], on: noiseFiles,
            steps: Array(repeating: .init(at: .milliseconds(200), .seek(by: .seconds(2))), count: 4))
        #expect(try played.result.get() == .completed)
        let seconds = Double(played.sound.count) / 2 / 48_000
        #expect((0.5...2).contains(seconds), "\(seconds) s were heard")
    }

    /// A desktop may ask twice for the same place.
    @Test func seeksToAPlaceDoNotAddUp() throws {
        let song = try noiseFiles.make("a.wav", seconds: 9)
        let played = try Played(
            [song.path], on: noiseFiles,
            steps: Array(repeating: .init(at: .milliseconds(200), .setPosition(.seconds(8))), count: 2))
        #expect(try played.result.get() == .completed)
        let seconds = Double(played.sound.count) / 2 / 48_000
        #expect((0.8...2.5).contains(seconds), "\(seconds) s were heard")
        #expect(Array(played.sound.suffix(20_000)) == Array(song.samples.suffix(20_000)))
    }

    @Test func aSeekBeyondTheEndEndsTheSongAndOneBeforeTheBeginningBeginsIt() throws {
        let songs = try ["a.wav", "b.wav"].map { try noiseFiles.make($0, seconds: 2) }
        let played = try Played(
            songs.map(\.path), on: noiseFiles,
            steps: [
                .init(at: .milliseconds(400), .seek(by: .seconds(-100))),
                .init(at: .milliseconds(600), .seek(by: .seconds(100))),
                .init({ $0.song.title == "b.wav" }, .changeVolume(by: 0)),
            ])
        #expect(try played.result.get() == .completed)
        let seconds = Double(played.sound.count) / 2 / 48_000
        #expect((2.9...3.9).contains(seconds), "\(seconds) s were heard")
        #expect(Array(played.sound.suffix(songs[1].samples.count)) == songs[1].samples)
    }

    @Test func nextAndPrevious() throws {
        let songs = try ["a.wav", "b.wav"].map { try noiseFiles.make($0, seconds: 1) }
        let played = try Played(
            songs.map(\.path), on: noiseFiles,
            steps: [
                .init(at: .milliseconds(300), .nextSong),
                .init({ $0.song.title == "b.wav" && $0.song.elapsed > .milliseconds(200) }, .previousSong),
            ])
        #expect(try played.result.get() == .completed)
        // a, a part of b, and then both from beginning to end.
        #expect(Array(played.sound.suffix(songs[0].samples.count * 2)) == songs.flatMap(\.samples))
    }

    @Test func volumeAndMute() throws {
        let song = try noiseFiles.make("a.wav", seconds: 2)
        let played = try Played(
            [song.path], on: noiseFiles, volume: Volume(percent: 50),
            steps: [.init(at: .milliseconds(800), .changeVolume(by: -25))])
        #expect(played.statuses.map(\.volume.percent).first == 50 && played.statuses.map(\.volume.percent).last == 25)
        // Behind the ramp: the cubes of 0.5 and of 0.25.
        #expect(played.sound[2_000..<20_000].elementsEqual(song.samples[2_000..<20_000].map { $0 * 0.125 }))
        #expect(played.sound.suffix(2_000).elementsEqual(song.samples.suffix(2_000).map { $0 * 0.015625 }))
        let muted = try Played([song.path], on: noiseFiles, steps: [.init(at: .milliseconds(300), .toggleMute)])
        #expect(muted.statuses.last?.isMuted == true && muted.sound.count < song.samples.count)
    }

    /// A mute ends with it, as with a step, which counts from the volume and not from silence.
    @Test func aVolumeIsWhatItIsSetTo() throws {
        let song = try noiseFiles.make("a.wav", seconds: 2)
        let played = try Played(
            [song.path], on: noiseFiles, volume: Volume(percent: 80),
            steps: [.init(at: .milliseconds(300), .toggleMute), .init(\.isMuted, .setVolume(Volume(percent: 50)))])
        #expect(try played.result.get() == .completed)
        #expect(played.statuses.last?.volume.percent == 50 && played.statuses.last?.isMuted == false)
    }

    /// Each song by its own tags, one behind the other, and not at all unless asked.
    @Test func loudnessTagsAreFollowed() throws {
        let song = try noiseFiles.make("a.wav", seconds: 0.5)
        try Tool.run(
            "ffmpeg -v error -i a.wav -metadata REPLAYGAIN_TRACK_GAIN='-6.00 dB' soft.mp3 && "
                + "ffmpeg -v error -i a.wav -metadata REPLAYGAIN_TRACK_GAIN='+40 dB' "
                + "-metadata REPLAYGAIN_TRACK_PEAK=0.8 loud.mp3", in: noiseFiles.directory)
        var soft = AudioStreamSummary()
        soft.note(.info(.trackGain, "-6.00 dB"))
        let gain = soft.loudnessGain(.track)
        #expect(abs(gain - 0.501_187) < 1e-6)
        let paths = [noiseFiles.path("soft.mp3"), song.path, noiseFiles.path("loud.mp3")]
        let plain = try Played(paths, on: noiseFiles)
        let followed = try Played(paths, on: noiseFiles, loudness: .track)
        try #require(plain.sound.count == 3 * song.samples.count)
        let expected = plain.sound.enumerated().map { index, sample in
            sample * [gain, 1, 1.25][index / song.samples.count]
        }
        #expect(followed.sound == expected)
    }

    @Test func aStopFadesOut() throws {
        let song = try noiseFiles.make("a.wav", seconds: 20)
        let played = try Played([song.path], on: noiseFiles, steps: [.init(at: .milliseconds(500), nil)])
        #expect(try played.result.get() == .interrupted)
        #expect(played.sound.count < song.samples.count / 4)
        let last = played.sound.suffix(40).map(abs).max() ?? 1
        #expect(last < 0.01, "\(last)")
    }
}

/// What is done to a player, and when.
private struct PlayerStep: Sendable {
    let isDue: @Sendable (PlayStatus) -> Bool
    /// Nil stops it.
    let command: PlayerCommand?

    init(_ isDue: @escaping @Sendable (PlayStatus) -> Bool, _ command: PlayerCommand?) {
        self.isDue = isDue
        self.command = command
    }

    /// When so much of the song was heard.
    init(at elapsed: TimeSpan, _ command: PlayerCommand?) {
        self.init({ $0.song.elapsed >= elapsed }, command)
    }
}

/// Noise in files: no sample is zero, so what is zero in a recording is silence.
private final class NoiseFiles {
    let directory = TemporaryDirectory()
    private var made = 0

    struct Song {
        var path: String
        var samples: [Float]
    }

    func path(_ name: String) -> String { directory.path + "/" + name }

    func make(_ name: String, seconds: Double, rate: Int = 48_000) throws -> Song {
        var random = SeededGenerator(seed: UInt64(made + 1))
        made += 1
        let samples = (0..<Int(seconds * Double(rate)) * 2).map { _ -> Int16 in
            let value = Int16.random(in: -12_000...12_000, using: &random)
            return value == 0 ? 1 : value
        }
        let data = samples.withUnsafeBytes { Array($0) }
        try Tool.writeFile(path(name), WAVEWriter(rate: rate).file(data: data))
        return Song(path: path(name), samples: samples.map { Float($0) / 32_768 })
    }
}

/// What a player did, and what a sound card would have got.
private struct Played {
    var result: Result<RuntimeOutcome, RuntimeFailure>
    var statuses: [PlayStatus] = []
    var warnings: [RuntimeNotice] = []
    /// All samples that are not zero.
    var sound: [Float] = []

    /// - Parameter steps: done one after the other.
    init(
        _ paths: [String], on noiseFiles: NoiseFiles, volume: Volume = .full, loudness: LoudnessMode = .off,
        steps: [PlayerStep] = []
    ) throws {
        var options = PlayOptions()
        options.volume = volume
        options.loudness = loudness
        options.output = .file(path: noiseFiles.path("heard.wav"))
        let player = Player(paths: paths, options: options)
        let told = Mutex<(statuses: [PlayStatus], warnings: [RuntimeNotice])>(([], []))
        let steps = Mutex(steps[...])
        result = Result { () throws(RuntimeFailure) in
            try player.run { event in
                told.withLock { told in
                    switch event {
                    case .playing(let status): told.statuses.append(status)
                    case .notice(let notice) where notice.level == .warning: told.warnings.append(notice)
                    default: break
                    }
                }
                guard case .playing(let status) = event, status.state != .ended else { return }
                let step = steps.withLock { steps in steps.first?.isDue(status) == true ? steps.popFirst() : nil }
                guard let step else { return }
                if let command = step.command { player.perform(command) } else { player.stop() }
            }
        }
        (statuses, warnings) = told.withLock { $0 }
        sound = try Self.samples(of: noiseFiles.path("heard.wav")).filter { $0 != 0 }
    }

    /// Each state once.
    var states: [PlayStatus.State] {
        statuses.map(\.state).reduce(into: []) { states, state in
            if states.last != state { states.append(state) }
        }
    }

    /// 32-bit floats behind the header that ends with "data" and a length.
    private static func samples(of path: String) throws -> [Float] {
        let bytes = try Tool.readFile(path)
        let data = try #require(bytes.indices.first { bytes[$0...].starts(with: Array("data".utf8)) }) + 8
        return stride(from: data, to: bytes.count - 3, by: 4).map { place in
            Float(bitPattern: (0..<4).reduce(UInt32(0)) { $0 | UInt32(bytes[place + $1]) << (8 * UInt32($1)) })
        }
    }
}
