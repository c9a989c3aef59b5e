import AudioCore
import AudioDecoding
import Playout

/// Performs the tasks of a ``PacketIntake``: makes decoders, decodes, writes into the ring. A task may take as long as
/// another process lets it. One thread at a time.
struct PacketDecoding {
    private let decoders: DecoderCatalog
    /// An epoch may have packets left while a later one is decoded: it was cut, and may be resumed.
    private var decodings: [EpochDecoding] = []

    init(decoders: DecoderCatalog) { self.decoders = decoders }

    /// Performs one task. Releases the decoders of epochs that are over.
    /// - Throws: if the epoch's decoding cannot begin or continue.
    mutating func perform(_ task: FeederTask) throws(AudioDecodingError) -> PacketFeederStep {
        decodings.removeAll(where: \.epoch.isOver)
        if case .wait(let step) = task.work { return step }
        if case .makeDecoder = task.work, let epoch = task.epoch { decodings.append(try make(epoch)) }
        guard let index = decodings.firstIndex(where: { $0.epoch === task.epoch }) else { return .fed }
        switch task.work {
        case .wait, .makeDecoder: break
        case .skip(let position): decodings[index].skip(to: position)
        case .decode(let packet, let audible): try decodings[index].decode(packet, audible)
        }
        return .fed
    }

    /// Releases the decoders.
    mutating func end() { decodings = [] }

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

/// An epoch's decoder, and the ramps at gaps.
private struct EpochDecoding {
    let epoch: FeederEpoch
    private let decoder: any AudioPacketDecoder
    /// Whether the next packet does not follow the last decoded one.
    private var needsReset = true
    /// Decoded frames of one packet, interleaved.
    private var scratch: [Float] = []
    /// The newest frame written to the ring, to fade it out at a gap.
    private var lastFrame: [Float]
    /// How many more frames are ramped up after a gap.
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

    /// Fades the sound out, writes silence up to a position, and ramps up what follows.
    mutating func skip(to position: FramePosition) {
        fadeOutLastFrame(before: position)
        ring.skip(to: position)
        epoch.note(decodedEnd: position)
        needsReset = true
        rampRemaining = epoch.rampFrameCount
    }

    /// Fades the last frame's level to zero before a gap, so that the sound does not end in a step.
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

    /// Ramps frames up after a gap.
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
