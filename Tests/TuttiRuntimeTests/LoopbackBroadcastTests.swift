import AudioCore
import Glibc
import HostSystem
import Synchronization
import Testing
import TuttiRuntime

/// The main job on one machine, by address: real TCP and UDP, sound that goes nowhere.
@Suite(.serialized) struct LoopbackBroadcastTests {
    /// A second of quiet noise as a WAVE file; removed with the last reference.
    private final class Song {
        let path: String

        init(seconds: Int = 1) {
            var template = Array("/tmp/tutti-song-XXXXXX.wav".utf8CString)
            let descriptor = mkstemps(&template, 4)
            path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
            let frames = 44_100 * seconds
            var bytes: [UInt8] = Array("RIFF".utf8) + little(UInt32(36 + frames * 2)) + Array("WAVEfmt ".utf8)
            bytes += little(UInt32(16)) + little(UInt16(1)) + little(UInt16(1)) + little(UInt32(44_100))
            bytes += little(UInt32(88_200)) + little(UInt16(2)) + little(UInt16(16)) + Array("data".utf8)
            bytes += little(UInt32(frames * 2))
            for frame in 0..<frames { bytes += little(UInt16(truncatingIfNeeded: frame &* 7_919 % 1_000)) }
            write(descriptor, bytes, bytes.count)
            close(descriptor)
        }

        deinit { unlink(path) }

        private func little<Value: FixedWidthInteger>(_ value: Value) -> [UInt8] {
            withUnsafeBytes(of: value.littleEndian) { Array($0) }
        }
    }

    private func broadcast(
        _ song: Song, to listeners: [RunningListener], configure: (inout BroadcastOptions) -> Void = { _ in }
    ) throws -> (outcome: RuntimeOutcome, notices: [String]) {
        var options = BroadcastOptions(path: song.path)
        options.name = "study"
        options.start = .whenReady(listeners: listeners.count)
        options.listeners = listeners.map { NetworkAddress(host: "127.0.0.1", port: $0.port) }
        options.network.port = RawPeer.freePort()
        options.network.usesDiscovery = false
        configure(&options)
        let notices = Mutex<[String]>([])
        let outcome = try Broadcaster(options: options, identity: .test("study")).run { event in
            if case .notice(_, let text) = event { notices.withLock { $0.append(text) } }
        }
        return (outcome, notices.withLock { $0 })
    }

    @Test func twoListenersHearASongToItsEnd() throws {
        let listeners = [try RunningListener(name: "kitchen"), try RunningListener(name: "attic")]
        #expect(try broadcast(Song(), to: listeners).outcome == .completed)
        for listener in listeners {
            #expect(listener.states.contains(.playing))
            #expect(listener.stop() == .success(.interrupted))
            #expect(listener.notices.contains("study: the broadcast ended"))
        }
    }

    @Test func aListenerTakesTheNextBroadcastToo() throws {
        let listener = try RunningListener(name: "kitchen")
        for _ in 0..<2 { #expect(try broadcast(Song(), to: [listener]).outcome == .completed) }
        #expect(listener.states.count(where: { $0 == .playing }) == 2)
        #expect(listener.stop() == .success(.interrupted))
    }

    @Test func onceEndsWithTheBroadcast() throws {
        let listener = try RunningListener(name: "kitchen") { $0.once = true }
        #expect(try broadcast(Song(), to: [listener]).outcome == .completed)
        #expect(listener.end() == .success(.completed))
    }

    @Test func theBroadcastersOwnLoudspeakersPlayToo() throws {
        let listener = try RunningListener(name: "kitchen")
        let result = try broadcast(Song(), to: [listener]) { $0.output = .null }
        #expect(result.outcome == .completed)
        #expect(result.notices.contains("study (here) joined"))
        #expect(listener.stop() == .success(.interrupted))
    }

    /// Also where the own loudspeakers are there to play.
    @Test(arguments: [nil, OutputSelection.null])
    func nobodyOfThatNameIsAFailure(output: OutputSelection?) throws {
        let listener = try RunningListener(name: "kitchen")
        let failure = #expect(throws: RuntimeFailure.self) {
            try broadcast(Song(), to: [listener]) {
                $0.to = ["cellar"]
                $0.output = output
            }
        }
        #expect(failure?.kind == .unknownPeer)
        #expect(listener.stop() == .success(.interrupted))
    }
}
