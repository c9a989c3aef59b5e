import Glibc
import StreamTestKit
import Synchronization
import Testing
import TuttiRuntime

/// Broadcaster, listener and player as services inside a program; of Tutti's modules only TuttiRuntime is imported.
@Suite(.serialized, .timeLimit(.minutes(5))) struct ServiceTests {
    /// A directory that goes away with the test.
    private final class SongFolder {
        let directory = TemporaryDirectory()

        func path(_ name: String) -> String { directory.path + "/" + name }
    }

    private let songFolder = SongFolder()

    /// Noise, 16 bits, stereo, 48 kHz.
    private func makeSong(_ name: String = "song.wav", seconds: Double) throws -> String {
        var random = SeededGenerator(seed: 1)
        var bytes: [UInt8] = []
        for _ in 0..<Int(seconds * 96_000) {
            let sample = Int16.random(in: 1_000...12_000, using: &random)
            bytes += [UInt8(truncatingIfNeeded: sample), UInt8(sample >> 8)]
        }
        var writer = WAVEWriter()
        writer.sampleRate = 48_000
        let path = songFolder.path(name)
        try Tool.writeFile(path, writer.file(data: bytes))
        return path
    }

    private func broadcaster(
        _ songs: [String], port: UInt16 = freePort(), to listeners: [UInt16] = []
    ) -> BroadcastService {
        var options = BroadcastOptions()
        options.start = listeners.isEmpty ? .now : .whenReady(listeners: listeners.count)
        options.listeners = listeners.map { NetworkAddress(host: "127.0.0.1", port: $0) }
        options.network.port = port
        options.network.usesDiscovery = false
        return BroadcastService(songs: songs, options: options, identity: Identity(name: "study"))
    }

    private func listener(
        port: UInt16 = freePort(), configure: (inout JoinOptions) -> Void = { _ in }
    ) -> ListenService {
        var options = JoinOptions()
        options.output = .null
        options.network.port = port
        options.network.usesDiscovery = false
        configure(&options)
        return ListenService(options: options, identity: Identity(name: "kitchen"))
    }

    /// Reads all events of a service, until it is over.
    private func events(of service: any TuttiService) -> Task<[RuntimeEvent], Never> {
        Task { await service.events.reduce(into: []) { $0.append($1) } }
    }

    /// No threads of a service that is over; but for its own, whose last act was to say so.
    private func expectNoThreads(sourceLocation: SourceLocation = #_sourceLocation) {
        let names = Self.threadNames.filter { name in
            name != "tutti service" && ["tutti ", "NIO-ELT", "clock-"].contains { name.hasPrefix($0) }
        }
        #expect(names.isEmpty, sourceLocation: sourceLocation)
    }

    private static var threadNames: [String] {
        guard let tasks = opendir("/proc/self/task") else { return [] }
        defer { closedir(tasks) }
        var names: [String] = []
        while let entry = readdir(tasks) {
            let number = withUnsafeBytes(of: entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard let name = try? Tool.readFile("/proc/self/task/\(number)/comm") else { continue }
            names.append(String(decoding: name.prefix { $0 != 10 }, as: UTF8.self))
        }
        return names
    }

    // MARK: A song

    /// Without a song at first, and again when its song is over.
    @Test func anIdleBroadcasterShowsThatAndNoSong() async throws {
        var options = BroadcastOptions()
        options.start = .now
        options.output = .null
        options.staysIdle = true
        options.network.port = freePort()
        options.network.usesDiscovery = false
        let broadcaster = BroadcastService(songs: [], options: options, identity: Identity(name: "study"))
        let song = try makeSong(seconds: 0.5)
        try await broadcaster.start()
        var shown: [String] = []
        for await event in broadcaster.events {
            guard case .broadcast(let status) = event else { continue }
            let text = "\(status.state) \(status.song == nil ? "without" : "with") a song"
            if text != shown.last { shown.append(text) }
            guard text == "idle without a song" else { continue }
            if shown.count > 1 { break }
            broadcaster.perform(.add([.file(song)]))
            broadcaster.perform(.play)
        }
        await broadcaster.stop()
        #expect(shown.first == "idle without a song" && shown.contains("playing with a song"), "\(shown)")
        expectNoThreads()
    }

    @Test func aSongIsBroadcastAndHeard() async throws {
        let port = freePort()
        let recording = songFolder.path("heard.wav")
        let listener = listener(port: port) {
            $0.output = .file(path: recording)
            $0.once = true
        }
        let broadcaster = broadcaster([try makeSong(seconds: 1)], to: [port])
        let (told, heard) = (events(of: broadcaster), events(of: listener))
        try await listener.start()
        try await broadcaster.run()
        try await listener.run()

        var order = await told.value.compactMap { event -> String? in
            switch event {
            case .notice(.network(.listening)): "listening"
            case .notice(.broadcast(.joined(let name))): "joined \(name)"
            case .broadcast(let status):
                switch status.state {
                case .playing, .finishing: "playing"
                case .ended: "ended"
                case .waiting, .paused, .idle: nil
                }
            default: nil
            }
        }
        order = order.enumerated().filter { $0.offset == 0 || $0.element != order[$0.offset - 1] }.map(\.element)
        #expect(order == ["listening", "joined kitchen", "playing", "ended"])
        let states = await heard.value.compactMap { event -> ListenerState? in
            if case .listening(let status, _, _) = event { status.state } else { nil }
        }
        #expect(states.contains(.playing))
        let frames = try Tool.readFile(recording).dropFirst(128)
        #expect(frames.count { $0 != 0 } > 48_000)
        expectNoThreads()
    }

    /// A song whose left channel is a tone of 1 kHz, and whose right one says where in the song it is.
    private func makePilot(seconds: Double) throws -> (path: String, tone: Float, frameCount: Int) {
        let count = Int(seconds * 48_000)
        var bytes: [UInt8] = []
        for frame in 0..<count {
            let tone = sinf(Float(frame % 48) / 48 * 2 * .pi) * 0.5
            let place = Float(frame) / Float(count) * 0.5
            for sample in [tone, place] { withUnsafeBytes(of: sample.bitPattern.littleEndian) { bytes += $0 } }
        }
        let path = songFolder.path("pilot.wav")
        try Tool.writeFile(path, WAVEWriter(rate: 48_000, bits: 32, isFloat: true).file(data: bytes))
        return (path, 0.5, count)
    }

    /// What a virtual sound card recorded, left and right in turn.
    private func recorded(_ path: String) throws -> [Float] {
        let bytes = try Tool.readFile(path)
        let data = try #require(bytes.indices.first { bytes[$0...].starts(with: Array("data".utf8)) }) + 8
        return stride(from: data, to: bytes.count - 7, by: 4).map { place in
            Float(bitPattern: (0..<4).reduce(UInt32(0)) { $0 | UInt32(bytes[place + $1]) << (8 * UInt32($1)) })
        }
    }

    /// The sound moves by the offset, and no step in it is larger than the song's own; volume and role are heard, and
    /// the status tells of all.
    @Test func aListenerTakesCommandsWhileItPlays() async throws {
        let port = freePort()
        let recording = songFolder.path("heard.wav")
        let song = try makePilot(seconds: 6)
        let listener = listener(port: port) {
            $0.output = .file(path: recording)
            $0.once = true
            $0.statusInterval = .milliseconds(50)
        }
        let broadcaster = broadcaster([song.path], to: [port])
        try await listener.start()
        let broadcasting = Task { try await broadcaster.run() }
        var steps: [(at: TimeSpan, LoudspeakerCommand)] = [
            (.seconds(2), .setOffset(.milliseconds(20))), (.seconds(4), .setRole(.right)),
            (.seconds(4), .setVolume(Volume(percent: 50))), (.seconds(5), .toggleMute),
        ]
        var seen: [LoudspeakerSettings] = []
        for await event in listener.events {
            guard case .listening(let status, let place?, _) = event, status.state == .playing else { continue }
            if let settings = status.loudspeakers, settings != seen.last { seen.append(settings) }
            while let step = steps.first, place.elapsed > step.at { listener.perform(steps.removeFirst().1) }
        }
        try await listener.run()
        try await broadcasting.value

        let moved = LoudspeakerSettings(offset: .milliseconds(20))
        #expect(seen.first == LoudspeakerSettings() && seen.contains(moved))
        #expect(
            seen.last
                == LoudspeakerSettings(
                    volume: Volume(percent: 50), isMuted: true, role: .right, offset: .milliseconds(20)))
        let samples = try recorded(recording)
        let frameCount = samples.count / 2
        func place(_ frame: Int) -> Double { Double(samples[frame * 2 + 1]) / 0.5 * Double(song.frameCount) }
        let first = try #require((0..<frameCount).first { place($0) > 1 })
        // A second after the start, and a second after the shift.
        let shift = 96_000 - (place(first + 144_000) - place(first + 48_000))
        #expect(abs(shift - 960) < 5, "\(shift) frames")
        let own = song.tone * 2 * .pi / 48
        // Behind the beginning, which is the resampler's step response.
        for frame in first + 100..<first + 280_000 {
            let step = abs(samples[frame * 2] - samples[frame * 2 - 2])
            if step > own * 1.05 { Issue.record("a step of \(step) at \(frame)") }
        }
        // Before the mute: the right channel on both, at an eighth.
        let late = first + 223_000
        #expect(samples[late * 2] == samples[late * 2 + 1])
        #expect(abs(samples[late * 2] - Float(222_040) / Float(song.frameCount) * 0.0625) < 0.001)
        #expect(samples[(first + 280_000) * 2] == 0)
    }

    @Test func aPlayerTakesCommands() async throws {
        var options = PlayOptions()
        options.output = .null
        options.statusInterval = .milliseconds(20)
        let songs = try ["a.wav", "b.wav"].map { try makeSong($0, seconds: 30) }
        let player = PlayService(songs: songs, options: options)
        player.perform(.nextSong)
        try await player.start()
        player.perform(.togglePause)
        var seen: [PlayStatus] = []
        for await event in player.events {
            guard case .playing(let status) = event else { continue }
            if status.state == .paused, seen.last?.state != .paused {
                player.perform(.togglePause)
                player.perform(.nextSong)
                player.perform(.changeVolume(by: -50))
            }
            seen.append(status)
            if status.song.title == "b.wav", status.volume.percent == 50 { break }
        }
        #expect(seen.first?.song.title == "a.wav" && seen.contains { $0.state == .paused })
        #expect(seen.last?.song.title == "b.wav" && seen.last?.volume.percent == 50 && seen.last?.state == .playing)
        await player.stop()
        expectNoThreads()
    }

    // MARK: The end

    @Test func stoppingReleasesPortAndThreads() async throws {
        let (port, song) = (freePort(), try makeSong(seconds: 60))
        for _ in 0..<3 {
            let service = broadcaster([song], port: port)
            try await service.start()
            await service.stop()
            await service.stop()
            try await service.run()
            expectNoThreads()
        }
        let listener = listener(port: port)
        try await listener.start()
        listener.perform(.setVolume(Volume(percent: 50)))
        await listener.stop()
        listener.perform(.setVolume(.full))
        expectNoThreads()
    }

    @Test func manyMayStopAndWaitAtOnce() async throws {
        let service = broadcaster([try makeSong(seconds: 60)])
        try await withThrowingTaskGroup { group in
            for _ in 0..<10 { group.addTask { try await service.run() } }
            for _ in 0..<10 {
                group.addTask {
                    try await service.start()
                    await service.stop()
                }
            }
            try await group.waitForAll()
        }
        expectNoThreads()
    }

    @Test func whatWasStoppedBeforeItsStartDoesNotBegin() async throws {
        let service = listener()
        await service.stop()
        try await service.start()
        try await service.run()
        #expect(await events(of: service).value.isEmpty)
        expectNoThreads()
    }

    @Test func cancellationStops() async throws {
        let service = listener()
        let running = Task { try await service.run() }
        try await service.start()
        running.cancel()
        // Cleanly: not an error.
        try await running.value
        expectNoThreads()
        let unborn = broadcaster([try makeSong(seconds: 60)])
        let starting = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await unborn.start()
            try await unborn.run()
        }
        try await starting.value
        expectNoThreads()
    }

    @Test func lettingGoStops() async throws {
        let events: AsyncStream<RuntimeEvent>
        do {
            let service = listener()
            events = service.events
            try await service.start()
        }
        // The last event is the end.
        for await _ in events {}
        expectNoThreads()
    }

    // MARK: Failures

    @Test func aMissingFileFailsTheStart() async throws {
        let path = songFolder.path("none.mp3")
        let service = broadcaster([path])
        let expected = RuntimeFailure(SongFailure(.missing, "'\(path)' does not exist; check the path"))
        for _ in 0..<2 {
            await #expect(throws: expected) { try await service.start() }
            await #expect(throws: expected) { try await service.run() }
        }
        await service.stop()
        expectNoThreads()
    }

    @Test func whatIsNoSongFailsTheRun() async throws {
        let path = songFolder.path("diary.txt")
        try Tool.writeFile(path, Array("Dear diary, nothing sounded today.\n".utf8))
        let failure = await #expect(throws: RuntimeFailure.self) { try await broadcaster([path]).run() }
        #expect(failure?.kind == .unusableInput)
        expectNoThreads()
    }

    @Test func aTakenPortFailsTheStart() async throws {
        let port = freePort()
        let first = listener(port: port)
        try await first.start()
        let failure = await #expect(throws: RuntimeFailure.self) { try await listener(port: port).start() }
        #expect(failure == RuntimeFailure(.unavailable, .portInUse(port)))
        await first.stop()
        expectNoThreads()
    }

    // MARK: Events

    /// Nobody reads while some thousand happen: the newest are there.
    @Test func eventsThatNobodyReadsAreBounded() async throws {
        var options = PlayOptions()
        options.output = .null
        options.statusInterval = .milliseconds(1)
        let player = PlayService(songs: [try makeSong(seconds: 2)], options: options)
        try await player.run()
        let waiting = await events(of: player).value
        #expect(waiting.count == PlayService.eventLimit)
        guard case .playing(let last)? = waiting.last else {
            Issue.record("\(String(describing: waiting.last))")
            return
        }
        #expect(last.state == .ended)
    }

    /// Workers would be this test's own program, started anew.
    @Test func withoutWorkersNoProgramIsStarted() throws {
        try Tool.run(
            "sox -R -r 44100 -n -b 16 song.wav synth 1 sine 220 && ffmpeg -v error -i song.wav -c:a aac song.m4a",
            in: songFolder.directory)
        let path = songFolder.path("song.m4a")
        #expect(SongTools.inspect(path: path).failure?.kind == .unusable)
    }
}
