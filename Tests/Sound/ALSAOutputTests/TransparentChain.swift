import AudioCore
import AudioDecoding
import AudioFileStreamServices
@testable import Playout
import StreamTestKit

@testable import ALSADevices

/// Everything that a sample of a WAVE file passes through on its way to a 32-bit sound card, in virtual time.
final class TransparentChain {
    static let rate = 48_000
    /// Hertz; a second holds a whole number of periods, so the file repeats one second.
    static let tone = 997.0
    static let amplitude = 0.707_945_784

    let control = PlayoutControl()
    private(set) var renderer: Renderer
    private var file = AudioFileStream()
    private var decoding = Decoding()
    private let second: [UInt8]
    private let ring: FrameRing
    /// The card's true rate against its nominal one.
    let ppm: Double
    /// Host seconds, from the card's start on.
    private(set) var now = 0.0
    private var written: Int64 = 0
    private var random = UInt64(7)
    private var samples: [Float] = []
    /// Called with every sample that the card got, in units of full scale.
    var onSample: (Double) -> Void = { _ in }

    private static let bufferFrameCount: Int64 = 7_200
    private static let tickSeconds = 0.02

    /// - Parameter seconds: the file's length.
    init(ppm: Double, seconds: Int) throws {
        self.ppm = ppm
        second = Self.second()
        var writer = WAVEWriter(rate: Self.rate, channels: 1, bits: 24)
        writer.dataSize = UInt32(seconds * second.count)
        let rendition = Rendition(
            epoch: Epoch(1), sampleRate: Double(Self.rate), channelCount: 1, capacity: 2 * Self.rate)
        ring = rendition.ring
        renderer = Renderer(
            control: control, deviceRate: Double(Self.rate), channels: 1,
            maximumFrameCount: Int(Self.bufferFrameCount))
        let head = writer.file(data: second)
        try file.parse(head.span.bytes, discontinuity: false, into: &decoding)
        control.play(rendition)
    }

    /// The card's host time of its first frame is 1,000 s.
    var host: Double { 1_000 + now }

    func setTimeline(frame: Double, at host: Double, ppm: Double) {
        // An anchor is a whole frame; its instant takes the rest.
        let whole = frame.rounded(.down)
        let framesPerSecond = Double(Self.rate) * (1 + ppm * 1e-6)
        control.setTimeline(
            HostTimeline(
                epoch: Epoch(1),
                host: HostTime(nanoseconds: Int64(((host - (frame - whole) / framesPerSecond) * 1e9).rounded())),
                frame: FramePosition(Int64(whole)), framesPerSecond: framesPerSecond))
    }

    /// The step that the card needs for a timeline of this rate.
    func neededStep(timelinePPM: Double) -> Double { (1 + timelinePPM * 1e-6) / (1 + ppm * 1e-6) }

    /// One turn of the card's loop.
    func tick() throws {
        random = random &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        now += Self.tickSeconds * (0.9 + 0.2 * Double(random >> 11) * 0x1p-53)
        let pointer = Int64(now * Double(Self.rate) * (1 + ppm * 1e-6))
        renderer.note(
            DeviceClockReading(
                frame: DeviceFrame(index: pointer), host: HostTime(nanoseconds: Int64((host * 1e9).rounded()))))
        try fillRing()
        play(Int(pointer + Self.bufferFrameCount - written))
    }

    private func fillRing() throws {
        let second = second
        while ring.writableFrameCount > 0 {
            if decoding.frames.isEmpty {
                try file.parse(second.span.bytes, discontinuity: false, into: &decoding)
            }
            let taken = decoding.frames.withUnsafeBufferPointer { ring.write($0) }
            decoding.frames.removeFirst(taken)
        }
    }

    private func play(_ count: Int) {
        samples = [Float](repeating: .nan, count: count)
        samples.withUnsafeMutableBufferPointer { renderer.render(into: $0, from: DeviceFrame(index: written)) }
        var encoded = [Int32](repeating: 0, count: count)
        samples.withUnsafeBufferPointer { samples in
            encoded.withUnsafeMutableBytes { PCMSampleFormat.integer32.encode(samples, to: $0.baseAddress!) }
        }
        for sample in encoded { onSample(Double(sample) * 0x1p-31) }
        written += Int64(count)
    }

    private static func second() -> [UInt8] {
        var bytes: [UInt8] = []
        for frame in 0..<rate {
            let value = Int32((amplitude * 0x1p23 * sine(2 * .pi * tone * Double(frame) / Double(rate))).rounded())
            for shift in [0, 8, 16] as [Int32] { bytes.append(UInt8(truncatingIfNeeded: value >> shift)) }
        }
        return bytes
    }
}

/// Decodes packets as they are parsed.
private struct Decoding: AudioStreamSink {
    private var decoder: (any AudioPacketDecoder)?
    var frames: [Float] = []

    mutating func streamDidParse(property: AudioStreamProperty) {
        if case .dataFormat(let format) = property { decoder = try? DecoderCatalog.builtIn.makeDecoder(for: format) }
    }

    mutating func streamDidParse(packets descriptions: Span<AudioPacketDescription>, data: RawSpan) {
        guard let decoder else { preconditionFailure("packets before their format") }
        for index in descriptions.indices {
            let description = descriptions[index]
            var samples = [Float](repeating: 0, count: description.frameCount * decoder.channelCount)
            var span = samples.mutableSpan
            let end = description.startOffset + description.byteCount
            do throws(AudioDecodingError) {
                try decoder.decode(
                    packet: data.extracting(description.startOffset..<end), frameCount: description.frameCount,
                    into: &span)
            } catch {
                preconditionFailure("a packet of linear PCM was not decoded: \(error)")
            }
            frames += samples
        }
    }
}
