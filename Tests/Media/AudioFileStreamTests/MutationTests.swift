import AudioCore
import AudioFileStreamServices
import StreamTestKit
import Testing

/// Files hurt at random: nothing may trap, give packets beyond the limits, or hold or do more than the bytes are worth.
@Suite(.timeLimit(.minutes(5)))
struct MutationTests {
    /// Seeds of one run; a failure names its own.
    static let runs = 5_000

    @Test func hurtFilesAreHarmless() {
        var kinds = Set<String>()
        for seed in 1...UInt64(Self.runs) {
            var generator = SeededGenerator(seed: seed)
            let file = SplitTests.files[Int.random(in: 0..<SplitTests.files.count, using: &generator)]
            let bytes = hurt(Array(file.bytes.prefix(20_000)), using: &generator)
            let largest = [50, 3_000, 100_000].randomElement(using: &generator)!
            var sink = LimitSink()
            var parser = AudioFileStream()
            var offset = 0
            do throws(AudioStreamError) {
                while offset < bytes.count {
                    let end = min(bytes.count, offset + Int.random(in: 1...largest, using: &generator))
                    let isGap = Int.random(in: 0..<200, using: &generator) == 0
                    try parser.parse(bytes.span.bytes.extracting(offset..<end), discontinuity: isGap, into: &sink)
                    offset = end
                }
                try parser.finish(into: &sink)
                kinds.insert("played")
            } catch {
                kinds.insert("\(error)")
            }
            #expect(sink.violation == nil, "seed \(seed)")
            #expect(sink.byteCount <= bytes.count, "seed \(seed)")
        }
        // The mutations reach both fates.
        #expect(kinds.contains("played") && kinds.count > 3)
    }

    @Test func hurtFilesAreCutAlike() {
        for seed in 10_001...10_150 as ClosedRange<UInt64> {
            var generator = SeededGenerator(seed: seed)
            let file = SplitTests.files[Int.random(in: 0..<SplitTests.files.count, using: &generator)]
            let bytes = hurt(Array(file.bytes.prefix(12_000)), using: &generator)
            let whole = parse(bytes)
            let pieces = sequence(state: ()) { _ in Int.random(in: 0...2_000, using: &generator) }
            #expect(parse(bytes, with: AudioFileStream(), pieces: pieces) == whole, "seed \(seed)")
        }
    }

    private func hurt(_ original: [UInt8], using generator: inout SeededGenerator) -> [UInt8] {
        var bytes = original
        for _ in 0..<Int.random(in: 1...12, using: &generator) where !bytes.isEmpty {
            let place = Int.random(in: 0..<bytes.count, using: &generator)
            let end = min(bytes.count, place + Int.random(in: 1...600, using: &generator))
            switch Int.random(in: 0..<8, using: &generator) {
            case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            case 1: bytes[place] = [0, 0x7F, 0x80, 0xFF].randomElement(using: &generator)!
            case 2: bytes.removeSubrange(place..<end)
            case 3: bytes.insert(contentsOf: bytes[place..<end], at: Int.random(in: 0...bytes.count, using: &generator))
            case 4: bytes.removeSubrange(place...)
            // Sizes, which stand near the front.
            case 5 where bytes.count > 64:
                bytes.put(
                    bigEndian: UInt32.random(in: 0 ... .max, using: &generator),
                    at: Int.random(in: 0..<60, using: &generator))
            case 6: for index in place..<end { bytes[index] = 0xFF }
            default: for index in place..<end { bytes[index] = .random(in: 0 ... .max, using: &generator) }
            }
        }
        return bytes
    }
}

/// A sink that checks each packet against the limits, and that nothing comes out of order.
private struct LimitSink: AudioStreamSink {
    var violation: String?
    var byteCount = 0
    var isReady = false

    mutating func streamDidParse(property: AudioStreamProperty) {
        switch property {
        case .readyToProducePackets: isReady = true
        case .dataFormat(let format) where !Limits.sampleRateRange.contains(format.sampleRate): violation = "rate"
        case .packetTableInfo(let table) where (table.validFrameCount ?? 0) < 0 || table.primingFrameCount < 0:
            violation = "table"
        case .info(_, let text) where text.utf8.count > Limits.titleByteCount: violation = "text"
        case .bitRate(let rate) where rate <= 0: violation = "bit rate"
        default: break
        }
    }

    mutating func streamDidParse(packets descriptions: Span<AudioPacketDescription>, data: RawSpan) {
        if !isReady { violation = "packets before ready" }
        var end = 0
        for index in descriptions.indices {
            let packet = descriptions[index]
            if packet.startOffset < end || packet.byteCount <= 0 || packet.frameCount <= 0 { violation = "order" }
            if packet.byteCount > Limits.packetByteCount || packet.frameCount > Limits.packetFrameCount {
                violation = "size"
            }
            end = packet.startOffset + packet.byteCount
            byteCount += packet.byteCount
        }
        if end > data.byteCount { violation = "outside" }
    }
}
