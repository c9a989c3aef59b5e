import AudioCore
import AudioDecoding
@testable import LibavcodecDecoding
import Glibc
import StreamTestKit
import Testing

/// A worker can be lost, and can do nothing but decode.
@Suite(.timeLimit(.minutes(5)))
struct WorkerTests {
    static func flac(seconds: Double = 2.3) throws -> ForeignSong {
        try ForeignSong(
            codec: .flac, sampleRate: 44_100, channels: 2, seconds: seconds, file: "out.flac",
            encode: "ffmpeg -v error -i in.wav -c:a flac -frame_size 1152 out.flac")
    }

    @Test func aKilledWorkerCostsOnePacket() throws {
        let song = try Self.flac()
        let decoder = try song.makeDecoder()
        let before = try decodeAll(song.packets[..<20], with: decoder)
        let first = try #require(decoder.workerProcessID)
        kill(first, SIGKILL)
        let after = try decodeAll(song.packets[20...], with: decoder)
        let lost = song.packets[20].frameCount * 2
        #expect(before.elementsEqual(song.reference[..<before.count]))
        #expect(after[..<lost].allSatisfy { $0 == 0 })
        #expect(after[lost...].elementsEqual(song.reference[(before.count + lost)...]))
        #expect(decoder.damagedPacketCount == 1)
        #expect(decoder.restartCount == 1)
        #expect(decoder.workerProcessID != first)
        // It was waited for: no process of that number is left behind.
        #expect(kill(first, 0) == -1)
    }

    @Test func aStreamThatEndsWorkerAfterWorkerIsGivenUp() throws {
        let song = try Self.flac()
        let decoder = try song.makeDecoder()
        #expect(throws: AudioDecodingError.self) {
            for packet in song.packets {
                // None runs after a loss: the next packet is decoded by a new one.
                if let process = decoder.workerProcessID { kill(process, SIGKILL) }
                _ = try decodeAll([packet], with: decoder)
            }
        }
        #expect(decoder.restartCount == 4)
        #expect(decoder.damagedPacketCount == 5)
    }

    @Test func aStuckWorkerIsReplaced() throws {
        let song = try Self.flac()
        let decoder = try song.makeDecoder()
        kill(try #require(decoder.workerProcessID), SIGSTOP)
        let output = try decodeAll(song.packets[..<3], with: decoder)
        let lost = song.packets[0].frameCount * 2
        #expect(output[..<lost].allSatisfy { $0 == 0 })
        #expect(output[lost...].elementsEqual(song.reference[lost..<output.count]))
        #expect(decoder.restartCount == 1)
    }

    @Test func aWorkerEndsWithItsDecoder() throws {
        let song = try Self.flac()
        var decoder: WorkerDecoder? = try song.makeDecoder()
        let process = try #require(decoder?.workerProcessID)
        #expect(kill(process, 0) == 0)
        decoder = nil
        #expect(kill(process, 0) == -1)
    }

    /// Opening a file, a socket, a process, code in memory, writing elsewhere: the kernel ends who tries.
    @Test(arguments: 1000...1004) func aWorkerMayDoNothingElse(_ trespass: UInt32) throws {
        #expect(try Self.answerAfter(trespass) == .signal(SIGSYS))
    }

    /// The test above can fail: a worker that does nothing forbidden answers.
    @Test func aHarmlessMessageIsAnswered() throws {
        #expect(try Self.answerAfter(1999) == .answered)
    }

    /// A thread that was there before the worker gave up its rights has none either.
    @Test func aSecondThreadMayDoNoMore() throws {
        #expect(try Self.answerAfter(1999, "second-thread") == .answered)
        #expect(try Self.answerAfter(1005, "second-thread") == .signal(SIGSYS))
    }

    /// Where a thread cannot be bound, nothing that came from outside is looked at.
    @Test func aThreadThatCannotBeBoundEndsTheWorker() throws {
        let program = WorkerProgram(path: try WorkerProgram.ofTests.path, arguments: ["filtered-second-thread"])
        let process = try WorkerProcess(program, interrupt: DecodingInterrupt())
        var body: [UInt8] = []
        do throws(WorkerProcess.Failure) {
            _ = try process.receive(.ready, size: 8...8, into: &body, by: Deadline(seconds: 10))
            Issue.record("it is ready")
        } catch {
            if case .ended = error { return }
            Issue.record(error)
        }
    }

    private enum Ending: Equatable {
        case answered, signal(Int32), exit
    }

    /// What a worker does with a message that makes the test tool try something.
    private static func answerAfter(_ kind: UInt32, _ arguments: String...) throws -> Ending {
        let session = try DecodeSession(
            program: WorkerProgram(path: try WorkerProgram.ofTests.path, arguments: arguments))
        let deadline = Deadline(seconds: 10)
        var body: [UInt8] = []
        _ = try session.process.receive(.ready, size: 8...8, into: &body, by: deadline)
        try session.process.send(kind: kind, RawSpan(), by: deadline)
        do throws(WorkerProcess.Failure) {
            _ = try session.process.receive(.frames, size: 0...0, into: &body, by: deadline)
            return .answered
        } catch {
            guard case .ended = error else { return .answered }
        }
        var information = siginfo_t()
        // Looked at, and left to be waited for by its owner.
        let processID = session.process.processID
        waitid(P_PID, id_t(try #require(processID)), &information, WEXITED | WNOWAIT)
        let wasKilled = information.si_code == CLD_KILLED || information.si_code == CLD_DUMPED
        return wasKilled ? .signal(information._sifields._sigchld.si_status) : .exit
    }

    @Test func resetForgetsWhatCameBefore() throws {
        let song = try ForeignSong(
            codec: .ac3, sampleRate: 48_000, channels: 2, file: "out.ac3",
            encode: "ffmpeg -v error -i in.wav -c:a ac3 -b:a 192k out.ac3", framesPerPacket: 1536)
        let decoder = try song.makeDecoder()
        let first = try decodeAll(song.packets[..<10], with: decoder)
        decoder.reset(streamFrame: 0)
        let second = try decodeAll(song.packets[..<10], with: decoder)
        #expect(first == second)
    }

    @Test func vorbisFromTheMiddleEqualsTheWholeAfterOnePacket() throws {
        let song = try ForeignSong(
            codec: .vorbis, sampleRate: 44_100, channels: 2, file: "out.ogg",
            encode: "ffmpeg -v error -i in.wav -c:a libvorbis -q 5 out.ogg")
        let decoder = try song.makeDecoder()
        let whole = try decodeAll(song.packets, with: decoder)
        decoder.reset(streamFrame: 0)
        let part = try decodeAll(song.packets[50...], with: decoder)
        let skipped = song.packets[50].frameCount * 2
        #expect(part.dropFirst(skipped).elementsEqual(whole.suffix(part.count - skipped)))
        #expect(decoder.damagedPacketCount == 0)
    }

    @Test func anotherRateThanAnnouncedIsAChangeOfFormat() throws {
        var song = try Self.flac()
        song.format.sampleRate = 48_000
        let decoder = try song.makeDecoder()
        #expect(throws: AudioDecodingError.formatChanged) { try decodeAll(song.packets, with: decoder) }
    }

    @Test func aRefusedCookieIsAnUnsupportedFormat() throws {
        var song = try Self.flac()
        song.magicCookie = []
        song.format.codec = .vorbis
        #expect(throws: AudioDecodingError.self) { try song.makeDecoder() }
        do { _ = try song.makeDecoder() } catch AudioDecodingError.unsupportedFormat(let text) {
            #expect(text.contains("Vorbis"))
        }
    }

    @Test func aWorkerWithoutTheLibraryNamesThePackage() throws {
        let program = WorkerProgram(path: "/bin/true")
        #expect(throws: AudioDecodingError.self) {
            try WorkerDecoder(
                format: AudioStreamFormat(codec: .flac, sampleRate: 44_100, channelsPerFrame: 2), magicCookie: [],
                program: program)
        }
        var catalog = DecoderCatalog.builtIn
        catalog.registerLibraryDecoders(program: program, availability: .missing)
        let format = AudioStreamFormat(codec: .aac, sampleRate: 44_100, channelsPerFrame: 2)
        do {
            _ = try catalog.makeDecoder(for: format)
            Issue.record("there is no decoder")
        } catch {
            #expect(error == .unsupportedCodec(.aac))
            #expect("\(error)".contains("libavcodec59"))
        }
    }
}
