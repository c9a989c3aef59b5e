import AudioCore
import Broadcasting
import NIOCore
import Peering
import Testing
import WireProtocol

/// Listeners that lack a decoder for the song.
@Suite(.timeLimit(.minutes(5))) struct PCMListenerTests {
    private static let both: [Codec] = [.linearPCM, .mpegLayer3]

    /// An MP3 of a minute, of which the broadcaster decodes all that it is asked to.
    private func broadcast(preroll: Int = 2, priming: Int = 1_105) -> ScriptedBroadcast {
        var broadcast = ScriptedBroadcast { $0.decodableCodecs = [.mpegLayer3] }
        broadcast.give(seconds: 60, preroll: preroll, priming: priming, format: ScriptedBroadcast.mp3)
        return broadcast
    }

    /// One listener of each kind, and the song begun.
    private func started() -> ScriptedBroadcast {
        var broadcast = broadcast()
        broadcast.join(1, codecs: Self.both)
        broadcast.join(2)
        broadcast.transcode()
        for id in [1, 2] {
            broadcast.report(.ready, id)
            broadcast.drain(id)
        }
        broadcast.wait(.milliseconds(320))
        for id in [1, 2] { broadcast.drain(id) }
        return broadcast
    }

    /// Song passes, decoded and taken by the sockets of these listeners.
    private func play(_ broadcast: inout ScriptedBroadcast, seconds: Int, to ids: [Int]) {
        for _ in 0..<(seconds * 2) {
            broadcast.wait(.milliseconds(500), hearingFrom: ids)
            broadcast.transcode()
            for id in ids { broadcast.drain(id) }
        }
    }

    /// Packets follow one another, and hold what belongs to their place.
    private func expectSeamless(_ inbox: Inbox, from first: Int64, sourceLocation: SourceLocation = #_sourceLocation) {
        var position = FramePosition(first)
        for (index, packet) in inbox.packets.enumerated() {
            #expect(packet == position, sourceLocation: sourceLocation)
            #expect(inbox.heads[index] == Int16(truncatingIfNeeded: packet.index), sourceLocation: sourceLocation)
            #expect((1...1_024).contains(inbox.frameCounts[index]), sourceLocation: sourceLocation)
            position = packet + Int64(inbox.frameCounts[index])
        }
    }

    @Test func itIsWelcomedAndSentPCMFromFrameZero() throws {
        let broadcast = started()
        let (able, unable) = (try #require(broadcast.heard[1]), try #require(broadcast.heard[2]))
        let format = AudioStreamFormat.linearPCM(
            sampleRate: ScriptedBroadcast.rate, channels: 1, bitsPerChannel: 16, bytesPerSample: 2,
            layout: [.signedInteger])
        #expect(able.properties.contains(.dataFormat(ScriptedBroadcast.mp3)))
        #expect(unable.properties.contains(.dataFormat(format)))
        #expect(unable.properties.contains(.info(.title, "Song")))
        #expect(
            unable.properties.contains {
                if case .packetTableInfo(let t) = $0 { t.primingFrameCount == 0 } else { false }
            })
        #expect(!unable.properties.contains(.decoderPrerollPacketCount(2)))
        #expect(able.packets.first == FramePosition(-1_105))
        expectSeamless(unable, from: 0)
        #expect(unable.entries == able.entries)
        #expect(unable.anchor != nil && unable.anchor == able.anchor)
        #expect(broadcast.notices.contains(.sentPCM("Listener 2", .mpegLayer3)))
        #expect(broadcast.session.listeners.map(\.isSentPCM) == [false, true])
    }

    @Test func nothingIsDecodedWhereNobodyNeedsIt() {
        var broadcast = broadcast()
        broadcast.join(1, codecs: Self.both)
        broadcast.wait(.seconds(1), hearingFrom: [1])
        #expect(broadcast.requests.isEmpty && broadcast.transcodingEndCount == 0)
    }

    @Test func severalShareOneRendition() throws {
        var broadcast = broadcast()
        broadcast.join(1)
        broadcast.join(2)
        #expect(broadcast.requests.count == 1)
        let first = try #require(broadcast.requests.first)
        #expect(first.position == FramePosition(-1_105) && first.streamFrame == 0 && first.firstFrame == .zero)
        broadcast.transcode()
        for id in [1, 2] { broadcast.drain(id) }
        broadcast.handle(.tick)
        #expect(broadcast.heard[1]?.packets.isEmpty == false)
        #expect(broadcast.heard[1]?.packets == broadcast.heard[2]?.packets)
    }

    /// A second and more ahead of the start, to the horizon when it plays, and one piece at a time.
    @Test func itIsDecodedUpToTheHorizon() throws {
        var broadcast = started()
        #expect(broadcast.requests.isEmpty)
        for _ in 0..<10 { broadcast.drain(2) }
        let last = try #require(broadcast.heard[2]?.packets.last)
        #expect(last.index >= 77_000 && last.index <= 80_800)
        broadcast.wait(.milliseconds(600))
        #expect(broadcast.requests.count == 1)
        broadcast.wait(.seconds(1), hearingFrom: [1, 2])
        #expect(broadcast.requests.count == 1)
        #expect(broadcast.requests.first?.streamFrame == nil)
    }

    @Test func manyChannelsAreDecodedLessFarAhead() {
        var broadcast = ScriptedBroadcast { $0.decodableCodecs = [.flac] }
        let flac = AudioStreamFormat(
            codec: .flac, sampleRate: 192_000, framesPerPacket: 400, channelsPerFrame: 8, bitsPerChannel: 24)
        for turn in 0..<10 { broadcast.give(seconds: 60, properties: turn == 0, format: flac) }
        broadcast.join(1)
        var byteCount = 0
        while let request = broadcast.requests.first {
            #expect(request.target.bytesPerFrame == 24 && request.target.bitsPerChannel == 24)
            byteCount += request.packets.reduce(0) { $0 + $1.frameCount * 24 }
            broadcast.transcode(atMost: 1)
        }
        #expect(byteCount > 8 << 20 && byteCount < 9 << 20, "\(byteCount)")
    }

    @Test func aLateOneIsDecodedForFromThePrerollOn() throws {
        var broadcast = broadcast()
        broadcast.join(1, codecs: Self.both)
        broadcast.report(.ready, 1)
        broadcast.wait(.milliseconds(320))
        play(&broadcast, seconds: 10, to: [1])
        broadcast.join(2)
        let request = try #require(broadcast.requests.first)
        #expect(request.firstFrame.index > 75_000)
        #expect(request.firstFrame - request.position >= 2 * 400)
        #expect(request.streamFrame == request.position.index + 1_105)
        broadcast.transcode()
        broadcast.drain(2)
        broadcast.wait(.milliseconds(20))
        let inbox = try #require(broadcast.heard[2])
        let mark = try #require(inbox.entries.first)
        #expect(mark.frame == inbox.packets.first && mark.frame == request.firstFrame)
        expectSeamless(inbox, from: mark.frame.index)
        #expect(inbox.anchor == broadcast.heard[1]?.anchor)
    }

    /// The packets of a rendition that began later fit those of the one before.
    @Test func oneThatComesBackGetsTheSamePackets() throws {
        var broadcast = started()
        play(&broadcast, seconds: 5, to: [1, 2])
        let before = try #require(broadcast.heard[2])
        broadcast.handle(.closed(ConnectionID(2)))
        #expect(broadcast.transcodingEndCount == 1)
        broadcast.join(3, instance: 2)
        #expect(broadcast.requests.first?.rendition.count == 2 && broadcast.requests.first?.streamFrame != nil)
        broadcast.transcode()
        broadcast.drain(3)
        let after = try #require(broadcast.heard[3])
        #expect(!after.packets.isEmpty && Set(after.packets).isDisjoint(with: before.packets) == false)
        let end = try #require(before.packets.last)
        #expect(Set(after.packets.filter { $0 <= end }).isSubset(of: before.packets))
        expectSeamless(after, from: try #require(after.entries.first).frame.index)
    }

    @Test func anAnswerThatComesTooLateIsOfNoUse() throws {
        var broadcast = broadcast()
        broadcast.join(1)
        let old = try #require(broadcast.requests.first)
        broadcast.requests = []
        broadcast.handle(.closed(ConnectionID(1)))
        broadcast.join(2)
        let new = try #require(broadcast.requests.first)
        broadcast.answer(old)
        #expect(broadcast.heard[2]?.packets.isEmpty == true)
        broadcast.answer(new)
        broadcast.requests.removeFirst()
        broadcast.transcode()
        #expect(broadcast.heard[2]?.packets.first == .zero)
    }

    @Test func oneThatFellBehindLosesPacketsAndIsToldHowMany() throws {
        var broadcast = started()
        play(&broadcast, seconds: 2, to: [1, 2])
        // It takes a second and a quarter of PCM every four and a half, and ten are ahead.
        for _ in 0..<8 {
            let received = broadcast.heard[2]?.end
            for _ in 0..<9 {
                broadcast.wait(.milliseconds(500), hearingFrom: [1, 2])
                broadcast.transcode()
                broadcast.drain(1)
            }
            broadcast.heard[2]?.unread -= 20_000
            broadcast.handle(.wrote(ConnectionID(2), byteCount: 20_000))
            broadcast.report(.playing, 2, received: received)
        }
        let inbox = try #require(broadcast.heard[2])
        let lost = inbox.entries.dropFirst().map(\.lostPacketCount)
        #expect(!lost.isEmpty && lost.allSatisfy { $0 > 0 })
        let gaps = zip(inbox.packets.indices, inbox.packets.indices.dropFirst()).filter {
            inbox.packets[$1] != inbox.packets[$0] + Int64(inbox.frameCounts[$0])
        }
        #expect(gaps.map { inbox.packets[$1] } == inbox.entries.dropFirst().map(\.frame))
        #expect(broadcast.heard[1]?.entries.count == 1)
        #expect(broadcast.notices.contains { if case .dropped("Listener 2", _) = $0 { true } else { false } })
    }

    @Test func theEndIsToldWhenAllIsDecoded() {
        var broadcast = ScriptedBroadcast { $0.decodableCodecs = [.mpegLayer3] }
        broadcast.give(seconds: 1, priming: 100, format: ScriptedBroadcast.mp3)
        broadcast.source(.ended(.nothing))
        broadcast.join(1)
        broadcast.transcode(atMost: 3)
        let end = ControlMessage.streamEnds(Epoch(1), FramePosition(7_900))
        #expect(broadcast.heard[1]?.messages.contains(end) == false)
        broadcast.transcode()
        #expect(broadcast.heard[1]?.messages.contains(end) == true)
        broadcast.report(.ready, 1)
        broadcast.wait(.milliseconds(1_700))
        #expect(broadcast.outcome == nil)
        broadcast.report(.finished, 1)
        #expect(broadcast.outcome == .completed)
    }

    @Test func decodingThatIsTooSlowGoesOnWhereTheSongIs() throws {
        var broadcast = started()
        play(&broadcast, seconds: 1, to: [1, 2])
        broadcast.wait(.milliseconds(200))
        // A piece that takes 15 s, when 10 s were ahead.
        let stuck = try #require(broadcast.requests.first)
        broadcast.requests = []
        for _ in 0..<30 {
            broadcast.wait(.milliseconds(500), hearingFrom: [1, 2])
            for id in [1, 2] { broadcast.drain(id) }
        }
        broadcast.answer(stuck)
        let next = try #require(broadcast.requests.first)
        #expect(next.streamFrame != nil && next.firstFrame - stuck.position > 4 * 8_000)
        broadcast.transcode()
        #expect(broadcast.heard[2]?.packets.contains(next.firstFrame) == true)
        #expect(broadcast.notices.contains(.decodingTooSlow))
        #expect(broadcast.closed.isEmpty)
    }

    @Test func oneThatTakesNoPCMIsRefused() {
        var broadcast = broadcast()
        broadcast.join(1, codecs: [.flac])
        #expect(
            broadcast.heard[1]?.refusal
                == Refusal(.cannotDecode, "this song is MP3, which Listener 1 cannot decode"))
        #expect(broadcast.requests.isEmpty)
    }

    @Test func whereTheBroadcasterHasNoDecoderEitherItIsRefused() {
        var broadcast = broadcast()
        broadcast.give(seconds: 1, properties: false)
        var other = ScriptedBroadcast()
        other.give(seconds: 1, format: ScriptedBroadcast.mp3)
        other.join(1)
        #expect(
            other.heard[1]?.refusal
                == Refusal(
                    .cannotDecode, "this song is MP3, which Listener 1 cannot decode, and the broadcaster neither"))
        #expect(other.requests.isEmpty && other.closed == [1])
    }

    /// What FFmpeg's library decodes can be mended: the text says by what.
    @Test func theRefusalNamesWhatToInstall() {
        var broadcast = ScriptedBroadcast()
        var format = ScriptedBroadcast.mp3
        format.codec = .opus
        broadcast.give(seconds: 1, format: format)
        broadcast.join(1)
        let text = "this song is Opus, which Listener 1 cannot decode, and the broadcaster neither"
        let remedy = "; install libavcodec 59 (on Debian 12: sudo apt install libavcodec59)"
        #expect(broadcast.heard[1]?.refusal == Refusal(.cannotDecode, text + remedy))
    }

    /// A decoder that gives up: those whom it served are told why, and who comes later too; the others play on.
    @Test func aDecoderThatFailsIsNotTriedAgain() {
        var broadcast = started()
        broadcast.wait(.milliseconds(200))
        broadcast.requests = []
        broadcast.handle(
            .transcoded(
                TranscodingReply(
                    rendition: RenditionNumber(epoch: Epoch(1), count: 1), outcome: .failed("it is broken"))))
        broadcast.join(3)
        for id in [2, 3] {
            let text = "this song is MP3, which Listener \(id) cannot decode, and the broadcaster neither: it is broken"
            #expect(broadcast.heard[id]?.refusal == Refusal(.cannotDecode, text))
        }
        #expect(broadcast.closed == [2, 3] && broadcast.requests.isEmpty && broadcast.transcodingEndCount == 1)
        #expect(broadcast.session.listeners.map(\.name) == ["Listener 1"])
    }
}
