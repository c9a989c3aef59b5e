import AudioCore
import AudioDecoding
import Playout

/// Does what a ``PacketIntake`` asks for: makes decoders, decodes, writes into the ring. It may take as long as another
/// process lets it. One thread at a time.
struct PacketDecoding {
    private let decoders: DecoderCatalog
    private var current: EpochDecoding?

    init(decoders: DecoderCatalog) { self.decoders = decoders }

    /// Does one task. The decoder of an epoch that is over is let go.
    /// - Throws: where the epoch's decoding cannot begin, or go on.
    mutating func perform(_ task: FeederTask) throws(AudioDecodingError) -> PacketFeederStep {
        if task.epoch !== current?.epoch { current = nil }
        switch task.work {
        case .wait(let step): return step
        case .makeDecoder: if let epoch = task.epoch { current = try make(epoch) }
        case .skip(let position): current?.skip(to: position)
        case .decode(let packet, let audible): try current?.decode(packet, audible)
        }
        return .fed
    }

    /// Lets the decoder go.
    mutating func end() { current = nil }

    private func make(_ epoch: FeederEpoch) throws(AudioDecodingError) -> EpochDecoding {
        let (stream, rendition) = (epoch.stream, epoch.rendition)
        let decoder = try decoders.makeDecoder(
            for: stream.format, magicCookie: stream.magicCookie, interrupt: epoch.interrupt)
        guard decoder.sampleRate == rendition.sampleRate, decoder.channelCount == rendition.channelCount else {
            throw .unsupportedFormat("\(decoder.channelCount) channels at \(decoder.sampleRate) Hz")
        }
        return EpochDecoding(epoch, decoder)
    }
}

/// An epoch's decoder, and the sound's edges at gaps.
private struct EpochDecoding {
    let epoch: FeederEpoch
    private let decoder: any AudioPacketDecoder
    /// The next packet does not follow the one that was decoded last.
    private var needsReset = true
    /// Decoded frames of one packet, interleaved.
    private var scratch: [Float] = []
    /// The newest frame that went to the ring, to let it die away at a gap.
    private var lastFrame: [Float]
    /// Frames that still come in with a ramp after a gap.
    private var rampRemaining = 0

    private var ring: FrameRing { epoch.rendition.ring }
    private var channelCount: Int { epoch.rendition.channelCount }

    init(_ epoch: FeederEpoch, _ decoder: any AudioPacketDecoder) {
        self.epoch = epoch
        self.decoder = decoder
        lastFrame = Array(repeating: 0, count: epoch.rendition.channelCount)
    }

    /// Decodes a packet and writes its audible frames.
    mutating func decode(_ packet: QueuedPacket, _ audible: Range<Int>) throws(AudioDecodingError) {
        let decoder = decoder
        if needsReset {
            needsReset = false
            decoder.reset(streamFrame: packet.frame.index &+ Int64(epoch.stream.primingFrameCount))
        }
        let channelCount = channelCount
        let sampleCount = packet.frameCount * channelCount
        if scratch.count < sampleCount {
            scratch.append(contentsOf: repeatElement(0, count: sampleCount - scratch.count))
        }
        var output = scratch.mutableSpan
        try decoder.decode(
            packet: packet.block.span.bytes.extracting(packet.range), frameCount: packet.frameCount, into: &output)
        epoch.note(decodedEnd: packet.end)
        epoch.note(damagedPacketCount: decoder.damagedPacketCount)

        guard !audible.isEmpty else { return }
        ring.skip(to: packet.frame + Int64(audible.lowerBound))
        rampIn(audible)
        scratch.withUnsafeBufferPointer { samples in
            let slice = samples[(audible.lowerBound * channelCount)..<(audible.upperBound * channelCount)]
            ring.write(UnsafeBufferPointer(rebasing: slice))
        }
        let last = (audible.upperBound - 1) * channelCount
        for channel in 0..<channelCount { lastFrame[channel] = scratch[last + channel] }
    }

    /// The sound dies away, and is silent up to a position; what comes then comes in with a ramp.
    mutating func skip(to position: FramePosition) {
        fadeOutLastFrame(before: position)
        ring.skip(to: position)
        epoch.note(decodedEnd: position)
        needsReset = true
        rampRemaining = epoch.rampFrameCount
    }

    /// Before a gap: the last frame's level goes to zero, so that the sound does not end in a step.
    private mutating func fadeOutLastFrame(before end: FramePosition) {
        let room = min(ring.writableFrameCount, epoch.rampFrameCount)
        let count = min(room, Int(clamping: end - ring.writePosition))
        guard count > 0, lastFrame.contains(where: { $0 != 0 }) else { return }
        var tail: [Float] = []
        for index in 0..<count {
            let gain = 1 - Float(index + 1) / Float(count)
            for channel in 0..<channelCount { tail.append(lastFrame[channel] * gain) }
        }
        tail.withUnsafeBufferPointer { _ = ring.write($0) }
        for channel in 0..<channelCount { lastFrame[channel] = 0 }
    }

    /// After a gap: frames come in over the length of the ramp.
    private mutating func rampIn(_ audible: Range<Int>) {
        guard rampRemaining > 0 else { return }
        let total = Float(epoch.rampFrameCount)
        for frame in audible.prefix(rampRemaining) {
            let gain = 1 - Float(rampRemaining) / total
            rampRemaining -= 1
            for channel in 0..<channelCount { scratch[frame * channelCount + channel] *= gain }
        }
    }
}
