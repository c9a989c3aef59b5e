import AudioCore
import AudioQueueServices
import HeardAnalysis
import HostSystem
import Playout
import Testing
import VirtualDevices

extension OutputTests {
    @Suite(.serialized) struct FileOutputTests {
        private let cardDirectory = CardDirectory()
        private let song = TestSong(duration: 1)

        @Test(arguments: [48_000, 44_100.0]) func theFileHoldsTheSongAtItsInstant(rate: Double) throws {
            let rig = try QueueRig(try VirtualOutput.file(path: cardDirectory.recording))
            let start = HostTime.now() + .milliseconds(400)
            rig.play(song, rate: rate, at: start)
            try rig.waitUntilFinished()
            rig.queue.close()
            let heard = try cardDirectory.heard()
            let report = skew(between: song.heard(from: start), and: heard)
            #expect(report.unlikeWindows.isEmpty)
            #expect(try #require(report.percentile(1)) < 2e-6)
            let comparison = compare(heard, with: song.recording(sampleRate: 48_000))
            #expect(comparison.isClean, "\(comparison.blemishes.prefix(3))")
        }

        /// The samples cannot be the song's bit by bit unless its first frame falls due on a frame of the card.
        @Test func aSongThatFallsOnTheCardsFramesPassesUntouched() throws {
            let output = try VirtualOutput.file(path: cardDirectory.recording)
            let rig = try QueueRig(output)
            let first = try cardDirectory.heard().segments[0].host
            let start = first + .seconds(1)
            rig.play(song, at: start)
            try rig.waitUntilFinished()
            rig.queue.close()
            let heard = try cardDirectory.heard()
            let samples = song.recording(sampleRate: 48_000).samples
            #expect(Array(heard.samples[96_000..<(96_000 + samples.count)]) == samples)
        }

        @Test func theNullOutputPlaysToTheEnd() throws {
            let rig = try QueueRig(try VirtualOutput.null())
            rig.play(TestSong(duration: 0.1), at: .now() + .milliseconds(100))
            try rig.waitUntilFinished()
        }

        @Test func aPathThatCannotBeWrittenIsRefused() {
            let path = cardDirectory.directory + "/no/such/place.wav"
            #expect(throws: OutputDeviceError.cannotWrite(path: path, reason: "No such file or directory")) {
                try VirtualOutput.file(path: path)
            }
        }
    }
}
