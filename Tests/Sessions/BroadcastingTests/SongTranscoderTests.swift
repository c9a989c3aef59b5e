import AudioCore
import AudioDecoding
import NIOCore
import Testing

@testable import Broadcasting

/// Packets to integers.
@Suite(.timeLimit(.minutes(5))) struct SongTranscoderTests {
    private static let codec = Codec("test")

    /// Floats as they are; remembers what it was told, and fails where a packet is empty.
    private final class FloatDecoder: AudioPacketDecoder {
        let sampleRate: Double
        let channelCount: Int
        let damagedPacketCount = 0
        private let pcm: PCMDecoder
        private(set) var resets: [Int64] = []

        init(format: AudioStreamFormat) throws(AudioDecodingError) {
            sampleRate = format.sampleRate
            channelCount = format.channelsPerFrame
            pcm = try PCMDecoder(
                format: .linearPCM(
                    sampleRate: sampleRate, channels: channelCount, bitsPerChannel: 32, bytesPerSample: 4,
                    layout: [.float]))
        }

        func decode(
            packet: RawSpan, frameCount: Int, into output: inout MutableSpan<Float>
        ) throws(AudioDecodingError) {
            guard packet.byteCount > 0 else { throw .formatChanged }
            try pcm.decode(packet: packet, frameCount: frameCount, into: &output)
        }

        func reset(streamFrame: Int64) { resets.append(streamFrame) }
    }

    private let made = Box()

    /// The decoders that were made.
    private final class Box: @unchecked Sendable {
        var decoders: [FloatDecoder] = []
    }

    private var catalog: DecoderCatalog {
        let made = made
        var catalog = DecoderCatalog()
        catalog.register(Self.codec) { (format, _) throws(AudioDecodingError) in
            let decoder = try FloatDecoder(format: format)
            made.decoders.append(decoder)
            return decoder
        }
        return catalog
    }

    /// Packets of stereo floats.
    private func request(
        _ packets: [[Float]], at position: Int64 = 0, firstFrame: Int64 = 0, bits: Int = 16, rendition: UInt32 = 1,
        streamFrame: Int64? = nil, codec: Codec = codec, targetRate: Double = 48_000
    ) -> TranscodingRequest {
        var data = ByteBuffer()
        let descriptions = packets.map { samples in
            let start = data.writerIndex
            for sample in samples { data.writeInteger(sample.bitPattern, endianness: .little) }
            return AudioPacketDescription(
                startOffset: start, byteCount: samples.count * 4, frameCount: max(1, samples.count / 2))
        }
        return TranscodingRequest(
            rendition: RenditionNumber(epoch: Epoch(1), count: rendition),
            source: AudioStreamFormat(codec: codec, sampleRate: 48_000, channelsPerFrame: 2),
            magicCookie: [],
            target: .linearPCM(
                sampleRate: targetRate, channels: 2, bitsPerChannel: bits, bytesPerSample: bits / 8,
                layout: [.signedInteger]), streamFrame: streamFrame, position: FramePosition(position),
            firstFrame: FramePosition(firstFrame), packets: descriptions, data: data)
    }

    /// The decoded bytes and their place; nil for a failure.
    private func frames(_ reply: TranscodingReply) -> (bytes: [UInt8], position: FramePosition)? {
        guard case .frames(let data, let position) = reply.outcome else { return nil }
        return (Array(data.readableBytesView), position)
    }

    private func integers16(_ bytes: [UInt8]) -> [Int16] {
        stride(from: 0, to: bytes.count, by: 2).map {
            Int16(bitPattern: UInt16(bytes[$0]) | UInt16(bytes[$0 + 1]) << 8)
        }
    }

    @Test func sixteenBitsAreRoundedAndClipped() throws {
        let transcoded: [(Float, Int16)] = [
            (0, 0), (0x1p-15, 1), (-0x1p-15, -1), (1.5 * 0x1p-15, 2), (2.5 * 0x1p-15, 2), (0.5, 16_384), (-1, -32_768),
            (1, 32_767), (7, 32_767), (-7, -32_768),
        ]
        var transcoder = SongTranscoder(decoders: catalog)
        let reply = transcoder.answer(request([transcoded.map(\.0)]))
        #expect(integers16(try #require(frames(reply)).bytes) == transcoded.map(\.1))
    }

    /// What a decoder made of integers comes out as those integers.
    @Test func everyIntegerIsKept() throws {
        var transcoder = SongTranscoder(decoders: catalog)
        let all = (Int16.min...Int16.max).map { $0 }
        for part in stride(from: 0, to: all.count, by: 8_192).map({ all[$0..<$0 + 8_192] }) {
            let reply = transcoder.answer(request([part.map { Float($0) * 0x1p-15 }]))
            #expect(integers16(try #require(frames(reply)).bytes) == Array(part))
        }
    }

    @Test func twentyFourBitsAreLittleEndian() throws {
        var transcoder = SongTranscoder(decoders: catalog)
        let reply = transcoder.answer(request([[Float(0x123456) * 0x1p-23, -0x1p-23, 1, -1]], bits: 24))
        #expect(
            try #require(frames(reply)).bytes == [
                0x56, 0x34, 0x12, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F, 0x00, 0x00, 0x80,
            ])
    }

    /// Priming and pre-roll are decoded and left out, also where the cut goes through a packet.
    @Test(
        arguments: [
            (-3, 0, [3, 4, 5]), (-2, 0, [2, 3, 4, 5]), (0, 0, [0, 1, 2, 3, 4, 5]), (10, 9, [0, 1, 2, 3, 4, 5]),
            (10, 14, [4, 5]), (10, 16, []), (10, 50, []),
        ] as [(Int64, Int64, [Int])])
    func framesBeforeTheFirstAreLeftOut(position: Int64, first: Int64, expected: [Int]) throws {
        let packets = [[0, 1, 2], [3, 4, 5]].map { packet in
            packet.flatMap { [Float($0) * 0x1p-15, -Float($0) * 0x1p-15] }
        }
        var transcoder = SongTranscoder(decoders: catalog)
        let reply = transcoder.answer(request(packets, at: position, firstFrame: first))
        let (bytes, start) = try #require(frames(reply))
        #expect(integers16(bytes) == expected.flatMap { [Int16($0), -Int16($0)] })
        #expect(start == FramePosition(max(position, first)))
    }

    @Test func aRenditionKeepsItsDecoder() {
        var transcoder = SongTranscoder(decoders: catalog)
        for (rendition, streamFrame) in [(1, 0), (1, nil), (1, 900), (2, 5)] as [(UInt32, Int64?)] {
            _ = transcoder.answer(request([[0, 0]], rendition: rendition, streamFrame: streamFrame))
        }
        #expect(made.decoders.map(\.resets) == [[0, 900], [5]])
        transcoder.release()
        _ = transcoder.answer(request([[0, 0]], rendition: 2))
        #expect(made.decoders.count == 3)
    }

    @Test func failuresAreTold() {
        var transcoder = SongTranscoder(decoders: catalog)
        for bad in [request([[]]), request([[0, 0]], codec: .flac), request([[0, 0]], targetRate: 24_000)] {
            guard case .failed(let text) = transcoder.answer(bad).outcome else {
                Issue.record("no failure")
                continue
            }
            #expect(!text.isEmpty)
        }
    }
}
