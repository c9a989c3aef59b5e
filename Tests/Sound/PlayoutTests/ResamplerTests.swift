import AudioCore
import Testing

@testable import Playout

@Suite(.timeLimit(.minutes(5))) struct ResamplerTests {
    /// Renders `count` frames of a one-channel song.
    private func resample(
        songRate: Double, deviceRate: Double, start: Double, ppm: Double = 0, ppmPerSecond: Double = 0, count: Int,
        _ song: (Double) -> Double
    ) -> (samples: [Float], positions: [Double]) {
        let resampler = Resampler(
            songRate: songRate, deviceRate: deviceRate, songChannelCount: 1, deviceChannelCount: 1)
        let length = Int(Double(count) * songRate / deviceRate * 1.001) + 5_000 + Int(start)
        let ring = FrameRing(firstFrame: .zero, channelCount: 1, capacity: length)
        (0..<length).map { Float(song(Double($0))) }.withUnsafeBufferPointer { _ = ring.write($0) }
        var samples = [Float](repeating: 0, count: count)
        var positions: [Double] = []
        var position = FixedPosition(start)
        var done = 0
        while done < count {
            let piece = min(Resampler.pieceFrameCount, count - done)
            let deviation = ppm + ppmPerSecond * Double(done) / deviceRate
            let step = FixedPosition(songRate / deviceRate * (1 + deviation * 1e-6))
            samples.withUnsafeMutableBufferPointer {
                resampler.view.pointee.render(
                    from: ring.storage, audible: 0..<Int64.max, position: position, step: step, count: piece,
                    into: $0.baseAddress! + done)
            }
            for frame in 0..<piece { positions.append(position.advanced(by: step, times: frame).frames) }
            position = position.advanced(by: step, times: piece)
            done += piece
        }
        return (samples, positions)
    }

    /// Everything but the tone against the tone, in dB.
    private func distortion(
        of samples: [Float], at positions: [Double], cyclesPerFrame: Double, amplitude: Double
    ) -> Double {
        var sum = 0.0
        for (sample, position) in zip(samples, positions) {
            let error = Double(sample) - amplitude * sine(2 * .pi * cyclesPerFrame * position)
            sum += error * error
        }
        let tone = Double(samples.count) * amplitude * amplitude / 2
        return decibels((sum / tone).squareRoot())
    }

    @Test(arguments: [(48_000.0, 48_000.0), (44_100, 48_000), (44_100, 44_100), (8_000, 192_000)])
    func toneAt997HertzIsCleanWhileSlewing(rates: (song: Double, device: Double)) {
        let cycles = 997 / rates.song
        let result = resample(
            songRate: rates.song, deviceRate: rates.device, start: 1_000.25, ppm: -20, ppmPerSecond: 5,
            count: Int(rates.device / 2)
        ) { 0.707 * sine(2 * .pi * cycles * $0) }
        // In blocks of 20 ms, the worst of which counts.
        let block = Int(rates.device / 50)
        var worst = -200.0
        for start in stride(from: 0, to: result.samples.count - block, by: block) {
            let range = start..<start + block
            worst = max(
                worst,
                distortion(
                    of: Array(result.samples[range]), at: Array(result.positions[range]), cyclesPerFrame: cycles,
                    amplitude: 0.707))
        }
        print("997 Hz, \(rates.song) to \(rates.device): worst THD+N \(worst) dB")
        #expect(worst < -115, "\(worst) dB")
    }

    @Test(arguments: [(96_000.0, 44_100.0), (192_000, 48_000), (192_000, 8_000), (48_000, 44_100)])
    func downsamplingKeepsTheBandAndStopsWhatIsAbove(rates: (song: Double, device: Double)) {
        let kept = rates.device * 0.4 / rates.song
        let count = Int(min(rates.device / 4, 8_000))
        let pass = resample(songRate: rates.song, deviceRate: rates.device, start: 4_000.3, count: count) {
            0.5 * sine(2 * .pi * kept * $0)
        }
        let passLevel = distortion(of: pass.samples, at: pass.positions, cyclesPerFrame: kept, amplitude: 0.5)
        #expect(passLevel < -100, "\(passLevel) dB")
        let stopped = min(rates.device * 0.53, rates.song * 0.49) / rates.song
        let stop = resample(songRate: rates.song, deviceRate: rates.device, start: 4_000.3, count: count) {
            0.5 * sine(2 * .pi * stopped * $0)
        }
        let loudest = decibels(Double(stop.samples.map(abs).max() ?? 1) / 0.5)
        #expect(loudest < -95, "\(loudest) dB")
    }

    @Test func highTonesAreInterpolatedExactly() {
        let cycles = 18_000.0 / 48_000
        let result = resample(songRate: 48_000, deviceRate: 48_000, start: 500.1, ppm: 100, count: 20_000) {
            0.7 * sine(2 * .pi * cycles * $0)
        }
        let level = distortion(of: result.samples, at: result.positions, cyclesPerFrame: cycles, amplitude: 0.7)
        print("18 kHz at +100 ppm: THD+N \(level) dB")
        #expect(level < -100, "\(level) dB")
    }

    @Test func constantInputGivesConstantOutput() {
        let result = resample(songRate: 44_100, deviceRate: 48_000, start: 500, count: 5_000) { _ in 0.75 }
        #expect(result.samples.allSatisfy { abs($0 - 0.75) < 1e-6 })
    }

    @Test func aWholePhaseAndAStepOfOneCopyBits() {
        let result = resample(songRate: 48_000, deviceRate: 48_000, start: 7, count: 1_000) { sine($0 * 12.9898) }
        #expect(result.samples == (7..<1_007).map { Float(sine(Double($0) * 12.9898)) })
    }

    @Test func aWholePhaseOfTheFilterChangesNothing() {
        // A step that is not one takes the way through the filter: its first frame lies on a whole phase.
        let result = resample(songRate: 48_000, deviceRate: 48_000, start: 70, ppm: 50, count: 1) {
            sine($0 * 12.9898)
        }
        #expect(result.samples == [Float(sine(70 * 12.9898))])
    }

    /// Whole frames are passed in either direction.
    @Test(arguments: [1, -60, 250, -81_250] as [Double], [300.999, 301.001])
    func aFrameHasTheSameBitsHoweverPiecesAreCut(ppm: Double, start: Double) {
        let step = FixedPosition(1 + ppm * 1e-6)
        func render(channels: Int, cuts: [Int]) -> [Float] {
            let resampler = Resampler(
                songRate: 48_000, deviceRate: 48_000, songChannelCount: channels, deviceChannelCount: channels)
            let ring = FrameRing(firstFrame: .zero, channelCount: channels, capacity: 1_024)
            let song = (0..<1_000).flatMap { frame in
                [Float](repeating: Float(sine(Double(frame) * 12.989_8)), count: channels)
            }
            song.withUnsafeBufferPointer { _ = ring.write($0) }
            var output = [Float](repeating: .nan, count: Resampler.pieceFrameCount * channels)
            output.withUnsafeMutableBufferPointer {
                var done = 0
                for count in cuts {
                    resampler.view.pointee.render(
                        from: ring.storage, audible: 0..<Int64.max,
                        position: FixedPosition(start).advanced(by: step, times: done), step: step, count: count,
                        into: $0.baseAddress! + done * channels)
                    done += count
                }
            }
            return output
        }
        let mono = render(channels: 1, cuts: [Resampler.pieceFrameCount])
        #expect(!mono.contains { $0.isNaN })
        #expect(render(channels: 1, cuts: [1, 2, 3, 5, 7, 11, 64, 99, 64]) == mono)
        for channels in 2...3 {
            let several = render(channels: channels, cuts: [13, 115, 128])
            #expect(several == mono.flatMap { [Float](repeating: $0, count: channels) })
        }
    }

    @Test func positionsAddUpExactly() {
        let step = FixedPosition(0.918_75 * (1 + 37e-6))
        var single = FixedPosition(-5.75)
        for _ in 0..<100_000 { single = single.advanced(by: step, times: 1) }
        #expect(single == FixedPosition(-5.75).advanced(by: step, times: 100_000))
        #expect(FixedPosition(-5.75).frames == -5.75)
    }

    @Test func channelsAreMappedAsDocumented() {
        #expect(ChannelMatrix(song: 1, device: 2).gains == [1, 1])
        #expect(ChannelMatrix(song: 2, device: 1).gains == [0.5, 0.5])
        #expect(ChannelMatrix(song: 2, device: 2).gains == [1, 0, 0, 1])
        #expect(ChannelMatrix(song: 2, device: 4).gains == [1, 0, 0, 1, 0, 0, 0, 0])
        for song in 3...8 {
            let fold = ChannelMatrix(song: song, device: 2).gains
            #expect(fold[..<song].reduce(0, +) <= 1.000_1 && fold[song...].reduce(0, +) <= 1.000_1)
            #expect(fold[0] > 0.3 && fold[1] == 0 && fold[song] == 0 && fold[song + 1] == fold[0])
        }
        #expect(ChannelMatrix(song: 6, device: 2).gains[3] == 0)
    }

    @Test func rolesAreMappedAsDocumented() {
        let fold = ChannelMatrix(song: 6, device: 2).gains
        #expect(ChannelMatrix.row(.stereo, song: 2) == nil)
        #expect(ChannelMatrix.row(.left, song: 2) == [1, 0] && ChannelMatrix.row(.right, song: 2) == [0, 1])
        #expect(ChannelMatrix.row(.mono, song: 2) == [0.5, 0.5])
        #expect(ChannelMatrix.row(.left, song: 6) == Array(fold[..<6]))
        #expect(ChannelMatrix.row(.right, song: 6) == Array(fold[6...]))
        #expect(ChannelMatrix.row(.channel(4), song: 6) == [0, 0, 0, 1, 0, 0])
        #expect(ChannelMatrix.row(.channel(3), song: 2) == [0, 0])
        for role in [ChannelRole.left, .right, .mono, .channel(1), .channel(2)] {
            #expect(ChannelMatrix.row(role, song: 1) == [1])
        }
        #expect(ChannelMatrix.row(.channel(3), song: 1) == [0])
        // No role can exceed full scale.
        for song in 1...8 {
            for role in ResamplerView.rowRoles {
                #expect(ChannelMatrix.row(role, song: song)!.reduce(0, +) <= 1.000_1)
            }
        }
    }

    @Test(arguments: [(1, 1), (1, 2), (2, 1), (2, 2), (6, 2), (2, 4), (8, 1), (6, 8)])
    func everyRoleIsOneSignalOnTheFirstTwoChannels(channels: (song: Int, device: Int)) {
        let resampler = Resampler(
            songRate: 48_000, deviceRate: 48_000, songChannelCount: channels.song,
            deviceChannelCount: channels.device)
        let ring = FrameRing(firstFrame: .zero, channelCount: channels.song, capacity: 1_024)
        let song: [Float] = (0..<1_000).flatMap { frame in
            (0..<channels.song).map { Float(sine(Double(frame) * 0.05 + Double($0))) }
        }
        song.withUnsafeBufferPointer { _ = ring.write($0) }
        for role in ResamplerView.rowRoles {
            let row = ChannelMatrix.row(role, song: channels.song)!
            for (position, step) in [(300.0, 1.0), (300.5, 1.000_01)] {
                var output = [Float](repeating: .nan, count: 100 * channels.device)
                output.withUnsafeMutableBufferPointer {
                    resampler.view.pointee.playing(role).render(
                        from: ring.storage, audible: 0..<Int64.max, position: FixedPosition(position),
                        step: FixedPosition(step), count: 100, into: $0.baseAddress!)
                }
                for frame in 0..<100 {
                    let expected = (0..<channels.song).reduce(0.0) {
                        $0 + Double(row[$1]) * sine((position + Double(frame) * step) * 0.05 + Double($1))
                    }
                    for device in 0..<channels.device {
                        let heard = Double(output[frame * channels.device + device])
                        #expect(abs(heard - (device < 2 ? expected : 0)) < 2e-5)
                    }
                }
            }
        }
    }

    @Test(arguments: [(1, 1), (1, 2), (2, 1), (2, 2), (6, 2), (2, 4), (8, 4), (1, 8)])
    func everyChannelPairRendersWhatItsMatrixSays(channels: (song: Int, device: Int)) {
        let resampler = Resampler(
            songRate: 48_000, deviceRate: 48_000, songChannelCount: channels.song,
            deviceChannelCount: channels.device)
        let matrix = ChannelMatrix(song: channels.song, device: channels.device)
        let ring = FrameRing(firstFrame: .zero, channelCount: channels.song, capacity: 1_024)
        let song: [Float] = (0..<1_000).flatMap { frame in
            (0..<channels.song).map { Float(sine(Double(frame) * 0.05 + Double($0))) }
        }
        song.withUnsafeBufferPointer { _ = ring.write($0) }
        for (position, step) in [(300.0, 1.0), (300.5, 1.000_01)] {
            var output = [Float](repeating: .nan, count: 100 * channels.device)
            output.withUnsafeMutableBufferPointer {
                resampler.view.pointee.render(
                    from: ring.storage, audible: 0..<Int64.max, position: FixedPosition(position),
                    step: FixedPosition(step), count: 100, into: $0.baseAddress!)
            }
            for frame in 0..<100 {
                for device in 0..<channels.device {
                    let expected = (0..<channels.song).reduce(0.0) { sum, channel in
                        sum + Double(matrix.gains[device * channels.song + channel])
                            * sine((position + Double(frame) * step) * 0.05 + Double(channel))
                    }
                    #expect(abs(Double(output[frame * channels.device + device]) - expected) < 2e-5)
                }
            }
        }
    }
}
