import AudioCore
import Testing

@testable import Playout

/// A rendition that the device's own clock paces.
@Suite(.timeLimit(.minutes(5))) struct FreeRunTests {
    private static func noise(_ position: Double, _ channel: Int) -> Double {
        sine(position * 12.9898 + Double(channel) * 1.7)
    }

    private func makeRig(ppm: Double = 60, bufferFrames: Int64 = 7_200) -> Rig {
        let rig = Rig(dac: VirtualDAC(ppm: ppm), bufferFrames: bufferFrames)
        rig.makeSample = Self.noise
        return rig
    }

    private func begin(_ rig: Rig, songRate: Double = 48_000) {
        let rendition = Rendition(
            epoch: Epoch(1), sampleRate: songRate, channelCount: rig.channels, capacity: Int(songRate))
        rig.rendition = rendition
        rig.decode()
        rig.control.play(rendition)
    }

    /// The device frame with which song frame 0 came out, by the events.
    private func startFrame(_ rig: Rig) throws -> Int64 {
        try #require(
            rig.events.compactMap {
                if case .started(_, let frame, _, let position) = $0 {
                    frame.index - Int64(position.frames.rounded())
                } else {
                    nil
                }
            }.first)
    }

    private func expectCopy(
        _ rig: Rig, _ song: Range<Int64>, from device: Int64, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        for frame in song {
            for channel in 0..<rig.channels {
                let expected = Float(Self.noise(Double(frame), channel))
                guard rig.sample(device + frame - song.lowerBound, channel) != expected else { continue }
                Issue.record("song frame \(frame) is not what it was", sourceLocation: sourceLocation)
                return
            }
        }
    }

    @Test func framesAreCopiedWhateverTheCrystalsSay() throws {
        let rig = makeRig()
        rig.songEnd = 200_000
        begin(rig)
        rig.control.runFree()
        rig.control.finish(at: FramePosition(200_000), epoch: Epoch(1))
        rig.run(until: 1_005)
        let start = try startFrame(rig)
        // It does not wait until the card's clock is known.
        #expect(start < 48_000 / 20)
        expectCopy(rig, 0..<200_000, from: start)
        #expect(rig.sample(start - 1) == 0 && rig.sample(start + 200_000) == 0)
        #expect(rig.events.contains(.finished(epoch: Epoch(1))))
    }

    /// What is heard is known also of a device that delays by more than its buffer.
    @Test func aDeviceThatDelaysByMoreThanItsBuffer() throws {
        let rig = makeRig(bufferFrames: 2_400)
        begin(rig)
        rig.control.runFree()
        for _ in 0..<200 {
            rig.now += 0.005
            rig.renderer.note(
                DeviceClockReading(
                    frame: DeviceFrame(index: rig.dac.pointer(at: rig.now) - 3_000),
                    host: HostTime(nanoseconds: Int64(rig.now * 1e9))))
            rig.decode()
            rig.render(rig.dac.pointer(at: rig.now) + 2_400 - rig.written)
        }
        let heard = try #require(rig.control.snapshot.heardPosition).frames
        rig.control.takeEvents { rig.events.append($0) }
        #expect(abs(heard - Double(rig.dac.pointer(at: rig.now) - 3_000 - (try startFrame(rig)))) < 300)
    }

    /// A loop fills the device's buffer before it can ask for the device's clock.
    @Test func aStartBeforeTheFirstReading() throws {
        let rig = makeRig()
        begin(rig)
        rig.control.runFree()
        rig.render(7_200)
        rig.control.takeEvents { rig.events.append($0) }
        expectCopy(rig, 0..<7_000, from: try startFrame(rig))
        #expect(rig.control.snapshot.state == .playing && rig.control.snapshot.heardPosition == nil)
        rig.renderer.deviceDidRestart(at: DeviceFrame(index: rig.written))
        rig.render(7_200)
        #expect(rig.control.snapshot.state == .playing)
    }

    @Test func aPauseIsFollowedByTheNextFrame() throws {
        let rig = makeRig()
        begin(rig)
        rig.control.runFree()
        rig.run(until: 1_001)
        let start = try startFrame(rig)
        rig.control.hold(fade: .milliseconds(10))
        rig.run(until: 1_001.5)
        let paused = try #require(rig.control.snapshot.heardPosition).frames
        #expect(paused == paused.rounded() && rig.events.contains(.stopped(epoch: Epoch(1))))
        // Heard before and in the fade: all up to where it stopped, and then zeros.
        expectCopy(rig, 0..<Int64(paused) - 480, from: start)
        let silence = start + Int64(paused)
        #expect((silence..<silence + 10_000).allSatisfy { rig.sample($0) == 0 && rig.sample($0, 1) == 0 })
        rig.events = []
        rig.control.runFree()
        rig.run(until: 1_002)
        let resumed = try startFrame(rig)
        // The fade in takes 5 ms.
        expectCopy(rig, Int64(paused) + 240..<Int64(paused) + 10_000, from: resumed + Int64(paused) + 240)
        #expect(rig.sample(resumed + Int64(paused) - 1) == 0)
        #expect(rig.sample(resumed + Int64(paused) + 3) != 0)
    }

    @Test(arguments: [0, 100]) func anXrunIsFollowedByTheFirstFrameThatNobodyHeard(unwritten: Int64) throws {
        let rig = makeRig()
        begin(rig)
        rig.control.runFree()
        rig.run(until: 1_001)
        let start = try startFrame(rig)
        // Everything that got into the device is heard, then it stands still for a while.
        rig.now += 0.5
        rig.dac.origin = rig.now - Double(rig.written) / 48_000
        rig.renderer.deviceDidRestart(
            at: DeviceFrame(index: rig.written),
            unheardFrom: unwritten == 0 ? nil : DeviceFrame(index: rig.written - unwritten))
        let next = rig.written - unwritten - start
        let restart = rig.written
        rig.run(until: rig.now + 1)
        let first = try #require((restart..<restart + 48_000).first { rig.sample($0) != 0 })
        expectCopy(rig, next + 240..<next + 10_000, from: first + 240)
    }

    @Test func aLackOfFramesLosesNone() throws {
        let rig = makeRig()
        rig.decoderStop = 30_000
        begin(rig)
        rig.control.runFree()
        rig.run(until: 1_002)
        let start = try startFrame(rig)
        let stopped = try #require(rig.control.snapshot.heardPosition).frames
        #expect(stopped < 30_000 && rig.control.snapshot.state == .starved)
        expectCopy(rig, 0..<Int64(stopped) - 240, from: start)
        let silentFrom = rig.written
        rig.decoderStop = .max
        rig.run(until: 1_003)
        let first = try #require((start + 30_000..<silentFrom + 48_000).first { rig.sample($0) != 0 })
        expectCopy(rig, Int64(stopped) + 240..<Int64(stopped) + 10_000, from: first + 240)
    }

    @Test func aStartAtAnInstantIsExactAndKeepsItsPhase() throws {
        let rig = makeRig()
        rig.makeSample = Song.sample
        rig.run(until: 1_001)
        begin(rig)
        let timeline = HostTimeline(
            epoch: Epoch(1), host: HostTime(nanoseconds: 1_001_500_007_000), frame: .zero, framesPerSecond: 48_000)
        rig.control.runFree(from: timeline)
        rig.run(until: 1_004)
        let start = try startFrame(rig)
        #expect(abs(rig.heardError(at: start + 100, on: timeline)) * 48_000 < 0.1)
        let phases = [start + 100, start + 50_000, start + 100_000].map {
            rig.heardPosition(at: $0, near: Double($0 - start)) - Double($0 - start)
        }
        #expect(phases.allSatisfy { abs($0 - phases[0]) < 0.001 }, "\(phases)")
    }

    @Test func aStartThatIsOverBeginsAtTheBeginning() throws {
        let rig = makeRig()
        rig.run(until: 1_001)
        begin(rig)
        rig.control.runFree(
            from: HostTimeline(
                epoch: Epoch(1), host: HostTime(nanoseconds: 1_000_200_000_000), frame: .zero, framesPerSecond: 48_000))
        rig.run(until: 1_002)
        expectCopy(rig, 0..<20_000, from: try startFrame(rig))
    }

    @Test func anotherRateIsResampledByTheRatioOfTheNominalRates() throws {
        let rig = Rig(dac: VirtualDAC(ppm: -80))
        begin(rig, songRate: 44_100)
        rig.control.runFree()
        rig.run(until: 1_003)
        let start = try startFrame(rig)
        for frame in [Int64(1_000), 50_000, 100_000] {
            let wanted = Double(frame) * 44_100 / 48_000
            #expect(abs(rig.heardPosition(at: start + frame, near: wanted) - wanted) < 1.01)
        }
    }

    @Test func aNewDeviceGoesOnWhereTheOldOneWas() throws {
        let rig = makeRig()
        begin(rig)
        rig.control.runFree()
        rig.run(until: 1_001)
        let heard = try #require(rig.control.snapshot.heardPosition).frames
        rig.renderer = Renderer(control: rig.control, deviceRate: 48_000, channels: 2, maximumFrameCount: 7_200)
        rig.written = 0
        rig.output = []
        rig.dac.origin = rig.now
        rig.events = []
        rig.run(until: 1_002)
        let first = try #require((0..<48_000).first { rig.sample($0) != 0 })
        let song = try #require(
            (30_000..<60_000).first { Float(Self.noise(Double($0), 0)) == rig.sample(first + 300) })
        // What lay in the old device's buffer is heard again; nothing is left out.
        #expect((heard - 600...heard).contains(Double(song - 300)), "\(song - 300), heard were \(heard)")
        expectCopy(rig, Int64(song)..<Int64(song) + 5_000, from: first + 300)
    }
}
