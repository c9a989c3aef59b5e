import ALSADevices
import AudioCore
import AudioQueueServices
import HeardAnalysis
import HostSystem
import LANKit
import Playout
import SoundCardKit
import Testing

extension OutputTests {
    /// Cards that keep what is written, beside one that gives it back: commands that allow for what they hold are heard
    /// on the same frame.
    @Suite(.serialized) struct KeepingCardTests {
        private let cardDirectory = CardDirectory()

        /// What the loop asks of ALSA.
        private static let buffer = TimeSpan.milliseconds(150)
        /// From a command to its effect, but for what the card keeps, as broadcasts have it.
        private static let lead = TimeSpan.milliseconds(80)

        /// A song that began on a card, half a second ago.
        private struct Playing {
            let rig: QueueRig
            let start: HostTime
            let card: SoftwareCard.Rewinds
            /// From now on to the effect of a command.
            var lead: TimeSpan { KeepingCardTests.lead + (card == .given ? .zero : KeepingCardTests.buffer) }

            func frame(dueAt host: HostTime) -> Int64 { Int64(((host - start).seconds * 48_000).rounded()) }

            func instant(of frame: Int64) -> HostTime { start + TimeSpan(seconds: Double(frame) / 48_000) }
        }

        private func play(on rewinds: SoftwareCard.Rewinds) throws -> Playing {
            let card = cardDirectory.makeCard {
                $0.ppm = 40
                $0.rewinds = rewinds
            }
            let rig = try QueueRig(try ALSAOutput(deviceName: card.deviceName))
            // A sound server's clock takes seconds to be known.
            let start = HostTime.now() + (rewinds == .ignored ? .seconds(5) : .milliseconds(500))
            rig.play(TestSong(duration: 3), at: start)
            sleepThread(for: start + .milliseconds(500) - .now())
            return Playing(rig: rig, start: start, card: rewinds)
        }

        @Test(arguments: [SoftwareCard.Rewinds.given, .ignored, .refused])
        func itIsToldWhatACardKeeps(rewinds: SoftwareCard.Rewinds) throws {
            let held = try undisturbed {
                let playing = try play(on: rewinds)
                let held = playing.rig.queue.snapshot.playout.irrevocableSpan
                playing.rig.queue.close()
                return held
            }
            let most = rewinds == .given ? TimeSpan.zero : Self.buffer + .milliseconds(15)
            #expect(held >= (rewinds == .given ? .zero : Self.buffer) && held <= most, "\(held)")
        }

        @Test(arguments: [SoftwareCard.Rewinds.given, .ignored, .refused])
        func aPauseEndsOnTheSameFrame(rewinds: SoftwareCard.Rewinds) throws {
            let (last, level) = try undisturbed { try pause(on: rewinds) }
            // Of a fade of 480 frames, what is not rounded to nothing; and not sooner.
            #expect(last > -40 && last <= 1, "\(last) frames")
            #expect(level > 0.01, "\(level)")
        }

        /// - Returns: the last audible frame less the first one that is not to be heard; and the level between 15 and
        ///   10 ms before that, where no fade is.
        private func pause(on rewinds: SoftwareCard.Rewinds) throws -> (last: Double, level: Float) {
            let playing = try play(on: rewinds)
            let cut = playing.frame(dueAt: .now() + playing.lead)
            playing.rig.queue.cut(at: FramePosition(cut), epoch: Epoch(1))
            _ = try playing.rig.wait { $0 == .playout(.stopped(epoch: Epoch(1))) }
            playing.rig.queue.close()
            let heard = try cardDirectory.heard()
            let last = try #require(heard.lastAudibleFrame(above: 0.0002))
            let time = try #require(heard.time(ofFrame: Double(last)))
            let end = (time - Double(playing.instant(of: cut).nanoseconds)) * 1e-9 * 48_000
            let before = last - Int(end)
            return (end, heard.mono[(before - 720)..<(before - 480)].map(abs).max() ?? 0)
        }

        @Test(arguments: [SoftwareCard.Rewinds.given, .ignored, .refused])
        func theNextSongBeginsWhereItIsPlaced(rewinds: SoftwareCard.Rewinds) throws {
            let (report, silence) = try undisturbed { try goOnToTheNext(on: rewinds) }
            #expect(report.unlikeWindows.isEmpty && report.windows.count >= 5)
            #expect(report.percentile(1) ?? .infinity < 200e-6, "\(report.windows.map(\.skew))")
            // Between the two songs, as long as was asked for.
            #expect(abs(silence - 0.1) < 0.003, "\(silence) s")
        }

        /// - Returns: how far the second song was from its timeline, and the silence between the two, in seconds.
        private func goOnToTheNext(on rewinds: SoftwareCard.Rewinds) throws -> (skew: SkewReport, silence: Double) {
            let playing = try play(on: rewinds)
            let next = TestSong(duration: 1.2, seed: 7)
            let cut = playing.frame(dueAt: .now() + playing.lead)
            let start = playing.instant(of: cut) + .milliseconds(100)
            playing.rig.queue.cut(at: FramePosition(cut), epoch: Epoch(1))
            playing.rig.play(next, at: start, epoch: Epoch(2), isBehind: true)
            try playing.rig.waitUntilFinished(Epoch(2))
            playing.rig.queue.close()
            let heard = try cardDirectory.heard()
            let pauses = heard.silences(longerThan: 0.05, threshold: 0.0002).filter {
                $0.lowerBound > Double(playing.start.nanoseconds) && $0.upperBound < Double(start.nanoseconds) + 1e8
            }
            var options = SkewOptions()
            (options.window, options.hop) = (0.2, 0.2)
            return (
                skew(between: next.heard(from: start), and: heard, options: options),
                pauses.map { ($0.upperBound - $0.lowerBound) * 1e-9 }.reduce(0, +)
            )
        }

        /// Once its clock is known, a card holds 300 ms and wakes its loop every 200 ms only.
        @Test func pausesEndOnTheirFramesOnACardThatWakesItsLoopSeldom() throws {
            let ends = try undisturbed(endsOfPauses)
            #expect(ends.count == 8 && ends.allSatisfy { $0 > -40 && $0 <= 1 }, "\(ends)")
        }

        /// - Returns: of each pause, the last frame that was heard less the first one that was not to be.
        private func endsOfPauses() throws -> [Double] {
            let card = cardDirectory.makeCard { $0.ppm = 40 }
            let rig = try QueueRig(try ALSAOutput(deviceName: card.deviceName), holding: .seconds(20))
            let start = HostTime.now() + .milliseconds(500)
            rig.play(TestSong(duration: 20, channels: 1), at: start)
            var playing = Playing(rig: rig, start: start, card: .given)
            sleepThread(for: .seconds(13))
            var cuts: [HostTime] = []
            for round in 0..<8 {
                let cut = playing.frame(dueAt: .now() + playing.lead)
                let instant = playing.instant(of: cut)
                cuts.append(instant)
                rig.queue.cut(at: FramePosition(cut), epoch: Epoch(1))
                // At every phase of the wakes.
                let resumed = instant + .milliseconds(250 + 6 * Int64(round))
                sleepThread(for: .milliseconds(150))
                rig.queue.setTimeline(
                    HostTimeline(
                        epoch: Epoch(1), host: resumed, frame: FramePosition(cut), framesPerSecond: 48_000))
                playing = Playing(
                    rig: rig, start: resumed - TimeSpan(seconds: Double(cut) / 48_000), card: .given)
                sleepThread(for: resumed + .milliseconds(207) - .now())
            }
            rig.queue.close()
            let heard = try cardDirectory.heard()
            let silences = heard.silences(longerThan: 0.1, threshold: 0.0002)
            return cuts.map { cut in
                let ends = silences.map { ($0.lowerBound - Double(cut.nanoseconds)) * 1e-9 * 48_000 }
                return ends.min { abs($0) < abs($1) } ?? .infinity
            }
        }
    }
}
