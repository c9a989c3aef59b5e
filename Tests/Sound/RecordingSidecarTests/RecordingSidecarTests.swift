import AudioCore
import Testing
import VirtualDevices

@Suite(.timeLimit(.minutes(5))) struct RecordingSidecarTests {
    let sidecar = RecordingSidecar(
        sampleRate: 48_000, channels: 2,
        segments: [
            .init(firstFrame: 0, host: HostTime(nanoseconds: 1_234_567_890_123), framesPerSecond: 48_001.92),
            .init(firstFrame: 96_000, host: HostTime(nanoseconds: 1_239_999_990_123), framesPerSecond: 47_998.32),
        ],
        events: [.init(name: "xrun", host: HostTime(nanoseconds: 1_239_900_000_000))])

    @Test func whatIsWrittenIsReadBack() throws {
        #expect(try RecordingSidecar(parsing: sidecar.text) == sidecar)
    }

    @Test func aLineCutShortByADyingWriterIsIgnored() throws {
        #expect(try RecordingSidecar(parsing: sidecar.text + "segment 100000 12399") == sidecar)
    }

    @Test func unknownStatementsAreSkipped() throws {
        #expect(try RecordingSidecar(parsing: sidecar.text + "comment hello\n") == sidecar)
    }

    @Test(arguments: [
        "", "RIFF\n", "tutti-recording 2\nsampleRate 48000\nchannels 2\n",
        "tutti-recording 1\nsampleRate nan\nchannels 2\n", "tutti-recording 1\nsampleRate 48000\n",
        "tutti-recording 1\nsampleRate 48000\nchannels 2\nsegment 0 0 0\n",
        "tutti-recording 1\nsampleRate 48000\nchannels 2\nsegment 5 9 1\nsegment 4 10 1\n",
    ])
    func nonsenseIsRefused(_ text: String) {
        #expect(throws: RecordingSidecarError.self) { try RecordingSidecar(parsing: text) }
    }
}
