import AudioCore
import AudioDecoding
import Playout

/// What one step of a feeder did.
public enum PacketFeederStep: Hashable, Sendable {
    /// A packet was decoded, or a gap was filled. There may be more to do.
    case fed
    /// The ring is full: come back when some of it was played.
    case ringFull
    /// All packets are decoded.
    case idle
    /// Decoding cannot go on. Said once; the feeder is idle until the next `begin`.
    case failed(AudioDecodingError)
}

extension PacketFeeder {
    /// Decodes the next packet, if there is one and the ring has room for it.
    public mutating func feed() -> PacketFeederStep {
        // Taken out for the time of the step: arrays inside are changed in place, not copied.
        guard var epoch = current else { return .idle }
        current = nil
        defer { current = epoch }
        guard let packet = queue.first else { return closeTail(&epoch) }

        let start = epoch.expected ?? min(packet.frame, epoch.stream.firstFrame)
        if packet.frame > start {
            guard epoch.hasRoomForRamp else { return .ringFull }
            noteGap(&epoch, from: start, to: packet.frame)
            epoch.firstFrame = max(epoch.firstFrame, packet.firstFrame ?? packet.frame)
        }
        guard epoch.hasRoom(for: packet) else { return .ringFull }
        do {
            try epoch.decode(packet)
        } catch {
            epoch.hasFailed = true
            epoch.isComplete = true
            queue.removeAll()
            return .failed(error)
        }
        _ = queue.removeFirst()
        return .fed
    }

    /// Fills what is missing at the end with silence, when no packet can fill it any more.
    private mutating func closeTail(_ epoch: inout FeederEpoch) -> PacketFeederStep {
        let start = epoch.rendition.ring.writePosition
        guard epoch.isComplete, let end = epoch.end, start < end else { return .idle }
        guard epoch.hasRoomForRamp else { return .ringFull }
        noteGap(&epoch, from: start, to: end)
        return .fed
    }

    /// Silence from where packets stopped to where they go on.
    private mutating func noteGap(_ epoch: inout FeederEpoch, from start: FramePosition, to end: FramePosition) {
        counters.gapCount += 1
        counters.missingFrameCount &+= end - start
        epoch.letLastFrameDieAway(before: end)
        epoch.rendition.ring.skip(to: min(end, epoch.end ?? end))
        epoch.expected = end
        epoch.needsReset = true
        epoch.rampRemaining = epoch.rampFrameCount
    }
}

extension FeederEpoch {
    /// Whether the ring takes all that this packet has for it. Frames before the first wanted one take no room.
    func hasRoom(for packet: QueuedPacket) -> Bool {
        let audible = audibleRange(of: packet)
        return audible.isEmpty || rendition.ring.writableFrameCount >= audible.count
    }

    /// Whether the ring takes the ramp that a gap begins with.
    var hasRoomForRamp: Bool { rendition.ring.writableFrameCount >= rampFrameCount }

    /// Decodes a packet and writes its audible frames. The caller has seen to it that there is room.
    mutating func decode(_ packet: QueuedPacket) throws(AudioDecodingError) {
        let decoder = decoder
        if needsReset {
            needsReset = false
            decoder.reset(streamFrame: packet.frame.index &+ Int64(stream.primingFrameCount))
        }
        let channelCount = rendition.channelCount
        let sampleCount = packet.frameCount * channelCount
        if scratch.count < sampleCount {
            scratch.append(contentsOf: repeatElement(0, count: sampleCount - scratch.count))
        }
        var output = scratch.mutableSpan
        try decoder.decode(packet: packet.bytes.span.bytes, frameCount: packet.frameCount, into: &output)
        expected = packet.end

        let audible = audibleRange(of: packet)
        guard !audible.isEmpty else { return }
        rendition.ring.skip(to: packet.frame + Int64(audible.lowerBound))
        rampIn(audible)
        scratch.withUnsafeBufferPointer { samples in
            let slice = samples[(audible.lowerBound * channelCount)..<(audible.upperBound * channelCount)]
            rendition.ring.write(UnsafeBufferPointer(rebasing: slice))
        }
        let last = (audible.upperBound - 1) * channelCount
        for channel in 0..<channelCount { lastFrame[channel] = scratch[last + channel] }
    }

    /// The packet's frames that are heard, counted from its first.
    private func audibleRange(of packet: QueuedPacket) -> Range<Int> {
        let first = max(packet.frame, firstFrame)
        let last = min(packet.end, end ?? packet.end)
        guard first < last else { return 0..<0 }
        return Int(first - packet.frame)..<Int(last - packet.frame)
    }

    /// Before a gap: the last frame's level goes to zero, so that the sound does not end in a step.
    mutating func letLastFrameDieAway(before end: FramePosition) {
        let room = min(rendition.ring.writableFrameCount, rampFrameCount)
        let count = min(room, Int(clamping: end - rendition.ring.writePosition))
        guard count > 0, lastFrame.contains(where: { $0 != 0 }) else { return }
        var tail: [Float] = []
        for index in 0..<count {
            let gain = 1 - Float(index + 1) / Float(count)
            for channel in 0..<rendition.channelCount { tail.append(lastFrame[channel] * gain) }
        }
        tail.withUnsafeBufferPointer { _ = rendition.ring.write($0) }
        for channel in 0..<rendition.channelCount { lastFrame[channel] = 0 }
    }

    /// After a gap: frames come in over the length of the ramp.
    private mutating func rampIn(_ audible: Range<Int>) {
        guard rampRemaining > 0 else { return }
        let total = Float(rampFrameCount)
        for frame in audible.prefix(rampRemaining) {
            let gain = 1 - Float(rampRemaining) / total
            rampRemaining -= 1
            for channel in 0..<rendition.channelCount { scratch[frame * rendition.channelCount + channel] *= gain }
        }
    }
}
