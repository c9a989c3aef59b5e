import AudioCore
import AudioQueueServices
import HeardAnalysis
import HostSystem
import LANKit
import Playout
import SoundCardKit
import Testing
import VirtualDevices

@testable import ALSADevices

/// Outputs run in real time: one at a time, so that they do not take the processor from each other.
@Suite(.serialized, .timeLimit(.minutes(5))) struct OutputTests {}

extension OutputTests {
    // Queue, device loop and renderer together, on the software sound card; judged by what the card recorded.
    @Suite(.serialized) struct SoundCardTests {
        private let cardDirectory = CardDirectory()
        private let song = TestSong(duration: 1.2)
        /// From opening the card to the song: its clock is known by then.
        private let cardIsKnown = TimeSpan.milliseconds(500)

        /// Plays the song on a card that is opened for it; where the machine stood still meanwhile, again.
        /// - Parameter lead: from then on to the song's first frame.
        /// - Returns: how far it was from its timeline, and what was heard.
        private func play(on name: String, lead: TimeSpan) throws -> (skew: SkewReport, sound: HeardRecording) {
            try undisturbed {
                cardDirectory.removeRecording()
                let rig = try QueueRig(try ALSAOutput(deviceName: name))
                let start = HostTime.now() + lead
                rig.play(song, at: start)
                try rig.waitUntilFinished()
                rig.queue.close()
                let sound = try cardDirectory.heard()
                return (skew(between: song.heard(from: start), and: sound), sound)
            }
        }

        private func expectInStep(_ report: SkewReport, sourceLocation: SourceLocation = #_sourceLocation) {
            #expect(report.unlikeWindows.isEmpty, sourceLocation: sourceLocation)
            let worst = report.percentile(1) ?? .infinity
            #expect(worst < 100e-6, sourceLocation: sourceLocation)
        }

        @Test(arguments: [0, 40, -35.0]) func aSongStartsAtItsInstantAndStaysThere(ppm: Double) throws {
            let played = try play(on: cardDirectory.makeCard { $0.ppm = ppm }.deviceName, lead: cardIsKnown)
            expectInStep(played.skew)
            let report = compare(played.sound, with: song.recording(sampleRate: 48_000))
            #expect(report.isClean, "\(report.blemishes.prefix(3))")
        }

        /// Stamps of another clock, or none that are of use.
        @Test(arguments: zip(SoftwareCard.Stamps.allCases, [TimestampClock.monotonicRaw, .monotonic, .none]))
        func aCardThatStampsOtherwiseIsInStepToo(stamps: SoftwareCard.Stamps, clock: TimestampClock) throws {
            let name = cardDirectory.makeCard {
                $0.stamps = stamps
                $0.ppm = 40
            }.deviceName
            #expect(try PCMHandle(name: name).configure().timestampClock == clock)
            expectInStep(try play(on: name, lead: cardIsKnown).skew)
        }

        @Test(arguments: ["S16_LE", "S24_3LE", "S24_LE", "S32_LE", "FLOAT_LE"])
        func everySampleFormatIsWrittenAsTheDeviceWantsIt(format: String) throws {
            let card = cardDirectory.makeCard { $0.formats = [format] }
            let sound = try play(on: card.deviceName, lead: cardIsKnown).sound
            let report = compare(sound, with: song.recording(sampleRate: 48_000))
            #expect(report.isClean, "\(report.blemishes.prefix(3))")
        }

        @Test func aRateThatTheDeviceLacksIsConverted() throws {
            let card = cardDirectory.makeCard { $0.rates = [44_100] }
            let told = try ALSAOutput(deviceName: card.deviceName).description.rate
            let played = try play(on: card.deviceName, lead: cardIsKnown)
            #expect(told == 44_100 && played.sound.sampleRate == 44_100)
            expectInStep(played.skew)
        }

        @Test(arguments: [1, 6]) func channelsThatTheDeviceWantsAreMade(count: Int) throws {
            let card = cardDirectory.makeCard { $0.channels = count...count }
            let rig = try QueueRig(try ALSAOutput(deviceName: card.deviceName))
            #expect(rig.queue.device.channelCount == count)
            rig.play(song, at: .now() + cardIsKnown)
            try rig.waitUntilFinished()
            rig.queue.close()
            #expect(try cardDirectory.heard().firstAudibleFrame() != nil)
        }

        @Test func afterAnXrunTheSongGoesOnInItsPlace() throws {
            let (start, xrunCount, heard) = try undisturbed {
                let card = cardDirectory.makeCard()
                let rig = try QueueRig(try ALSAOutput(deviceName: card.deviceName))
                let start = HostTime.now() + cardIsKnown
                try card.setFaults([.xrunAt((start + .milliseconds(500)).nanoseconds)])
                rig.play(song, at: start)
                try rig.waitUntilFinished()
                let xrunCount = rig.queue.snapshot.playout.xrunCount
                rig.queue.close()
                return (start, xrunCount, try cardDirectory.heard())
            }
            #expect(xrunCount == 1)
            #expect(heard.events.map(\.name) == ["xrun"])
            var options = SkewOptions()
            options.window = 0.1
            options.hop = 0.1
            let report = skew(between: song.heard(from: start), and: heard, options: options)
            let after = report.windows.filter { $0.time > Double((start + .milliseconds(800)).nanoseconds) }
            #expect(after.count >= 3)
            #expect(after.allSatisfy { abs($0.skew) < 100e-6 })
        }

        @Test func aDeviceThatVanishesIsReportedAndItsThreadEnds() throws {
            let card = cardDirectory.makeCard()
            let rig = try QueueRig(try ALSAOutput(deviceName: card.deviceName))
            let start = HostTime.now() + .milliseconds(300)
            try card.setFaults([.goneAt((start + .milliseconds(300)).nanoseconds)])
            rig.play(song, at: start)
            _ = try rig.wait { $0 == .device(.lost(.lost(device: card.deviceName))) }
            rig.queue.close()
        }

        @Test func aDeviceThatComesBackGoesOnInStep() throws {
            let (back, report) = try undisturbed(playOnReturningCard)
            let windows = report.windows.filter { $0.time > Double(back.nanoseconds) }
            let first = try #require(windows.map(\.time).min()) * 1e-9
            let delay = first - Double(back.nanoseconds) * 1e-9
            #expect(delay < 1.2, "in step again after \(delay) s")
            #expect(report.unlikeWindows.allSatisfy { $0.time < first * 1e9 })
            #expect(windows.count >= 5 && windows.allSatisfy { abs($0.skew) < 100e-6 })
        }

        /// Plays on a card that goes away half a second into the song, for a second or so.
        /// - Returns: when the card was back, and how far the song was from its timeline from then on.
        private func playOnReturningCard() throws -> (back: HostTime, skew: SkewReport) {
            let card = cardDirectory.makeCard { $0.ppm = 40 }
            let name = card.deviceName
            let rig = try QueueRig(
                ReconnectingOutput(
                    try ALSAOutput(deviceName: name),
                    standIn: { () throws(OutputDeviceError) in try VirtualOutput.null() },
                    reopen: { () throws(OutputDeviceError) in try ALSAOutput(deviceName: name) }))
            let song = TestSong(duration: 6)
            let start = HostTime.now() + .milliseconds(300)
            try card.setFaults([.goneAt((start + .milliseconds(500)).nanoseconds)])
            rig.play(song, at: start)
            _ = try rig.wait { $0 == .device(.vanished(.lost(device: name))) }
            // What it gets meanwhile goes nowhere, and packets go by as if it were heard.
            sleepThread(for: .seconds(1))
            #expect(rig.queue.device.name == "null" && rig.queue.snapshot.playout.state == .playing)
            try card.setFaults([])
            let back = HostTime.now()
            _ = try rig.wait { if case .device(.returned(let device)) = $0 { device.name == name } else { false } }
            try rig.waitUntilFinished()
            rig.queue.close()
            // The card began its recording anew when it was opened again.
            return (back, skew(between: song.heard(from: start), and: try cardDirectory.heard()))
        }

        @Test func aDeviceThatComesLateIsHeardInStep() throws {
            let (there, report) = try undisturbed(playOnLateCard)
            let windows = report.windows.filter { $0.time > Double(there.nanoseconds) }
            let first = try #require(windows.map(\.time).min()) * 1e-9
            let delay = first - Double(there.nanoseconds) * 1e-9
            #expect(delay < 1.2, "in step after \(delay) s")
            #expect(windows.count >= 5 && windows.allSatisfy { abs($0.skew) < 100e-6 })
        }

        /// Plays on a card that is plugged in a second and a half into the song.
        /// - Returns: when the card was there, and how far the song was from its timeline from then on.
        private func playOnLateCard() throws -> (there: HostTime, skew: SkewReport) {
            let card = cardDirectory.makeCard { $0.ppm = 40 }
            let name = card.deviceName
            try card.setFaults([.gone])
            let refusal = #expect(throws: OutputDeviceError.self) { _ = try ALSAOutput(deviceName: name) }
            let loss = try #require(refusal)
            let rig = try QueueRig(
                ReconnectingOutput(
                    awaiting: loss, standIn: { () throws(OutputDeviceError) in try VirtualOutput.null() },
                    open: { () throws(OutputDeviceError) in try ALSAOutput(deviceName: name) }))
            let song = TestSong(duration: 6)
            let start = HostTime.now() + .milliseconds(300)
            rig.play(song, at: start)
            _ = try rig.wait { $0 == .device(.vanished(loss)) }
            sleepThread(for: .milliseconds(1_500))
            #expect(rig.queue.device.name == "null" && rig.queue.snapshot.playout.state == .playing)
            try card.setFaults([])
            let there = HostTime.now()
            _ = try rig.wait { if case .device(.returned(let device)) = $0 { device.name == name } else { false } }
            try rig.waitUntilFinished()
            rig.queue.close()
            return (there, skew(between: song.heard(from: start), and: try cardDirectory.heard()))
        }

        /// It says that it runs, and takes nothing: given up after three seconds, not waited for for ever.
        @Test func aDeviceThatStandsStillIsReportedAndItsThreadEnds() throws {
            let card = cardDirectory.makeCard()
            let rig = try QueueRig(try ALSAOutput(deviceName: card.deviceName))
            let start = HostTime.now() + .milliseconds(300)
            let stall = start + .milliseconds(300)
            try card.setFaults([.stallAt(stall.nanoseconds)])
            rig.play(song, at: start)
            let error = OutputDeviceError.standsStill(device: card.deviceName)
            _ = try rig.wait { $0 == .device(.lost(error)) }
            let patience = HostTime.now() - stall
            #expect(patience > .seconds(2) && patience < .seconds(10), "\(patience)")
            #expect("\(error)".hasPrefix("sound device '\(card.deviceName)' stands still: "))
            rig.queue.close()
        }

        @Test func stopIsHeardBeforeTheBufferHasPlayedOut() throws {
            let delay = try undisturbed(delayOfAStop)
            // The buffer holds 150 ms at first. 50 ms are wanted; the rest is for a machine that is busy.
            #expect(delay > 0 && delay < 0.09, "\(delay) s")
        }

        /// From a stop in the middle of a song to the last that is heard, in seconds.
        private func delayOfAStop() throws -> Double {
            let rig = try QueueRig(try ALSAOutput(deviceName: cardDirectory.makeCard().deviceName))
            rig.play(TestSong(duration: 5), at: .now() + .milliseconds(300))
            _ = try rig.wait { if case .playout(.started) = $0 { true } else { false } }
            // Half a second into the song.
            sleepThread(for: .milliseconds(700))
            let stopped = HostTime.now()
            rig.queue.stop(fade: .milliseconds(10))
            _ = try rig.wait { $0 == .playout(.stopped(epoch: Epoch(1))) }
            rig.queue.close()
            let heard = try cardDirectory.heard()
            let last = try #require(heard.lastAudibleFrame(above: 0.0005).flatMap { heard.time(ofFrame: Double($0)) })
            return (last - Double(stopped.nanoseconds)) * 1e-9
        }

        @Test func aNewEpochReplacesWhatSounds() throws {
            let report = try undisturbed {
                let rig = try QueueRig(try ALSAOutput(deviceName: cardDirectory.makeCard().deviceName))
                rig.play(TestSong(duration: 5, seed: 7), at: .now() + .milliseconds(300))
                _ = try rig.wait { if case .playout(.started(Epoch(1), _, _, _)) = $0 { true } else { false } }
                let start = HostTime.now() + .milliseconds(800)
                rig.play(song, at: start, epoch: Epoch(2))
                try rig.waitUntilFinished(Epoch(2))
                rig.queue.close()
                return skew(between: song.heard(from: start), and: try cardDirectory.heard())
            }
            expectInStep(report)
        }

        @Test func aLateStartIsJoinedInTheMiddleInStep() throws {
            expectInStep(try play(on: cardDirectory.makeCard().deviceName, lead: .milliseconds(-200)).skew)
        }

        @Test func aDeviceInUseIsBusy() throws {
            let name = cardDirectory.makeCard().deviceName
            let first = try ALSAOutput(deviceName: name)
            #expect(throws: OutputDeviceError.busy(device: name)) { try ALSAOutput(deviceName: name) }
            first.stop()
            let second = try ALSAOutput(deviceName: name)
            second.stop()
        }

        @Test func anUnknownDeviceIsNamed() {
            #expect(throws: OutputDeviceError.unknownDevice(name: "nonsense")) {
                try ALSAOutput(deviceName: "nonsense")
            }
            #expect(throws: OutputDeviceError.unknownDevice(name: "hw:97")) { try ALSAOutput(deviceName: "hw:97") }
        }

        @Test func theListNamesTheCard() {
            #expect(ALSADevice.all().contains { $0.name == "card" && $0.details == "Software sound card" })
        }
    }
}
