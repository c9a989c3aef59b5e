import AudioCore
import HostSystem
import StreamTestKit
import Synchronization
import Testing
import TuttiRuntime
import WireProtocol

/// A real MP3, over TCP, to listeners of which some cannot decode it.
@Suite(.serialized, .timeLimit(.minutes(5))) struct PCMListenerTests {
    private func broadcast(
        _ path: String, to count: Int, port: UInt16, _ configure: (inout BroadcastOptions) -> Void = { _ in }
    ) throws -> (outcome: RuntimeOutcome, notices: [RuntimeNotice], sentPCM: Set<String>) {
        var options = BroadcastOptions()
        options.name = "study"
        options.start = .whenReady(listeners: count)
        options.network.port = port
        options.network.usesDiscovery = false
        configure(&options)
        let told = Mutex<(notices: [RuntimeNotice], sentPCM: Set<String>)>(([], []))
        let outcome = try Broadcaster(songs: [path], options: options, identity: .test("study")).run { event in
            told.withLock {
                switch event {
                case .notice(let notice): $0.notices.append(notice)
                case .broadcast(let status):
                    $0.sentPCM.formUnion(status.listeners.filter(\.isSentPCM).map(\.name))
                case .listening, .playing: break
                }
            }
        }
        return told.withLock { (outcome, $0.notices, $0.sentPCM) }
    }

    /// Chords, a sweep and noise, some seconds long.
    private func makeSong(in directory: borrowing TemporaryDirectory, seconds: Double) throws -> String {
        try Tool.run(
            "sox -R -r 44100 -n -b 16 in.wav synth \(seconds) sine 220 sine 331 sine 100-9000 whitenoise "
                + "remix 1,3,4v0.3 2,3,4v0.3 tremolo 3 80 gain -6 && lame --quiet -b 192 in.wav song.mp3",
            in: directory)
        return directory.path + "/song.mp3"
    }

    /// Stereo, mono and stereo, joined to one file.
    /// - Returns: the file, and the frames that mpg123 makes of it but for the priming.
    private func makeJoinedSong(in directory: borrowing TemporaryDirectory) throws -> (path: String, frameCount: Int) {
        let song = try makeSong(in: directory, seconds: 2)
        try Tool.run(
            "sox in.wav mono.wav remix 1,2 && lame --quiet -b 64 mono.wav mono.mp3 "
                + "&& cat mono.mp3 song.mp3 >> more.mp3 && cat more.mp3 >> song.mp3 "
                + "&& mpg123 -q --stereo --no-gapless -s song.mp3 > frames", in: directory)
        return (song, try Tool.readFile(directory.path + "/frames").count / 4 - 1_105)
    }

    /// The one has what the other decodes, sample by sample, rounded to 16 bits: from the beginning, and from the
    /// middle of the song; also of a song that changes between mono and stereo.
    @Test(arguments: [false, true])
    func pcmIsTheSongSampleBySample(isJoined: Bool) throws {
        let directory = TemporaryDirectory()
        let (song, frameCount) =
            isJoined ? try makeJoinedSong(in: directory) : (try makeSong(in: directory, seconds: 6), 6 * 44_100)
        let port = freePort()
        let able = try RecordingPeer(port: port, name: "able", codecs: [.mpegLayer3])
        let unable = try RecordingPeer(port: port, name: "unable", codecs: [.linearPCM])
        let late = try RecordingPeer(port: port, name: "late", codecs: [.linearPCM], delay: .seconds(3))
        let result = try broadcast(song, to: 2, port: port)
        #expect(result.outcome == .completed)
        #expect(result.notices.contains(.broadcast(.sentPCM("unable", .mpegLayer3))))
        #expect(result.sentPCM == ["unable", "late"])

        let reference = try able.end().decoded()
        #expect(able.end().format?.codec == .mpegLayer3)
        #expect(reference.samples.count == frameCount * 2 && reference.first == .zero)
        for peer in [unable, late] {
            let recording = peer.end()
            #expect(recording.format?.codec == .linearPCM && recording.format?.bitsPerChannel == 16)
            #expect(recording.packets.first?.position == recording.entry?.frame)
            let heard = try recording.decoded()
            let expected = reference.samples[(Int(heard.first.index) * 2)...]
            #expect(heard.samples.count == expected.count)
            let farthest = zip(heard.samples, expected).map { abs($0 - $1) }.max() ?? 1
            #expect(farthest <= 0x1p-16, "\(farthest) from frame \(heard.first.index) on")
            // Not silence.
            #expect(heard.samples.contains { abs($0) > 0.2 })
        }
        #expect(unable.end().entry?.frame == .zero)
        #expect(late.end().entry.map { $0.frame > FramePosition(44_100) } == true)
    }

    /// `tutti join --codecs pcm`, beside one that decodes and the broadcaster's own loudspeakers.
    @Test func aListenerThatWillNotDecodePlaysAlong() throws {
        let directory = TemporaryDirectory()
        let song = try makeSong(in: directory, seconds: 3)
        let listeners = [
            try RunningListener(name: "kitchen") { $0.codecs = [.linearPCM] }, try RunningListener(name: "attic"),
        ]
        let result = try broadcast(song, to: 2, port: freePort()) {
            $0.listeners = listeners.map { NetworkAddress(host: "127.0.0.1", port: $0.port) }
            $0.output = .null
        }
        #expect(result.outcome == .completed && result.sentPCM == ["kitchen"])
        for listener in listeners {
            #expect(listener.stop() == .success(.interrupted))
            #expect(listener.states.contains(.playing) && !listener.states.contains(.starving))
            #expect(listener.notices.contains(.listening(.ended("study"))))
        }
    }

    @Test func oneThatTakesNeitherIsTold() throws {
        let directory = TemporaryDirectory()
        let song = try makeSong(in: directory, seconds: 2)
        let port = freePort()
        let able = try RecordingPeer(port: port, name: "able", codecs: [.mpegLayer3])
        let odd = try RecordingPeer(port: port, name: "odd", codecs: [.opus])
        #expect(try broadcast(song, to: 1, port: port).outcome == .completed)
        #expect(odd.end().refusal == Refusal(.cannotDecode, "this song is MP3, which odd cannot decode"))
        #expect(able.end().refusal == nil)
    }
}
