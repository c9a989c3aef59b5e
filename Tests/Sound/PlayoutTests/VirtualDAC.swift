import AudioCore

@testable import Playout

/// A sound card of virtual time: its crystal runs at a known ppm, its pointer is a whole number of frames.
struct VirtualDAC {
    var rate = 48_000.0
    var ppm = 0.0
    /// The pointer moves by so many frames at once.
    var burst: Int64 = 1
    /// Host seconds at which device frame 0 leaves the DAC.
    var origin = 1_000.0

    func seconds(of frame: Double) -> Double { origin + frame / (rate * (1 + ppm * 1e-6)) }

    /// Frames that have left the DAC at a host time, as the driver's pointer has it.
    func pointer(at seconds: Double) -> Int64 {
        let exact = Int64(((seconds - origin) * rate * (1 + ppm * 1e-6)).rounded(.down))
        return max(0, exact / burst * burst)
    }
}

/// A song that can be computed at any position: a sine and a cosine to read the position back, and a chord.
///
/// Channel 0 and 1 are the pilot; its period is 48 frames, so a position is known to within +-24 frames.
enum Song {
    static let period = 48.0
    static let amplitude = 0.5

    static func sample(at position: Double, channel: Int) -> Double {
        let phase = 2 * Double.pi * position / period
        switch channel {
        case 0: return amplitude * sine(phase)
        case 1: return amplitude * sine(phase + .pi / 2)
        default: return chord(at: position)
        }
    }

    /// Tones of 440 Hz to 15 kHz at 48 kHz.
    static func chord(at position: Double) -> Double {
        let cyclesPerFrame = [440.0, 1_234.5, 5_001.3, 11_025, 15_000].map { $0 / 48_000 }
        return 0.15 * cyclesPerFrame.reduce(0) { $0 + sine(2 * .pi * $1 * position) }
    }
}

/// What an ALSA loop does, in virtual time: reads the pointer, fills the buffer, and so on.
final class Rig {
    let control = PlayoutControl()
    var renderer: Renderer
    var dac: VirtualDAC
    let channels: Int
    /// How far what is written may be ahead of the DAC: the buffer, and what lies behind it.
    var bufferFrames: Int64
    /// Host seconds.
    var now: Double
    var written: Int64 = 0
    var output: [Float] = []
    var outputStart: Int64 = 0
    var keepsOutput = true
    var rendition: Rendition?
    /// Frames of the song that the decoder will write; and how much sooner or later it stops for now.
    var songEnd = Int64.max
    var decoderStop = Int64.max
    var makeSample: (Double, Int) -> Double = Song.sample
    var events: [PlayoutEvent] = []
    /// The DAC clock's bound when the newest re-placement was told, in seconds.
    var boundAtReplacement = 0.0
    var tickSeconds = 0.005
    /// Whether the device gives back what was written.
    var givesBack = true { didSet { renderer.deviceKeepsFrames = !givesBack } }
    /// Something is done between the pointer's reading and rendering.
    var onTick: ((Rig) -> Void)?
    private var random: UInt64 = 0x9E37_79B9_7F4A_7C15

    init(dac: VirtualDAC, channels: Int = 2, bufferFrames: Int64 = 7_200, hint: Double? = nil) {
        self.dac = dac
        self.channels = channels
        self.bufferFrames = bufferFrames
        now = dac.origin
        renderer = Renderer(
            control: control, deviceRate: dac.rate, channels: channels, maximumFrameCount: Int(bufferFrames),
            rateHint: hint.map { PartsPerMillion($0) })
    }

    func nextRandom() -> Double {
        random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Double(random >> 11) * 0x1p-53
    }

    /// Puts a song on the timeline: `frame` is due at `seconds` of host time.
    @discardableResult
    func play(
        epoch: UInt32 = 1, songRate: Double = 48_000, songChannels: Int? = nil, first: Int64 = 0, at seconds: Double,
        fadesIn: Bool = false, gain: Float = 1, ratePPM: Double = 0
    ) -> HostTimeline {
        let rendition = Rendition(
            epoch: Epoch(epoch), sampleRate: songRate, channelCount: songChannels ?? channels,
            firstFrame: FramePosition(first), fadesIn: fadesIn, gain: gain, capacity: Int(songRate))
        self.rendition = rendition
        decode()
        let timeline = HostTimeline(
            epoch: Epoch(epoch), host: HostTime(nanoseconds: Int64((seconds * 1e9).rounded())),
            frame: FramePosition(first), framesPerSecond: songRate * (1 + ratePPM * 1e-6))
        control.play(rendition)
        control.setTimeline(timeline)
        return timeline
    }

    func decode() {
        guard let rendition else { return }
        let ring = rendition.ring
        let songChannels = rendition.channelCount
        let position = ring.writePosition.index
        let count = Int(min(Int64(ring.writableFrameCount), min(songEnd, decoderStop) - position))
        guard count > 0 else { return }
        var samples = [Float](repeating: 0, count: count * songChannels)
        for frame in 0..<count {
            for channel in 0..<songChannels {
                samples[frame * songChannels + channel] = Float(makeSample(Double(position + Int64(frame)), channel))
            }
        }
        samples.withUnsafeBufferPointer { _ = ring.write($0) }
    }

    func read() {
        let host = HostTime(nanoseconds: Int64((now * 1e9).rounded()))
        renderer.note(DeviceClockReading(frame: DeviceFrame(index: dac.pointer(at: now)), host: host))
    }

    func render(_ count: Int64) {
        guard count > 0 else { return }
        var block = [Float](repeating: .nan, count: Int(count) * channels)
        block.withUnsafeMutableBufferPointer { renderer.render(into: $0, from: DeviceFrame(index: written)) }
        if keepsOutput {
            if output.isEmpty { outputStart = written }
            output.removeLast(max(0, output.count - Int(written - outputStart) * channels))
            output += block
        }
        written += count
    }

    func rewind(to frame: Int64) {
        renderer.rewind(to: DeviceFrame(index: frame))
        written = frame
    }

    func tick() {
        now += tickSeconds * (0.9 + 0.2 * nextRandom())
        // A device whose pointer moves in bursts wakes the loop when it does.
        if dac.burst > 1 {
            let next = Double(dac.pointer(at: now) + dac.burst)
            now = dac.seconds(of: next) + 1e-6 - 30e-6 * logarithm(1 - 0.999 * nextRandom())
        }
        read()
        decode()
        onTick?(self)
        if renderer.wantsEarlierFrame, givesBack { rewind(to: min(written, dac.pointer(at: now) + 240)) }
        render(dac.pointer(at: now) + bufferFrames - written)
        control.takeEvents {
            events.append($0)
            if case .replaced = $0 { boundAtReplacement = control.snapshot.modelBound?.seconds ?? 0 }
        }
    }

    func run(until seconds: Double) {
        while now < seconds { tick() }
    }

    func sample(_ frame: Int64, _ channel: Int = 0) -> Float { output[Int(frame - outputStart) * channels + channel] }

    // MARK: Measuring

    /// The song position that the samples of a device frame show, near an expected one.
    func heardPosition(at frame: Int64, near expected: Double) -> Double {
        let angle = arcTangent(Double(sample(frame, 0)), Double(sample(frame, 1)))
        let position = angle / (2 * .pi) * Song.period
        return position + ((expected - position) / Song.period).rounded() * Song.period
    }

    /// What should be heard with a device frame, by the true clock of the DAC.
    func wantedPosition(at frame: Int64, on timeline: HostTimeline) -> Double {
        let elapsed = dac.seconds(of: Double(frame)) - Double(timeline.host.nanoseconds) * 1e-9
        return Double(timeline.frame.index) + elapsed * timeline.framesPerSecond
    }

    /// True timeline error in seconds, from the samples.
    func heardError(at frame: Int64, on timeline: HostTimeline) -> Double {
        let wanted = wantedPosition(at: frame, on: timeline)
        return (heardPosition(at: frame, near: wanted) - wanted) / timeline.framesPerSecond
    }
}
