import Testing

@testable import Playout

/// From a 24-bit file to a 32-bit sound card: parser, decoder, renderer, encoder.
@Suite(.timeLimit(.minutes(5))) struct TransparencyTests {
    #if DEBUG
        private static let isOptimised = false
    #else
        private static let isOptimised = true
    #endif
    private static let cycles = TransparentChain.tone / Double(TransparentChain.rate)

    /// The greatest step less the least, in ppm, and the worst 20 ms of sound.
    private struct Slew {
        var range = 0.0
        var worst = -200.0
        var blockCount = 0
    }

    /// The timeline's rate goes up and down by 5 ppm a second, and the sound with it.
    private func slew(from start: Double, seconds: Double) throws -> Slew {
        let chain = try TransparentChain(ppm: 40, seconds: 30)
        let analysis = ToneAnalysis(
            cyclesPerFrame: Self.cycles * (1 + (start - 40) * 1e-6), count: TransparentChain.rate / 50)
        var slew = Slew()
        var block: [Double] = []
        var heard = 0
        chain.onSample = { sample in
            // From 0.2 s on the sound, and what the filter makes of its beginning, is there.
            if sample != 0 || heard > 0 { heard += 1 }
            guard heard > TransparentChain.rate / 5 else { return }
            block.append(sample)
            guard block.count == analysis.count else { return }
            slew.worst = max(slew.worst, analysis.distortion(of: block))
            slew.blockCount += 1
            block.removeAll(keepingCapacity: true)
        }
        while chain.now < 0.9 { try chain.tick() }
        var (frame, ppm, host) = (0.0, start, 1_001.25)
        var steps = (least: 2.0, most: 0.0)
        chain.setTimeline(frame: frame, at: host, ppm: ppm)
        while chain.now < 1.25 + seconds {
            if chain.host > host {
                let passed = chain.host - host
                // Up for two seconds, down for four, and so on.
                let phase = (chain.now - 1.25).truncatingRemainder(dividingBy: 8)
                let slope = phase < 2 || phase >= 6 ? 5.0 : -5
                frame += passed * Double(TransparentChain.rate) * (1 + (ppm + slope * passed / 2) * 1e-6)
                ppm += slope * passed
                host = chain.host
                chain.setTimeline(frame: frame, at: host, ppm: ppm)
            }
            try chain.tick()
            let state = chain.renderer.state
            guard state.mode == .sounding, state.controller.age > 0.5 else { continue }
            steps = (min(steps.least, state.controller.step), max(steps.most, state.controller.step))
        }
        slew.range = (steps.most - steps.least) * 1e6
        #expect(chain.control.snapshot.replacementCount == 0)
        return slew
    }

    @Test(arguments: [0, 60, -90] as [Double])
    func aToneStaysCleanWhileTheRateSlews(start: Double) throws {
        let seconds = Self.isOptimised ? 12.0 : 3
        let slew = try slew(from: start, seconds: seconds)
        print("997 Hz from file to card, slewing from \(start) ppm: worst THD+N in 20 ms \(slew.worst) dB, \(slew)")
        #expect(slew.blockCount > Int(seconds * 50) - 40)
        #expect(slew.range > (Self.isOptimised ? 18 : 6))
        #expect(slew.worst <= -110, "\(slew.worst) dB")
    }

    /// Ten minutes beside a clock whose estimate is revised once a second by up to 2 us.
    @Test func tenMinutesWithoutAClickAtTheRightPitch() throws {
        let seconds = Self.isOptimised ? 600 : 25
        let chain = try TransparentChain(ppm: 40, seconds: seconds + 10)
        var detector = ClickDetector(cyclesPerFrame: Self.cycles)
        var recent: [Double] = []
        var heard = 0
        let keptFrom = (seconds - 4) * TransparentChain.rate
        chain.onSample = { sample in
            if sample != 0 || heard > 0 { heard += 1 }
            if heard > TransparentChain.rate / 5 { detector.take(sample) }
            if heard > keptFrom, recent.count < TransparentChain.rate { recent.append(sample) }
        }
        while chain.now < 0.9 { try chain.tick() }
        let ppm = -35.0
        let framesPerSecond = Double(TransparentChain.rate) * (1 + ppm * 1e-6)
        chain.setTimeline(frame: 0, at: 1_001.25, ppm: ppm)
        var random = UInt64(1)
        var revision = 2.0
        var worst = 0.0
        while chain.now < Double(seconds) {
            if chain.now > revision {
                revision += 1
                random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                let error = (Double(random >> 11) * 0x1p-53 - 0.5) * 4e-6
                chain.setTimeline(frame: (chain.host - 1_001.25 + error) * framesPerSecond, at: chain.host, ppm: ppm)
            }
            try chain.tick()
            let state = chain.renderer.state
            guard state.mode == .sounding, state.controller.age > 20 else { continue }
            worst = max(worst, abs(state.controller.step / chain.neededStep(timelinePPM: ppm) - 1) * 1e6)
        }
        print("\(seconds) s: greatest surprise \(detector.greatestSurprise), worst pitch \(worst) ppm")
        #expect(heard > (seconds - 3) * TransparentChain.rate)
        #expect(chain.control.snapshot.replacementCount == 0)
        #expect(detector.clickCount == 0, "\(detector.greatestSurprise)")
        #expect(worst > 0 && worst <= 2, "\(worst) ppm")
        try expectToBeNoticed(recent)
    }

    /// A step of 90 dB under full scale, of one sample and for good, planted in what was heard.
    private func expectToBeNoticed(_ clean: [Double]) throws {
        let place = 20_011
        try #require(clean.count > place)
        for length in [1, clean.count - place] {
            var hurt = clean
            for index in place..<place + length { hurt[index] += 3.16e-5 }
            for (samples, clicks) in [(clean, false), (hurt, true)] {
                var detector = ClickDetector(cyclesPerFrame: Self.cycles)
                for sample in samples { detector.take(sample) }
                #expect((detector.clickCount > 0) == clicks)
            }
        }
    }
}
