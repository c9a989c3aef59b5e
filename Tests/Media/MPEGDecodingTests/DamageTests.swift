import AudioCore
import AudioDecoding
import MPEGDecoding
import StreamTestKit
import Testing

/// Packets that are not what they should be.
@Suite(.timeLimit(.minutes(5)))
struct DamageTests {
    let song: Song

    init() throws {
        song = try Song(rate: 44_100, channels: 2, encode: "lame --quiet -b 128 in.wav out")
    }

    private func decode(_ packets: [[UInt8]], _ decoder: MPEGDecoder) throws -> [Float] {
        var all: [Float] = []
        var output = [Float](repeating: .nan, count: 1_152 * 2)
        for packet in packets {
            var span = output.mutableSpan
            try decoder.decode(packet: packet.span.bytes, frameCount: 1_152, into: &span)
            all += output
        }
        return all
    }

    @Test func damagedPacketsKeepTheirPlaceAndAreCounted() throws {
        var packets = song.stream.packets.map(\.bytes)
        let full = try decode(packets, MPEGDecoder(format: song.format))
        packets[20] = []
        packets[21] = payload(400)
        packets[22] = Array(packets[22].prefix(100))
        packets[23].append(0)
        let decoder = try MPEGDecoder(format: song.format)
        let damaged = try decode(packets, decoder)
        #expect(decoder.damagedPacketCount == 4)
        #expect(damaged.count == full.count)
        #expect(damaged.allSatisfy { $0.isFinite && abs($0) < 2 })
        #expect(Array(damaged[..<(20 * 2_304)]) == Array(full[..<(20 * 2_304)]))
        // The second damaged packet has nothing left that could fade.
        #expect(damaged[(21 * 2_304)..<(24 * 2_304)].dropFirst(2_304).allSatisfy { $0 == 0 })
        // After the reservoir and the filters have filled again all is as if nothing had been.
        let settled = (24 + 4) * 2_304
        #expect(firstDifference(Array(damaged[settled...]), Array(full[settled...])) == nil)
    }

    @Test func startInTheMiddleIsSilentUntilTheReservoirIsThere() throws {
        let song = try Song(rate: 44_100, channels: 2, encode: "lame --quiet -b 32 --resample 44.1 -m j in.wav out")
        let full = try song.decode()
        let late = try song.decode(from: 30)
        let peak = full.reduce(0) { max($0, abs($1)) }
        #expect(late.allSatisfy { abs($0) <= peak * 1.5 })
        // The first packet borrows what was never seen.
        #expect(late[..<2_304].allSatisfy { $0 == 0 })
    }

    @Test func packetOfAnotherFormatEndsTheStream() throws {
        let decoder = try MPEGDecoder(format: song.format)
        let other = MPEGWriter(MPEGWriter.layer3LowRate).frame()
        #expect(throws: AudioDecodingError.formatChanged) {
            var output = [Float](repeating: 0, count: 2_304)
            var span = output.mutableSpan
            try decoder.decode(packet: other.span.bytes, frameCount: 576, into: &span)
        }
    }

    @Test func tooManyFramesAreSilenceOfThatLength() throws {
        let decoder = try MPEGDecoder(format: song.format)
        var output = [Float](repeating: .nan, count: 1_153 * 2)
        let packet = song.stream.packets[5].bytes
        for frameCount in [0, 1_153] {
            var span = output.mutableSpan
            try decoder.decode(packet: packet.span.bytes, frameCount: frameCount, into: &span)
        }
        #expect(output.allSatisfy { $0 == 0 })
        #expect(decoder.damagedPacketCount == 2)
    }

    @Test func fewerFramesAreThePacketsFirst() throws {
        let packets = song.stream.packets.map(\.bytes)
        let full = try decode(packets, MPEGDecoder(format: song.format))
        let decoder = try MPEGDecoder(format: song.format)
        _ = try decode(Array(packets[..<20]), decoder)
        var output = [Float](repeating: .nan, count: 100 * 2)
        let cut = packets[20]
        var span = output.mutableSpan
        try decoder.decode(packet: cut.span.bytes, frameCount: 100, into: &span)
        #expect(output == Array(full[20 * 2_304..<20 * 2_304 + 200]))
        // All of it was decoded, for what follows.
        #expect(try decode(Array(packets[21...]), decoder) == Array(full[(21 * 2_304)...]))
        #expect(decoder.damagedPacketCount == 0)
    }

    @Test func formatsThatMPEGDoesNotHaveAreRefused() {
        for (rate, channels) in [(44_000.0, 2), (96_000, 2), (44_100, 3)] {
            let format = AudioStreamFormat(codec: .mpegLayer3, sampleRate: rate, channelsPerFrame: channels)
            #expect(throws: AudioDecodingError.self) { try MPEGDecoder(format: format) }
        }
    }

    @Test func hostilePacketsAreHarmless() throws {
        let originals = song.stream.packets.map(\.bytes)
        let free = MPEGWriter(MPEGWriter.freeFormat, freeFormatByteCount: 900)
        let decoder = try MPEGDecoder(format: song.format)
        for seed in 1...3_000 as ClosedRange<UInt64> {
            var generator = SeededGenerator(seed: seed)
            var packet = originals.randomElement(using: &generator)!
            switch Int.random(in: 0..<4, using: &generator) {
            case 0:
                packet = free.frame(seed: seed)
                packet.removeLast(Int.random(in: 0..<896, using: &generator))
            case 1: for index in 4..<packet.count { packet[index] = .random(in: 0 ... .max, using: &generator) }
            default:
                for _ in 0..<10 {
                    packet[.random(in: 4..<packet.count, using: &generator)] = .random(
                        in: 0 ... .max, using: &generator)
                }
            }
            var output = [Float](repeating: .nan, count: 2_304)
            var span = output.mutableSpan
            try decoder.decode(packet: packet.span.bytes, frameCount: 1_152, into: &span)
            #expect(output.allSatisfy { $0.isFinite }, "seed \(seed)")
        }
        // And goes on as ever after.
        decoder.reset(streamFrame: 0)
        #expect(firstDifference(try decode(originals, decoder), try song.decode()) == nil)
    }
}
