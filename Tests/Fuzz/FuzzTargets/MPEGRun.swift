import AudioCore
import AudioDecoding

// Packets are cut here as their own headers say, and not where a stream would go on: so packets of any header, with any
// contents, come one after the other, as a broadcaster could send them. That is also what a song's file gives as it is.

/// MPEG packets of any kind through the decoder, in two decoders, which must output the same samples whatever the
/// memory held that they are given.
struct MPEGRun {
    var bytes: [UInt8]
    var choices: Choices

    private enum Step {
        case packet([UInt8], frameCount: Int)
        case reset(streamFrame: Int64)
    }

    /// A song has some 30 packets in an input's size; those of free format may be smaller.
    private static let stepLimit = 64

    func violation() -> String? {
        let steps = self.steps()
        // As floats they are 0 and 12.
        guard let format = format(of: steps), let one = Pass(format, memory: 0), let other = Pass(format, memory: 0x41)
        else { return nil }
        for step in steps {
            for pass in [one, other] {
                pass.fillFreeMemory()
                if let violation = Self.take(step, pass) { return violation }
            }
            guard one.digest == other.digest, one.decoder.damagedPacketCount == other.decoder.damagedPacketCount else {
                return "two decoders make different sound of the same packets"
            }
        }
        return nil
    }

    private static func take(_ step: Step, _ pass: Pass) -> String? {
        switch step {
        case .reset(let streamFrame):
            pass.decoder.reset(streamFrame: streamFrame)
            return nil
        case .packet(let packet, let frameCount): return pass.decode(packet, frameCount)
        }
    }

    /// That of the first header, as a parser would tell it; or one that differs.
    private func format(of steps: [Step]) -> AudioStreamFormat? {
        let header = steps.lazy.compactMap { step -> MPEGFrameHeader? in
            if case .packet(let packet, _) = step { return MPEGFrameHeader(packet.span.bytes, at: 0) }
            return nil
        }.first
        guard let header else { return nil }
        let channelCount = choices.bytes[1] & 7 == 1 ? 3 - header.channelCount : header.channelCount
        return AudioStreamFormat(
            codec: header.codec, sampleRate: Double(header.sampleRate), channelsPerFrame: channelCount)
    }

    /// Packets by their headers; between them, bytes that say what else happens.
    private func steps() -> [Step] {
        var steps: [Step] = []
        var rest = bytes[...]
        while let first = rest.first, steps.count < Self.stepLimit {
            let header = Array(rest.prefix(4)).span.bytes
            if let header = MPEGFrameHeader(header, at: 0) {
                let free = 1 + Int(choices.bytes[2]) * 8 + Int(choices.bytes[3] & 7)
                let packet = Array(rest.prefix(header.packetByteCount(freeFormatByteCount: free)))
                rest = rest.dropFirst(packet.count)
                steps.append(.packet(packet, frameCount: header.frameCount))
                continue
            }
            rest = rest.dropFirst()
            switch first {
            case 1: steps.append(.reset(streamFrame: Int64(rest.popFirst() ?? 0) * 384))
            case 2: steps.append(.reset(streamFrame: [.min, .max, -1, 1 << 40][Int((rest.popFirst() ?? 0) & 3)]))
            case 3:
                // Any bytes, as so many frames.
                let frameCount = Int(rest.popFirst() ?? 0) << 3
                let packet = Array(rest.dropFirst().prefix(Int(rest.first ?? 0) << 3))
                rest = rest.dropFirst(1 + packet.count)
                steps.append(.packet(packet, frameCount: frameCount))
            case 4: Self.shorten(&steps, to: Int(rest.popFirst() ?? 0) << 3)
            case 5: Self.splice(&steps, dropping: Int(rest.popFirst() ?? 0) << 2)
            default: break
            }
        }
        return steps
    }

    /// Another frame count for the last packet.
    private static func shorten(_ steps: inout [Step], to frameCount: Int) {
        guard case .packet(let packet, _)? = steps.last else { return }
        steps[steps.count - 1] = .packet(packet, frameCount: frameCount)
    }

    /// The last two packets as one.
    private static func splice(_ steps: inout [Step], dropping droppedFrameCount: Int) {
        guard steps.count > 1, case .packet(let first, let firstCount) = steps[steps.count - 2],
            case .packet(let second, let secondCount) = steps[steps.count - 1]
        else { return }
        steps.removeLast(2)
        let bytes = AudioPacketSplice.bytes(
            dropping: droppedFrameCount, of: [(first, firstCount), (second, secondCount)], streamFrame: 1_152)
        steps.append(.packet(bytes, frameCount: secondCount))
    }
}

/// One decoder, and a digest of what it outputs.
private final class Pass {
    let decoder: any AudioPacketDecoder
    private(set) var digest: UInt64 = 0xCBF2_9CE4_8422_2325
    private let memory: UInt8

    /// - Parameter memory: what all bytes are of the memory that it is given.
    init?(_ format: AudioStreamFormat, memory: UInt8) {
        self.memory = memory
        Self.fillFreeMemory(with: memory)
        guard let decoder = try? DecoderRun.catalog.makeDecoder(for: format) else { return nil }
        self.decoder = decoder
    }

    /// Call it before each step: with a packet of free format the library is opened anew, and others may take buffers.
    func fillFreeMemory() { Self.fillFreeMemory(with: memory) }

    /// Leaves a byte in the memory that is given out next.
    private static func fillFreeMemory(with byte: UInt8) {
        let blocks = (1...16).map { UnsafeMutableRawBufferPointer.allocate(byteCount: $0 << 10, alignment: 16) }
        for block in blocks { block.initializeMemory(as: UInt8.self, repeating: byte) }
        for block in blocks { block.deallocate() }
    }

    func decode(_ packet: [UInt8], _ frameCount: Int) -> String? {
        FuzzTargets.decode(packet, frameCount, with: decoder) { samples in
            for sample in samples { digest = (digest ^ UInt64(sample.bitPattern)) &* 0x100_0000_01B3 }
        }
    }
}
