import AudioCore
import NIOCore
import Testing
import WireProtocol

@testable import WebRemote

/// Songs that are MP3, silence, and when what is streamed.
@Suite(.timeLimit(.minutes(5)))
struct StreamOutputTests {
    private static let frameSpan = 1_152.0 / 44_100

    private static func duration(_ bytes: [UInt8]) -> Double {
        Double(StreamScene.frames(bytes)?.count ?? 0) * frameSpan
    }

    @Test func songsAreStreamedByteForByte() throws {
        var scene = try StreamScene()
        let songs = [BroadcastScript.Song(seconds: 5), BroadcastScript.Song(seconds: 4, seed: 900)]
        var due = 0.3
        for (index, song) in songs.enumerated() {
            let epoch = Epoch(UInt32(index + 1))
            try scene.say(
                BroadcastScript.begin(epoch, song.format), BroadcastScript.packets(epoch, song.frames[...]),
                BroadcastScript.anchor(epoch, .zero, at: due),
                WireEncoder.streamEnd(epoch, at: FramePosition(Int64(song.frames.count * BroadcastScript.frameCount))))
            due += Double(song.frames.count) * Self.frameSpan
        }
        scene.wait(8)
        // Nothing is between the songs.
        let bytes = (songs[0].frames + songs[1].frames).flatMap { $0 }
        let start = try #require(scene.streamed.indices.first { scene.streamed[$0...].starts(with: bytes) })
        #expect(StreamScene.sounding(Array(scene.streamed[..<start]))?.isEmpty == true)
        scene.wait(5)
        #expect(StreamScene.sounding(scene.streamed)?.flatMap { $0 } == bytes)
    }

    @Test func aStreamIsTwoSecondsAheadAndNoMore() throws {
        var scene = try StreamScene()
        let song = BroadcastScript.Song(seconds: 20)
        let epoch = Epoch(1)
        try scene.say(
            BroadcastScript.begin(epoch, song.format), BroadcastScript.packets(epoch, song.frames[..<400]),
            BroadcastScript.packets(epoch, song.frames[400...]), BroadcastScript.anchor(epoch, .zero, at: 0.05))
        for _ in 0..<300 {
            scene.wait(0.05)
            let ahead = Self.duration(scene.streamed) - scene.seconds
            #expect((1.9...2.05).contains(ahead), "\(scene.seconds): \(ahead)")
        }
    }

    @Test func nothingIsStreamedBeforeItHasAPlaceInTime() throws {
        var scene = try StreamScene()
        let song = BroadcastScript.Song(seconds: 2)
        try scene.say(BroadcastScript.begin(Epoch(1), song.format), BroadcastScript.packets(Epoch(1), song.frames[...]))
        #expect(StreamScene.sounding(scene.wait(3))?.isEmpty == true)
        // 5 s later, of which the stream is 2 s ahead.
        try scene.say(BroadcastScript.anchor(Epoch(1), .zero, at: 8))
        #expect(StreamScene.sounding(scene.wait(2.9))?.isEmpty == true)
        #expect(StreamScene.sounding(scene.wait(0.2))?.isEmpty == false)
    }

    @Test func aPauseIsSilentAndTheSongGoesOnWhereTheStreamWas() throws {
        var scene = try StreamScene()
        let song = BroadcastScript.Song(seconds: 10)
        let epoch = Epoch(1)
        try scene.say(
            BroadcastScript.begin(epoch, song.format), BroadcastScript.packets(epoch, song.frames[...]),
            BroadcastScript.anchor(epoch, .zero, at: 0.3))
        scene.wait(2)
        let cut = FramePosition(Int64(1.9 * 44_100))
        try scene.say(WireEncoder.cut(epoch, at: cut))
        #expect(scene.listener.held.newest?.state(at: SessionTime(nanoseconds: 0)) == .paused)
        let pause = scene.wait(20)
        #expect(StreamScene.sounding(pause)?.isEmpty == true)
        // What was ahead is played first: the stream began 250 ms before the song was due.
        #expect(abs(Self.duration(pause) - 18.75) < 0.1)
        try scene.say(BroadcastScript.anchor(epoch, cut, at: scene.seconds + 0.3))
        let rest = scene.wait(12)
        #expect(StreamScene.sounding(scene.streamed)?.flatMap { $0 } == song.frames.flatMap { $0 })
        // No silence within it.
        let frames = try #require(StreamScene.frames(rest))
        let first = try #require(frames.firstIndex { $0.dropFirst(4).contains { $0 != 0 } })
        let last = try #require(frames.lastIndex { $0.dropFirst(4).contains { $0 != 0 } })
        #expect(frames[first...last].allSatisfy { $0.dropFirst(4).contains { $0 != 0 } })
    }

    @Test func jumpsDropWhatIsQueuedAndDoNotAddUp() throws {
        var scene = try StreamScene()
        let song = BroadcastScript.Song(seconds: 12)
        for index in 1...10 {
            let epoch = Epoch(UInt32(index))
            try scene.say(
                BroadcastScript.begin(epoch, song.format), BroadcastScript.packets(epoch, song.frames[...]),
                BroadcastScript.anchor(epoch, .zero, at: scene.seconds + 0.3))
            let heard = scene.wait(1)
            #expect(heard.isEmpty == false)
            #expect(Self.duration(scene.streamed) - scene.seconds < 2.05, "jump \(index)")
            try scene.say(WireEncoder.cut(epoch, at: FramePosition(Int64(0.8 * 44_100))))
        }
        let sounding = try #require(StreamScene.sounding(scene.streamed))
        // The beginning came ten times, and the end never.
        #expect(sounding.count { $0 == song.frames[1] } == 10 && !sounding.contains(song.frames[300]))
    }

    @Test func whatCannotBeEncodedIsSilent() throws {
        var scene = try StreamScene()
        try scene.say(
            BroadcastScript.begin(Epoch(1), BroadcastScript.pcmFormat),
            BroadcastScript.pcm(Epoch(1), at: .zero, [Int16](repeating: 9_000, count: 20_000)),
            BroadcastScript.anchor(Epoch(1), .zero, at: 0.1))
        let bytes = scene.wait(5)
        #expect(StreamScene.sounding(bytes)?.isEmpty == true && abs(Self.duration(bytes) - 5.5) < 0.1)
    }

    @Test func aThreadThatWasLateOwesNothing() throws {
        var scene = try StreamScene()
        scene.wait(1)
        let before = scene.streamed.count
        let now = SessionTime(nanoseconds: 0) + .seconds(600)
        let bytes = Array(scene.output.poll(&scene.listener.held, now: now).readableBytesView)
        #expect(before > 0 && Self.duration(bytes) < 0.6)
    }
}
