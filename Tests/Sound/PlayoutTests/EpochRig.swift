import AudioCore

@testable import Playout

/// Plays epochs one after the other on a ``Rig``.
final class EpochRig {
    /// What an epoch's decoder writes: the samples of its frames up to `end`.
    private struct Song {
        let rendition: Rendition
        let end: Int64
        let sample: (Double, Int) -> Double
    }

    let rig: Rig
    private var songs: [Song] = []

    init(_ dac: VirtualDAC, channels: Int = 2) {
        rig = Rig(dac: dac, channels: channels)
        rig.onTick = { [unowned self] _ in decode() }
    }

    /// Appends an epoch of these frames, known to its end. Frame `frames.lowerBound` is due at `seconds`.
    /// - Parameters:
    ///   - seconds: nil if its timeline is not known yet.
    ///   - stop: where its decoder gives up.
    /// - Returns: whether there was room for it.
    @discardableResult
    func append(
        _ epoch: UInt32, _ frames: Range<Int64>, rate: Double = 48_000, channels: Int = 2, at seconds: Double?,
        decodedSpan: Double = 1, decodedTo stop: Int64 = .max, sample: @escaping (Double, Int) -> Double
    ) -> Bool {
        let rendition = Rendition(
            epoch: Epoch(epoch), sampleRate: rate, channelCount: channels,
            firstFrame: FramePosition(frames.lowerBound), capacity: Int(rate * decodedSpan))
        guard rig.control.append(rendition) else { return false }
        songs.append(Song(rendition: rendition, end: min(frames.upperBound, stop), sample: sample))
        decode()
        rig.control.finish(at: FramePosition(frames.upperBound), epoch: Epoch(epoch))
        if let seconds { rig.control.setTimeline(timeline(epoch, frames.lowerBound, at: seconds, rate: rate)) }
        return true
    }

    func timeline(_ epoch: UInt32, _ frame: Int64, at seconds: Double, rate: Double = 48_000) -> HostTimeline {
        HostTimeline(
            epoch: Epoch(epoch), host: HostTime(nanoseconds: Int64((seconds * 1e9).rounded())),
            frame: FramePosition(frame), framesPerSecond: rate)
    }

    func cut(_ epoch: UInt32, at frame: Int64) { rig.control.cut(at: FramePosition(frame), epoch: Epoch(epoch)) }

    private func decode() {
        songs.removeAll { !rig.control.holds($0.rendition.epoch) }
        for song in songs {
            let ring = song.rendition.ring
            let position = ring.writePosition.index
            let count = Int(min(Int64(ring.writableFrameCount), song.end - position))
            guard count > 0 else { continue }
            var samples: [Float] = []
            for frame in 0..<count {
                for channel in 0..<song.rendition.channelCount {
                    samples.append(Float(song.sample(Double(position + Int64(frame)), channel)))
                }
            }
            samples.withUnsafeBufferPointer { _ = ring.write($0) }
        }
    }

    var ends: [PlayoutEvent] {
        rig.events.filter { event in
            switch event {
            case .finished, .stopped: true
            default: false
            }
        }
    }

    var starts: [UInt32] {
        rig.events.compactMap { if case .started(let epoch, _, _, _) = $0 { epoch.number } else { nil } }
    }

    /// The device frame that is heard at these host seconds, as a fraction.
    func deviceFrame(at seconds: Double) -> Double {
        (seconds - rig.dac.origin) * rig.dac.rate * (1 + rig.dac.ppm * 1e-6)
    }
}

/// The greatest difference of two rigs' samples.
func greatestDifference(_ a: Rig, _ b: Rig, in frames: Range<Int64>) -> Double {
    frames.reduce(0) { worst, frame in
        (0..<a.channels).reduce(worst) { max($0, abs(Double(a.sample(frame, $1)) - Double(b.sample(frame, $1)))) }
    }
}
