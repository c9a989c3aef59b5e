import AudioCore
import Testing

// Judgements of what the device emitted.

extension Rig {
    /// Amplitude of the pilot at a frame; 1 at full volume.
    func level(_ frame: Int64) -> Double {
        let (a, b) = (Double(sample(frame, 0)), Double(sample(frame, 1)))
        return (a * a + b * b).squareRoot() / Song.amplitude
    }

    /// The greatest change of the pilot's amplitude from one frame to the next.
    func roughestChange(in frames: Range<Int64>) -> Double {
        frames.dropFirst().reduce(0.0) { max($0, abs(level($1) - level($1 - 1))) }
    }

    /// The greatest error of what was heard in these frames, in seconds.
    func worstError(in frames: some Sequence<Int64>, on timeline: HostTimeline) -> Double {
        frames.reduce(0) { max($0, abs(heardError(at: $1, on: timeline))) }
    }
}

/// Expects an error, in seconds, below a tenth of a frame: as exact as a sound is once the clock of the DAC is settled.
func expectTenth(_ error: Double, sourceLocation: SourceLocation = #_sourceLocation) {
    #expect(abs(error) < 0.1 / 48_000, "\(error * 1e6) us", sourceLocation: sourceLocation)
}
