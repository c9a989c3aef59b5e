import AudioCore
import Glibc
import NIOCore

// A song whose position can be read back from any few milliseconds of it.
//
// Four steady tones lie close together, around one eighth of the sample rate. The first one's phase gives the position
// to a small part of a frame, but repeats every 8 frames. Against it the second turns once in 512 frames, the third in
// 32,768, the fourth in 4 million: a sound that is off by any number of frames differs visibly in the relation of the
// four. Their amplitudes never cancel. The first and the last 4 ms swell and fade, so that interpolation rings little.

/// A song of tones, mono: as linear PCM of 32-bit floats or, lapped, as packets of ``LappedDecoder``.
public struct VirtualSong {
    public static let sampleRate = 8_000.0
    /// Frames over which it swells at the front and fades at the end.
    static let edgeFrameCount = 32
    /// Frames of a packet: 50 ms.
    static let packetFrameCount = 400
    static let amplitudes = [0.5, 0.15, 0.1, 0.1]

    public let title: String
    public let frameCount: Int64
    /// Whether it is in a codec that needs priming and pre-roll, and that not everybody decodes.
    public let isLapped: Bool
    /// Cycles per frame of each tone.
    let frequencies: [Double]

    /// - Parameters:
    ///   - duration: rounded to half an analysis window.
    ///   - variant: 0...3; songs of different variants are told apart by ear.
    ///   - isLapped: in a codec of its own (``LappedDecoder``), not as PCM.
    public init(title: String, duration: TimeSpan, variant: Int = 0, isLapped: Bool = false) {
        self.title = title
        self.isLapped = isLapped
        let windows = Int64(duration.seconds * Self.sampleRate) / Int64(HeardWindow.frameCount)
        frameCount = windows * Int64(HeardWindow.frameCount) + Int64(HeardWindow.frameCount / 2)
        let base = [1.0 / 8, 1.0 / 7, 1.0 / 9, 1.0 / 10][variant]
        frequencies = [base, base + 0x1p-9, base + 0x1p-15, base + 0x1p-22]
    }

    /// Analysis windows in which it sounds.
    public var windowCount: Int { (Int(frameCount) + HeardWindow.lead) / HeardWindow.frameCount + 1 }

    public var duration: TimeSpan { TimeSpan(seconds: Double(frameCount) / Self.sampleRate) }

    /// Of its packets.
    public var bytesPerSecond: Int { Int(Self.sampleRate) * (isLapped ? 8 : 4) }

    public var format: AudioStreamFormat {
        guard isLapped else {
            return .linearPCM(
                sampleRate: Self.sampleRate, channels: 1, bitsPerChannel: 32, bytesPerSample: 4, layout: [.float])
        }
        return AudioStreamFormat(
            codec: LappedDecoder.codec, sampleRate: Self.sampleRate, framesPerPacket: Self.packetFrameCount,
            channelsPerFrame: 1)
    }

    /// Frames that its decoder gives before frame 0.
    var primingFrameCount: Int { isLapped ? Self.packetFrameCount + 100 : 0 }

    public var properties: [AudioStreamProperty] {
        [
            .dataFormat(format), .bitRate(bytesPerSecond * 8),
            .packetTableInfo(
                AudioPacketTableInfo(
                    validFrameCount: frameCount, primingFrameCount: primingFrameCount, remainderFrameCount: 0)),
            .decoderPrerollPacketCount(isLapped ? LappedDecoder.prerollPacketCount : 0), .info(.title, title),
            .readyToProducePackets,
        ]
    }

    /// The packets from this frame on, the first of which is the one before frame 0 that priming begins with; fewer at
    /// the end.
    func packets(from frame: Int64, count: Int) -> ([AudioPacketDescription], ByteBuffer) {
        var descriptions: [AudioPacketDescription] = []
        var data = ByteBuffer()
        var frame = frame
        while descriptions.count < count, frame < frameCount {
            let frames = isLapped ? Self.packetFrameCount : min(Self.packetFrameCount, Int(frameCount - frame))
            let start = data.writerIndex
            if isLapped {
                // Half of its own frames, and half of the next packet's.
                let number = (frame + Int64(primingFrameCount)) / Int64(frames)
                let gain = number % 2 == 0 ? 0.5 : -0.5
                append(frames, from: frame, gain: gain, to: &data)
                append(frames, from: frame + Int64(frames), gain: gain, to: &data)
            } else {
                append(frames, from: frame, gain: 1, to: &data)
            }
            descriptions.append(
                AudioPacketDescription(
                    startOffset: start, byteCount: data.writerIndex - start, frameCount: frames))
            frame += Int64(frames)
        }
        return (descriptions, data)
    }

    private func append(_ count: Int, from frame: Int64, gain: Double, to data: inout ByteBuffer) {
        var tones = ToneBank(song: self, at: Double(frame), step: 1)
        for offset in 0..<count {
            let value = gain * tones.next().value * envelope(at: Double(frame + Int64(offset))).value
            data.writeInteger(Float(value).bitPattern, endianness: .little)
        }
    }

    /// The swell at the front and the fade at the end, with its slope per frame; zero outside the song.
    func envelope(at position: Double) -> (value: Double, slope: Double) {
        let edge = Double(Self.edgeFrameCount)
        let fromEnd = Double(frameCount - 1) - position
        let (distance, sign) = position < fromEnd ? (position, 1.0) : (fromEnd, -1.0)
        if distance <= 0 { return (0, 0) }
        if distance >= edge { return (1, 0) }
        return (
            (1 - cos(.pi * distance / edge)) / 2, sign * .pi / edge * sin(.pi * distance / edge) / 2
        )
    }

    /// Whether the envelope is 1 over this range.
    func isSteady(_ range: ClosedRange<Double>) -> Bool {
        let edge = Double(Self.edgeFrameCount)
        return range.lowerBound >= edge && range.upperBound <= Double(frameCount - 1) - edge
    }
}

/// The tones of a song at evenly spaced positions, without their envelope; one complex turn for each.
struct ToneBank {
    private var real: SIMD4<Double>
    private var imaginary: SIMD4<Double>
    private let turnReal: SIMD4<Double>
    private let turnImaginary: SIMD4<Double>
    /// Radians per frame.
    private let angular: SIMD4<Double>

    init(song: VirtualSong, at position: Double, step: Double) {
        var real = SIMD4<Double>()
        var imaginary = SIMD4<Double>()
        var turnReal = SIMD4<Double>()
        var turnImaginary = SIMD4<Double>()
        var angular = SIMD4<Double>()
        for index in 0..<4 {
            let cycles = song.frequencies[index] * position
            let phase = 2 * .pi * (cycles - cycles.rounded())
            angular[index] = 2 * .pi * song.frequencies[index]
            real[index] = VirtualSong.amplitudes[index] * cos(phase)
            imaginary[index] = VirtualSong.amplitudes[index] * sin(phase)
            turnReal[index] = cos(angular[index] * step)
            turnImaginary[index] = sin(angular[index] * step)
        }
        self.real = real
        self.imaginary = imaginary
        self.turnReal = turnReal
        self.turnImaginary = turnImaginary
        self.angular = angular
    }

    /// The value here and its slope per frame; moves on by one step.
    @inline(__always)
    mutating func next() -> (value: Double, slope: Double) {
        let value = real.sum()
        let slope = -(imaginary * angular).sum()
        let turned = real * turnReal - imaginary * turnImaginary
        imaginary = real * turnImaginary + imaginary * turnReal
        real = turned
        return (value, slope)
    }
}
