import AudioCore
import Testing

/// From loudness tags to a gain.
@Suite(.timeLimit(.minutes(5))) struct LoudnessTests {
    private func summary(_ tags: [AudioInfoKey: String]) -> AudioStreamSummary {
        var summary = AudioStreamSummary()
        for (key, text) in tags { summary.note(.info(key, text)) }
        return summary
    }

    /// In decibels, to a hundredth.
    private func decibels(_ mode: LoudnessMode, _ tags: [AudioInfoKey: String]) -> Double {
        (decibelsOf(Double(summary(tags).loudnessGain(mode))) * 100).rounded() / 100
    }

    private func decibelsOf(_ gain: Double) -> Double {
        // 20 log10 by bisection: no C library here.
        var (low, high) = (-200.0, 200.0)
        for _ in 0..<100 {
            let middle = (low + high) / 2
            if power(middle / 20) < gain { low = middle } else { high = middle }
        }
        return low
    }

    /// 10 to a power.
    private func power(_ exponent: Double) -> Double {
        var (result, factor, rest) = (1.0, 10.0, abs(exponent))
        while rest >= 1 {
            result *= 10
            rest -= 1
        }
        for _ in 0..<60 {
            factor = factor.squareRoot()
            rest *= 2
            if rest >= 1 {
                result *= factor
                rest -= 1
            }
        }
        return exponent < 0 ? 1 / result : result
    }

    private let both: [AudioInfoKey: String] = [
        .trackGain: "-6.20 dB", .trackPeak: "0.98", .albumGain: "-4.00 dB", .albumPeak: "1.0",
    ]

    @Test func theModeChoosesTheTag() {
        #expect(summary(both).loudnessGain(.off) == 1)
        #expect(decibels(.track, both) == -6.2 && decibels(.album, both) == -4)
        #expect(summary([:]).loudnessGain(.track) == 1 && summary([:]).loudnessGain(.album) == 1)
    }

    @Test func oneTagStandsInForTheOther() {
        #expect(decibels(.album, [.trackGain: "-3 dB"]) == -3)
        #expect(decibels(.track, [.albumGain: "-3 dB"]) == -3)
        // With its own peak.
        #expect(decibels(.album, [.trackGain: "+9 dB", .trackPeak: "0.5", .albumPeak: "0.1"]) == 6.02)
    }

    @Test func noGainClips() {
        #expect(decibels(.track, [.trackGain: "+3.00 dB", .trackPeak: "0.25"]) == 3)
        #expect(decibels(.track, [.trackGain: "+20.00 dB", .trackPeak: "0.25"]) == 12.04)
        #expect(summary([.trackGain: "+3.00 dB", .trackPeak: "1.0"]).loudnessGain(.track) == 1)
        #expect(decibels(.track, [.trackGain: "-1.00 dB", .trackPeak: "2.0"]) == -6.02)
        // Nothing is known of the peak.
        #expect(summary([.trackGain: "+3.00 dB"]).loudnessGain(.track) == 1)
        for peak in ["0", "-1", "nan", "inf", "loud"] {
            #expect(summary([.trackGain: "+3.00 dB", .trackPeak: peak]).loudnessGain(.track) == 1, "\(peak)")
        }
    }

    @Test func noDecibelsLeaveSamplesUntouched() {
        #expect(summary([.trackGain: "0.00 dB"]).loudnessGain(.track) == 1)
        #expect(summary([.trackGain: "-0.0 dB", .trackPeak: "0.5"]).loudnessGain(.track) == 1)
    }

    @Test(arguments: ["-6.5 dB", "-6.5", " -6.5  DB ", "-6.50dB"]) func waysToWriteIt(text: String) {
        #expect(decibels(.track, [.trackGain: text]) == -6.5)
    }

    @Test(arguments: ["", "dB", "loud", "nan dB", "-inf dB", "-1e9 dB", "129 dB", "--1 dB"])
    func whatIsNoGainIsPassedOver(text: String) {
        #expect(summary([.trackGain: text, .trackPeak: "0.001"]).loudnessGain(.track) == 1)
        #expect(decibels(.track, [.trackGain: text, .albumGain: "-2 dB"]) == -2)
    }

    @Test func aGainIsBounded() {
        let gain = summary([.trackGain: "+100 dB", .trackPeak: "0.000001"]).loudnessGain(.track)
        #expect(gain == Limits.gainRange.upperBound)
    }
}
