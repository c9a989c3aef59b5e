import Glibc
import HeardAnalysis
import Testing

@testable import TestbedKit

/// When a listener is found to do as it was told, by recordings of which that is known.
@Suite(.timeLimit(.minutes(5))) struct EarTests {
    private static let rate = MarkedSong.rate

    /// Four seconds of tone, of which pitch and level follow these from second 2 on.
    private func ear(pitch: Double = 2_000, level: Float = 0.5, silence: ClosedRange<Double>? = nil) -> Ear {
        var samples: [Float] = []
        var phase = 0.0
        for frame in 0..<Int(Self.rate * 4) {
            let time = Double(frame) / Self.rate
            let isBehind = time >= 2
            let isSilent = silence?.contains(time) ?? false
            phase += 2 * .pi * ((isBehind ? pitch : 2_000) + MarkedSong.slope * time) / Self.rate
            samples += [0, isSilent ? 0 : Float(sin(phase)) * (isBehind ? level : 0.5)]
        }
        return Ear(HeardRecording(sampleRate: Self.rate, channels: 2, samples: samples))
    }

    /// In seconds.
    private func silence(_ ear: Ear, from time: Double) -> Double? {
        ear.silence(from: time * 1e9, within: 1.4).map { $0 * 1e-9 }
    }

    private func anotherPlace(_ ear: Ear) -> Double? {
        ear.anotherPlace(from: 1.5e9, within: 1.4).map { $0 * 1e-9 }
    }

    @Test func silenceAndSound() throws {
        let ear = ear(silence: 2...3)
        let silent = try #require(silence(ear, from: 1.5))
        #expect(abs(silent - 2) < 0.01)
        let sounding = try #require(ear.sound(from: 2.5e9, within: 1.4))
        #expect(abs(sounding * 1e-9 - 3) < 0.01)
        // A gap that is no pause.
        #expect(silence(self.ear(silence: 2...2.05), from: 1.5) == nil)
    }

    @Test(arguments: [2_200.0, 1_600, 6_000]) func anotherPlaceIsHeard(pitch: Double) throws {
        let found = try #require(anotherPlace(ear(pitch: pitch)))
        #expect(abs(found - 2) < 0.01)
    }

    @Test func theSongGoesOn() {
        let ear = ear()
        #expect(silence(ear, from: 1.5) == nil && anotherPlace(ear) == nil)
        #expect(ear.volume(from: 1.5e9, within: 1.4, rest: 0.5) == nil)
    }

    @Test func anotherVolume() throws {
        let found = try #require(ear(level: 0.4).volume(from: 1.5e9, within: 1.4, rest: 0.5))
        #expect(abs(found * 1e-9 - 2) < 0.01)
    }
}
