import AudioCore
import Glibc
import HeardAnalysis
import Testing

@Suite(.timeLimit(.minutes(5))) struct RecordingFileTests {
    @Test(arguments: [WaveSampleFormat.int16, .float32]) func whatIsWrittenIsReadBack(_ format: WaveSampleFormat) throws
    {
        let path = "/tmp/tutti-heard-\(getpid())-\(format).wav"
        defer {
            unlink(path)
            unlink(path + ".timing")
        }
        let recording = heard(TestSong(duration: 0.1), ppm: 12)
        try recording.write(to: path, format: format)
        let read = try HeardRecording(path: path)
        #expect(read.sampleRate == recording.sampleRate)
        #expect(read.channels == 2)
        #expect(read.segments == recording.segments)
        #expect(read.frameCount == recording.frameCount)
        #expect(zip(read.samples, recording.samples).allSatisfy { abs($0 - $1) <= 0x1p-16 })
    }
}
