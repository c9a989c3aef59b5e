import AudioCore
import AudioDecoding
import AudioQueueServices
import Glibc
import HostSystem
import Playout
import StreamTestKit
import Synchronization
import Testing
import VirtualDevices

@testable import LibavcodecDecoding

/// Whoever talks to an audio queue does not wait for a decoding worker, whatever that does.
@Suite(.serialized, .timeLimit(.minutes(5))) struct QueueTests {
    /// A worker is given 3 s for a packet and 10 s to start; calls that never wait take well under a millisecond.
    private static let atOnce = TimeSpan.seconds(1)

    private final class Events: Sendable {
        private let list = Mutex<[TimelineQueueEvent]>([])

        func append(_ event: TimelineQueueEvent) { list.withLock { $0.append(event) } }
        var all: [TimelineQueueEvent] { list.withLock { $0 } }
    }

    private let events = Events()

    private func makeQueue(_ decoders: DecoderCatalog) throws -> TimelineQueue {
        let events = events
        return try TimelineQueue(output: try VirtualOutput.null(), decoders: decoders) { events.append($0) }
    }

    private func catalog(_ program: WorkerProgram) -> DecoderCatalog {
        var catalog = DecoderCatalog.builtIn
        catalog.registerLibraryDecoders(program: program, availability: .supported)
        return catalog
    }

    private static let flac = AudioStreamFormat(codec: .flac, sampleRate: 44_100, channelsPerFrame: 2)
    private static let pcm = AudioStreamFormat.linearPCM(
        sampleRate: 44_100, channels: 2, bitsPerChannel: 16, bytesPerSample: 2, layout: .signedInteger)

    /// How long something takes.
    private func time(_ body: () throws -> Void) rethrows -> TimeSpan {
        let start = HostTime.now()
        try body()
        return HostTime.now() - start
    }

    /// Waits for ten seconds at most.
    private func wait(until isSo: () throws -> Bool) rethrows -> Bool { try waitUntil(within: .seconds(10), isSo) }

    /// Calls everything that a network's event loop calls, with packets of 1,000 frames.
    private func callEverything(_ queue: TimelineQueue, _ epoch: Epoch) -> [TimelineQueueAdmission] {
        let bytes = [UInt8](repeating: 0, count: 4_000)
        let admissions = (0..<10).map { number in
            queue.enqueue(
                bytes.span.bytes, frame: FramePosition(Int64(number) * 1_000), frameCount: 1_000, epoch: epoch)
        }
        queue.reenter(at: FramePosition(20_000), epoch: epoch)
        queue.setTimeline(HostTimeline(epoch: epoch, host: .now(), frame: .zero, framesPerSecond: 44_100))
        queue.finish(at: FramePosition(10_000), epoch: epoch)
        queue.hold()
        _ = queue.snapshot
        return admissions
    }

    @Test func nobodyWaitsForAWorkerThatNeverAnswers() throws {
        let program = HungProgram()
        let queue = try makeQueue(catalog(WorkerProgram(path: program.path, arguments: program.arguments)))
        defer { queue.close() }
        var admissions: [TimelineQueueAdmission] = []
        let called = time {
            queue.begin(TimelineQueueStream(epoch: Epoch(1), format: Self.flac))
            admissions = callEverything(queue, Epoch(1))
        }
        #expect(called < Self.atOnce)
        // What comes before there is a decoder is kept.
        #expect(admissions.allSatisfy { $0 == .accepted })
        #expect(wait { !program.processIDs.isEmpty }, "the worker was not started")
        #expect(time { _ = callEverything(queue, Epoch(1)) } < Self.atOnce)
        #expect(queue.snapshot.feeder.queuedPacketCount == 10)

        // The next song's decoder does not wait either, and the one that hangs is gone.
        let decoded = time {
            queue.begin(TimelineQueueStream(epoch: Epoch(2), format: Self.pcm))
            _ = callEverything(queue, Epoch(2))
            #expect(wait { queue.snapshot.feeder.decodedEnd == FramePosition(10_000) })
        }
        #expect(decoded < .seconds(3))
        #expect(program.processIDs.isEmpty)

        // Nor does silence.
        queue.begin(TimelineQueueStream(epoch: Epoch(3), format: Self.flac))
        #expect(wait { !program.processIDs.isEmpty }, "the worker was not started")
        #expect(time { queue.stop() } < Self.atOnce)
        #expect(wait { program.processIDs.isEmpty })

        // Nor does the end.
        queue.begin(TimelineQueueStream(epoch: Epoch(4), format: Self.flac))
        #expect(wait { !program.processIDs.isEmpty }, "the worker was not started")
        #expect(time { queue.close() } < .seconds(3))
        #expect(program.processIDs.isEmpty)
        // Of what was not wanted any more nobody is told that it failed.
        #expect(!events.all.contains { if case .cannotDecode = $0 { true } else { false } })
    }

    @Test func nobodyWaitsForAWorkerThatGetsStuck() throws {
        let song = try WorkerTests.flac(seconds: 4)
        let workers = Mutex<[Int32]>([])
        var decoders = DecoderCatalog.builtIn
        let program = try WorkerProgram.ofTests
        decoders.register(.flac) { (format, cookie, interrupt) throws(AudioDecodingError) in
            let decoder = try WorkerDecoder(
                format: format, magicCookie: cookie, program: program, interrupt: interrupt)
            if let process = decoder.workerProcessID { workers.withLock { $0.append(process) } }
            return decoder
        }
        let queue = try makeQueue(decoders)
        defer { queue.close() }
        queue.begin(TimelineQueueStream(epoch: Epoch(1), format: song.format, magicCookie: song.magicCookie))
        var end = FramePosition.zero
        func enqueue(_ packets: some Sequence<(bytes: [UInt8], frameCount: Int)>) {
            for packet in packets {
                let admission = queue.enqueue(
                    packet.bytes.span.bytes, frame: end, frameCount: packet.frameCount, epoch: Epoch(1))
                #expect(admission == .accepted)
                end += Int64(packet.frameCount)
            }
        }
        enqueue(song.packets[..<5])
        #expect(wait { queue.snapshot.feeder.decodedEnd == end })
        let worker = try #require(workers.withLock { $0 }.first)
        kill(worker, SIGSTOP)

        let called = time {
            enqueue(song.packets[5..<100])
            for packet in song.packets[100..<120] {
                enqueue([packet])
                _ = queue.snapshot
                usleep(20_000)
            }
        }
        #expect(called < .milliseconds(400) + Self.atOnce)
        #expect(kill(worker, 0) == 0 && queue.snapshot.feeder.queuedPacketCount > 100, "the worker was not stuck")
        #expect(time { queue.stop() } < Self.atOnce)
        #expect(wait { kill(worker, 0) == -1 }, "the worker is still there")
        #expect(time { queue.close() } < Self.atOnce + .seconds(1))
    }

    @Test func aWorkerThatEndsAtOnceIsToldAndTheNextSongIsPlayed() throws {
        let queue = try makeQueue(catalog(WorkerProgram(path: "/bin/true")))
        defer { queue.close() }
        queue.begin(TimelineQueueStream(epoch: Epoch(1), format: Self.flac))
        #expect(
            wait {
                events.all.contains {
                    if case .cannotDecode(epoch: Epoch(1), .libraryFailed) = $0 { true } else { false }
                }
            })
        #expect(callEverything(queue, Epoch(1)).allSatisfy { $0 == .notPlaying })
        queue.begin(TimelineQueueStream(epoch: Epoch(2), format: Self.pcm))
        #expect(callEverything(queue, Epoch(2)).allSatisfy { $0 == .accepted })
        #expect(wait { queue.snapshot.feeder.decodedEnd == FramePosition(10_000) })
        #expect(events.all.count { if case .cannotDecode = $0 { true } else { false } } == 1)
    }

    @Test func anUnknownCodecIsTold() throws {
        let queue = try makeQueue(.builtIn)
        defer { queue.close() }
        queue.begin(TimelineQueueStream(epoch: Epoch(1), format: Self.flac))
        #expect(wait { events.all.contains(.cannotDecode(epoch: Epoch(1), .unsupportedCodec(.flac))) })
    }
}
